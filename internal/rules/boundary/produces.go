package boundary

import (
	"path"
	"slices"
	"strings"

	"orchestrator/internal/rules/boundary/glob"
)

// produced returns the class of a part, and why that is not the class that it came with. What produces is a write where
// it is told to put something that is no output, and ambiguous where it runs code that the main session may have
// written: neither the policy nor the tables of programs vouch for that. So is what reads by settings of that kind.
func (p *Part) produced(policy *Policy) (Class, string) {
	if p.Class != Produces && p.Class != Reads {
		return p.Class, ""
	}
	for _, t := range p.Targets {
		if p.Class == Produces && !t.isOutput() {
			return Writes, p.program() + " is told to write " + t.described()
		}
	}
	for _, from := range p.Runs {
		switch {
		case p.Class == Reads && from.Holds == "" && !from.exemptUnder(policy): // its settings are the project's
		case from.Holds != "":
			return Ambiguous, p.program() + " may run " + from.Holds + ", which a main session may have written"
		case from.Unknown:
			return Ambiguous, "where " + p.program() + " runs cannot be told"
		case from.outside():
			return Ambiguous, p.program() + " runs outside of the project, or code from there"
		case from.exemptUnder(policy):
			return Ambiguous, p.program() + " runs code from " + from.Path + ", where a main session may write"
		}
	}
	return p.Class, ""
}

