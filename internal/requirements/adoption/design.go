package adoption

import (
	"path"
	"slices"
	"strings"
)

// DesignFiles returns where the design of the requirements of a document may lie, by the habits of the tools that write
// such documents; the first that exists is taken. It is asked for the files of the project, sorted, which have paths as
// the document has.
func DesignFiles(document string, files []string) (found []string) {
	folder := path.Dir(document)
	var candidates []string
	switch path.Base(document) {
	case "spec.md": // spec-kit has a plan, and OpenSpec may have a design
		candidates = []string{path.Join(folder, "plan.md"), path.Join(folder, "design.md")}
		candidates = append(candidates, archived(document, files)...)
	case "requirements.md": // Kiro
		candidates = []string{path.Join(folder, "design.md")}
	default:
		candidates = []string{path.Join(folder, "DESIGN.md"), path.Join(folder, "design.md")}
	}
	for _, c := range candidates {
		if _, there := slices.BinarySearch(files, c); there {
			return []string{c}
		}
	}
	return nil
}

// archived returns the designs of the finished changes of OpenSpec that changed a specification, the latest first: the
// names of their folders begin with a date.
func archived(document string, files []string) (designs []string) {
	const specs = "/specs/"
	root, capability, found := strings.Cut(document, specs)
	if !found {
		return nil
	}
	under := root + "/changes/archive/"
	for _, f := range slices.Backward(files) {
		change, is := strings.CutSuffix(f, specs+capability)
		if is && strings.HasPrefix(change, under) {
			designs = append(designs, change+"/design.md")
		}
	}
	return designs
}
