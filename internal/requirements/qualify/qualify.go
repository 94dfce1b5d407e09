// Package qualify makes the ids of requirements unique where documents number them for each folder: it finds the folder
// that a document belongs to, puts it in front of an id, and takes it off again. It does no I/O.
//
// OpenSpec, spec-kit and Kiro keep one document for each capability, feature or spec, in a folder of its own below one
// that is called "specs", and their ids are unique in that document alone. There "Output Format" in
// openspec/specs/cli-list/spec.md is cli-list/Output Format. What stands below "specs" is the whole path, so
// specs/client/cli-list/spec.md belongs to client/cli-list. The document of a change belongs to the capability that it
// changes: openspec/changes/add-json/specs/cli-list/spec.md is cli-list, too.
//
// An id with its folder is the whole id: it is what the state, the log and the API have. An id without its folder, as
// the document has it, is its short form.
package qualify

import (
	"path"
	"slices"
	"strings"
)

// The forms that the ids of a project can have. A project has one of them on record, from its first import on; one that
// is older than the record has None.
const (
	Families = "families" // with their folder where the family of a document numbers per folder; of a new project
	Folder   = "folder"   // with their folder, in every document
	None     = "none"     // as the documents have them
)

// Forms returns what a user may ask for.
func Forms() []string { return []string{Folder, None} }

// numbering lists the families that number requirements per folder.
var numbering = []string{"openspec", "spec-kit", "kiro"}

// PerFolder reports whether a family of documents numbers its requirements per folder.
func PerFolder(family string) bool { return slices.Contains(numbering, family) }

// parent is the folder that holds a folder for each capability, feature or spec.
const parent = "specs"

// homes are the folders in which the tools of the families keep theirs.
var homes = []string{"openspec", ".kiro", ".specify"}

// FolderOf returns the folder whose name belongs to the ids of a document, in a form; "" if they have none. perFolder
// says that the document was read by a family that numbers per folder.
func FolderOf(form, file string, perFolder bool) string {
	below, tool := belowSpecs(file)
	switch form {
	case Folder:
		if below != "" {
			return below
		}
		return folderAsNamed(file)
	case Families:
		if perFolder || tool {
			return below
		}
	}
	return ""
}

// belowSpecs returns the path from the innermost folder "specs" to that of a file, and whether a tool of the families
// put it there; "" if the file lies in no folder below one.
func belowSpecs(file string) (below string, tool bool) {
	names := strings.Split(path.Dir(path.Clean(file)), "/")
	for i := len(names) - 2; i >= 0; i-- {
		if names[i] != parent {
			continue
		}
		ofTool := func(name string) bool { return slices.Contains(homes, name) }
		return strings.Join(names[i+1:], "/"), isFeature(names[i+1], path.Base(file)) || slices.ContainsFunc(names[:i], ofTool)
	}
	return "", false
}

// isFeature reports whether a folder and a file in it are called as spec-kit calls a feature and its specification:
// 003-command-timeout/spec.md. Not every specification has the marks of the family.
func isFeature(folder, file string) bool {
	number, name, found := strings.Cut(folder, "-")
	return found && number != "" && name != "" && strings.Trim(number, "0123456789") == "" && file == "spec.md"
}

// folderAsNamed returns the folder of a file as it was named, from where its name is the same on every machine.
func folderAsNamed(file string) string {
	folder := path.Dir(path.Clean(file))
	switch {
	case path.IsAbs(folder):
		return strings.Trim(path.Base(folder), "/")
	case folder == "." || folder == "..":
		return ""
	}
	for strings.HasPrefix(folder, "../") {
		folder = folder[len("../"):]
	}
	if folder == ".." {
		return ""
	}
	return folder
}

// Whole returns an id with the folder of its document, which may be "".
func Whole(folder, id string) string {
	if folder == "" {
		return id
	}
	return folder + "/" + id
}

// Short returns the short form of the id of a requirement that a document defines; the id itself if it has no folder.
func Short(id, file string) string {
	below, _ := belowSpecs(file)
	for _, folder := range []string{below, folderAsNamed(file)} {
		if short, has := strings.CutPrefix(id, folder+"/"); folder != "" && has && short != "" {
			return short
		}
	}
	return id
}