// ExemptFolders returns the folders of the project in which a main session may write by the policy's exempt_paths, each
// as far as its name can be told. A pattern that begins with a wildcard names none.
func (p *Policy) ExemptFolders() (all []string) {
	for _, pattern := range p.ExemptPaths {
		literal := glob.Literal(pattern)
		if folder := path.Dir(literal + "x"); folder != "." && !path.IsAbs(folder) && literal != pattern &&
			!slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

func (p *Part) program() string {
	if len(p.Words) == 0 {
		return "the command"
	}
	return p.Words[0]
}

// described returns what a file is that is no output.
func (t Target) described() string {
	switch {
	case t.Unknown:
		return "a file that cannot be told"
	case t.Unsure:
		return t.Path + ", of which git's index does not tell whether it is tracked: git update-index --no-split-index " +
			"may mend that"
	case t.Tracked:
		return t.Path + ", which git tracks"
	}
	return t.Path + ", which is no output"
}

func (t Target) outside() bool {
	return !t.inProject(t.Path) || t.Real != "" && !t.inProject(t.Real)
}

func (t Target) inProject(name string) bool {
	return !path.IsAbs(name) && !strings.HasPrefix(name, "~")
}

// exemptUnder reports whether a main session may write a file, or whatever lies in a folder.
func (t Target) exemptUnder(policy *Policy) bool {
	exempt := slices.DeleteFunc(slices.Clone(policy.ExemptPaths), func(p string) bool { return p == "**" })
	return matchAnyPath(exempt, t.Path) || t.Real != "" && matchAnyPath(exempt, t.Real) ||
		slices.ContainsFunc(exempt, func(p string) bool { // the name of a package may hold the folder's
			folder := glob.Literal(p)
			return strings.HasSuffix(folder, "/") && strings.Contains(t.Path+"/", "/"+folder)
		})
}

// isOutput reports whether a file, by its name and by where its links lead, is one that builds and tests write, and
// that git does not track.
func (t Target) isOutput() bool {
	return !t.Unknown && !t.Tracked && t.Link != HardLink && outputName(t.Path) && (t.Real == "" || outputName(t.Real))
}

// Names of outputs: of the folders that hold them, of files by how they end, and of reports by how they begin. Folders
// in which projects keep sources too, such as lib and test, are not among them.
var (
	outputFolders = []string{".cache", ".mypy_cache", ".next", ".nyc_output", ".pytest_cache", ".ruff_cache",
		".terraform", ".tox", ".venv", "__pycache__", "bin", "build", "coverage", "dist", "htmlcov", "node_modules",
		"obj", "out", "playwright-report", "target", "test-results", "tmp", "venv"}
	outputEndings = []string{".a", ".binlog", ".class", ".cov", ".dll", ".dylib", ".exe", ".jar", ".lcov", ".log",
		".o", ".out", ".pprof", ".prof", ".pyc", ".so", ".test", ".tfplan", ".tmp", ".trace", ".trx", ".war", ".wasm",
		".whl"}
	reportEndings = []string{".html", ".json", ".sarif", ".txt", ".xml"}
	reportNames   = []string{"coverage", "cover", "junit", "report", "results", "test-output", "test-report",
		"test-results"}
	// folders that installers fill with programs that are then run by their names: no command writes a file into them
	installFolders = []string{".venv", "node_modules", "venv"}
	temporary      = []string{"/tmp/", "/var/tmp/", "/private/tmp/"}
)

// outputName reports whether a name is that of an output. What git and the clients keep is none, whatever its name.
func outputName(name string) bool {
	if path.IsAbs(name) {
		return slices.ContainsFunc(temporary, func(folder string) bool { return strings.HasPrefix(name, folder) })
	}
	elements := strings.Split(name, "/")
	last := elements[len(elements)-1]
	installed := slices.ContainsFunc(elements[:len(elements)-1], func(e string) bool {
		return slices.Contains(installFolders, e)
	})
	if !strings.HasPrefix(elements[0], "~") && !slices.ContainsFunc(elements, isSetting) && !installed {
		stem := strings.TrimSuffix(last, path.Ext(last))
		return slices.ContainsFunc(elements, func(e string) bool { return slices.Contains(outputFolders, e) }) ||
			slices.Contains(outputEndings, path.Ext(last)) ||
			slices.Contains(reportEndings, path.Ext(last)) && slices.Contains(reportNames, stem)
	}
	return false
}

// isSetting reports whether a part of a path is hidden, and no cache.
func isSetting(element string) bool {
	return strings.HasPrefix(element, ".") && element != "." && element != ".." &&
		!slices.Contains(outputFolders, element)
}

// produces returns what the policy does with a call that produces: it lets it through, unless it says otherwise.
func (p *Policy) produces() Decision {
	if p.Produces == "" {
		return Allow
	}
	return p.Produces
}

// any reports whether a part of the command is of a class.
func (j *judgement) any(class Class) bool {
	return anyPart(j.call.Parts, func(p *Part) bool { return p.classUnder(j.policy) == class })
}

// targets returns all files that the call writes.
func (j *judgement) targets() []Target {
	if j.written == nil {
		j.written = Written(j.call.Targets, j.call.Parts)
	}
	return j.written
}

// without returns the targets that are not of some kind.
func without(targets []Target, are func(Target) bool) (others []Target) {
	for _, t := range targets {
		if !are(t) {
			others = append(others, t)
		}
	}
	return others
}

// sources returns the files that the call writes besides the outputs of what produces.
func (j *judgement) sources() []Target {
	all := slices.Clone(j.call.Targets)
	for i := range j.call.Parts {
		if part := &j.call.Parts[i]; part.classUnder(j.policy) == Writes {
			all = append(all, part.Targets...)
		}
	}
	return all
}

// why returns what in the call makes it of its class.
func (j *judgement) why() string {
	for i := range j.call.Parts {
		part := &j.call.Parts[i]
		if part.classUnder(j.policy) != j.class {
			continue
		}
		if _, why := part.produced(j.policy); why != "" {
			return why
		}
		if part.Why != "" {
			return part.Why
		}
	}
	if j.class == Writes {
		return toolOf(j.call) + " writes files"
	}
	return "whether " + toolOf(j.call) + " writes files is unknown"
}

// orOfLinks says of links among some targets that they are what keeps the call back, and how to be rid of them.
func (r *ruling) orOfLinks(targets []Target) {
	for i := range targets {
		switch t := &targets[i]; t.Link {
		case HardLink:
			r.reason = t.Path + " is a hard link: the file has other names, and what is written goes to all of them"
			r.fix = "rm " + t.Path + " and write the file anew; find . -samefile " + t.Path + " shows the others"
		case SymbolicLink:
			r.reason += "; it is a link, and may lead to any code"
			r.fix = "remove the link with rm " + t.Holds + ", and call again"
		}
	}
}
