package project

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/lazyregexp"
)

// steering is by what people say what is required, and how the service and its agents work: the requirement documents,
// the settings, the data folder, the programs of agents, and what the boundary protects. An agent that could change it
// could give itself another role. The export is of it as well: a start holds the tables against that.
type steering struct {
	root     string // the top of the working tree
	project  string
	data     datadir.Dir
	docs     documents.Set
	cited    func(path string) string
	programs []string // of agents, with their whole paths
	exports  []string // what the service writes into the working tree, by their paths from its top
}

func (p *Plan) steering(docs documents.Set, repository *evidence.Repository) steering {
	s := steering{root: repository.Root(), project: rooted(p.dir().Project()),
		data: datadir.Dir(rooted(string(p.dir()))),
		docs: docs, cited: citedFrom(repository), exports: p.exports(repository.Root())}
	for _, c := range p.contracts.Contracts() {
		if program := programOf(c, s.project); program != "" {
			s.programs = append(s.programs, program)
		}
	}
	return s
}

// interpreter matches the programs that are given what they run.
var interpreter = lazyregexp.New(
	`^(env|(ba|da|k|z|fi)?sh|(python|pypy|lua)[0-9.]*|node|bun|deno|ruby|perl|php|pwsh)$`)

// programOf returns the file of the project that an agent is, or that an interpreter runs for it; "" where that is
// none.
func programOf(c planning.Contract, project string) string {
	argv := c.Implementation.Argv
	if c.Role == "" || len(argv) == 0 {
		return ""
	}
	if !filepath.IsAbs(argv[0]) && strings.Contains(argv[0], "/") {
		return filepath.Join(project, argv[0])
	}
	if !interpreter().MatchString(filepath.Base(argv[0])) {
		return argv[0] // where it is in the project by its whole path
	}
	for _, arg := range argv[1:] {
		file := arg
		if !filepath.IsAbs(file) {
			file = filepath.Join(project, c.Implementation.Dir, file)
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// watched returns what of it is compared in the project itself. What the service writes at work is not among it.
func (s steering) watched(ctx context.Context) []string {
	own := folder.In(s.project)
	all := []string{s.data.Tools(), s.data.Prompts(), s.data.TokenDir(), s.data.Tokens(), s.data.Key(),
		s.data.PublicKey(),
		s.data.Webhooks(), s.data.Address(), s.data.File(config.LocalFile), filepath.Join(s.project, config.TreeFile)}
	for _, name := range []string{"policy.json", "enforcing", "grants.json"} {
		all = append(all, filepath.Join(own.Path(), name))
	}
	if g := folder.GuardOf(own); g != nil {
		all = append(all, g.Files()...)
	}
	found, _ := s.docs.Find(ctx) // what cannot be read now is found to have changed
	for _, d := range found {
		all = append(all, rooted(d.Path))
	}
	for _, program := range s.programs {
		if _, inside := s.inside(program); inside {
			all = append(all, program)
		}
	}
	return all
}

// among returns those of some files, by their paths from the top of the working tree.
func (s steering) among(ctx context.Context, files []string) []string {
	guard := folder.GuardOf(folder.In(s.project))
	own, patterns := s.places(), s.documents(ctx)
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		switch {
		case makesProject(file), slices.ContainsFunc(own, func(place string) bool { return within(place, file) }),
			slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, file) }):
			return false
		case guard == nil:
			return true
		}
		inside, err := filepath.Rel(s.project, filepath.Join(s.root, file))
		return !guard.Protects(file) && (err != nil || !guard.Protects(filepath.ToSlash(inside)))
	})
}

// places returns the files and folders of it that no name betrays, by their paths from the top, and by where links
// lead.
func (s steering) places() (places []string) {
	for _, place := range append([]string{string(s.data), s.data.Tools(), s.data.Prompts(), s.data.TokenDir()},
		s.programs...) {
		for _, named := range []string{place, rooted(place)} {
			if inside, is := s.inside(named); is {
				places = append(places, inside)
			}
		}
	}
	return append(places, s.exports...)
}

// documents returns the requirement documents, and patterns of those that would be some.
func (s steering) documents(ctx context.Context) (patterns []string) {
	for _, p := range s.docs.Watched() {
		given := filepath.Clean(p.Given)
		if !filepath.IsAbs(given) {
			given = filepath.Join(rooted("."), given)
		}
		if inside, is := s.inside(given); is {
			patterns = append(patterns, inside)
		}
	}
	found, _ := s.docs.Find(context.WithoutCancel(ctx)) // by a link, one may lie elsewhere
	for _, d := range found {
		patterns = append(patterns, boundary.Literal(s.cited(d.Path)))
	}
	return patterns
}

// inside returns a path from the top of the working tree, if it lies below that.
func (s steering) inside(file string) (string, bool) {
	inside, err := filepath.Rel(s.root, file)
	return filepath.ToSlash(inside), err == nil && inside != "." && filepath.IsLocal(inside)
}

// makesProject reports whether a file is of those that make a folder a project of the service, anywhere. Letters are
// compared without case: there are file systems that do.
func makesProject(file string) bool {
	elements := strings.Split(strings.ToLower(file), "/")
	return slices.Contains(elements, datadir.Default) || elements[len(elements)-1] == config.TreeFile
}

// within reports whether a file is a place, lies in it, or takes the place of a folder above it.
func within(place, file string) bool {
	return file == place || strings.HasPrefix(file, place+"/") || strings.HasPrefix(place, file+"/")
}

// matches reports whether a file may be a document by a pattern, or by the name that the pattern is.
func matches(pattern, file string) bool {
	is, _ := path.Match(pattern, file) // what is no pattern is a name
	return is || pattern == file
}
