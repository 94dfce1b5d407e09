package hook

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/boundary/shell/toolchain"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// The tools that run a shell command.
const (
	toolBash       = "Bash"
	toolPowerShell = "PowerShell"
)

// callOf returns an event as the rules want it: with what its shell command does, and with every path resolved.
func callOf(e agentclient.Event, r resolver, at time.Time) boundary.Call {
	c := boundary.Call{
		At: at, Client: e.Client, Session: fault.Clip(e.Session, maxName), Tool: fault.Clip(e.Tool, maxName),
		Actor: boundary.Actor{Kind: e.Actor.Kind, ID: fault.Clip(e.Actor.ID, maxName),
			Type: fault.Clip(e.Actor.Type, maxName)},
		OwnTool: ownTool(e), Puts: e.Puts,
	}
	for _, p := range e.Paths {
		c.Targets = append(c.Targets, r.readings(p, true)...)
	}
	for _, t := range c.Targets {
		if token, is := r.tokenIn("", t); is {
			c.Targets = append(c.Targets, token)
		}
	}
	if client, known := agentclient.Named(e.Client); known {
		c.Notes = r.notes(client, e, c.Targets)
	}
	reading, isShell := readingOf(e), e.Tool == toolBash || e.Tool == toolPowerShell
	if e.Skill != "" {
		reading, isShell = r.skill(e)
	}
	if !isShell {
		c.Homes = r.homes(c.Targets)
		return c
	}
	if e.Interactive {
		reading.Parts = typedInto(reading)
	}
	c.IsShell, c.Text, c.Reads = true, reading.Text, r.secrets(reading.Shown)
	c.Parts = make([]boundary.Part, 0, len(reading.Parts))
	for _, p := range reading.Parts {
		part := boundary.Part{Words: p.Words, Class: boundary.Class(p.Class), Why: p.Why, Foreign: p.Unknown}
		if p.Class == shell.Writes {
			part.All = p.All()
		}
		part.Targets, part.Runs = r.partTargets(p), r.running(p)
		if r.isLog(p, part.Targets) {
			part.Class = boundary.Produces
		}
		c.Parts = append(c.Parts, part)
	}
	r.placed(reading.Parts, c.Parts)
	r.outputs(c.Parts)
	c.Homes = r.homes(boundary.Written(c.Targets, c.Parts))
	return c
}

// ownTool returns the client's own name of the tool where it differs from the one that all clients share.
func ownTool(e agentclient.Event) string {
	if e.OwnTool == e.Tool {
		return ""
	}
	return fault.Clip(e.OwnTool, maxName)
}

// readingOf reads the command of a shell. Of PowerShell nothing is known but the words.
func readingOf(e agentclient.Event) shell.Reading {
	switch e.Tool {
	case toolPowerShell:
		return shell.Unread(e.Command, "what a command of PowerShell does cannot be told")
	case toolBash:
		return shell.Bash(e.Command)
	}
	return shell.Reading{}
}

// typedInto returns the parts of a command that the session may be able to type into while it runs, and no hook is
// called for what it types: a pager or an editor is ambiguous then, and no policy vouches for one.
func typedInto(reading shell.Reading) []shell.Part {
	words := strings.Split(reading.Text, "\n")
	for i, p := range reading.Parts {
		if len(p.Words) > 0 && p.Class != shell.Writes && toolchain.Typed(p.Words, p.All(), words) {
			reading.Parts[i] = shell.Part{Words: p.Words, Class: shell.Ambiguous,
				Why: "the session can type into " + p.Words[0] + ", which may run what is typed"}
		}
	}
	return reading.Parts
}

// mostFollowed is how many words of one command are followed to where their links lead.
const mostFollowed = 200

// secrets returns those of the files that a command may show which are secrets of the service, or the whole project.
func (r resolver) secrets(files []shell.Target) (all []boundary.Target) {
	for i, f := range files {
		if f.Path == "" {
			continue
		}
		for _, t := range r.readings(f.Path, f.Known && i < mostFollowed) {
			if token, is := r.tokenIn(f.Path, t); is {
				all = append(all, token)
				continue
			}
			if f.Tree && r.holdsProject(t) {
				t = boundary.Target{Path: "."}
			}
			if t.Secret() || t.Path == "." && f.Known {
				all = append(all, t)
			}
		}
	}
	return all
}

// holdsProject reports whether a folder is the project, or one above it.
func (r resolver) holdsProject(t boundary.Target) bool {
	return slices.ContainsFunc([]string{t.Path, t.Real}, func(dir string) bool {
		above := strings.HasPrefix(dir, "/")
		prefix := strings.TrimSuffix(dir, "/") + "/"
		return dir == "." || above && (strings.HasPrefix(r.root, prefix) || strings.HasPrefix(r.realRoot, prefix))
	})
}

// running returns where the code lies that a part of a command runs. Of a folder in which code is looked for, it says
// what a main session may have written there; of one that only settings are read from, nothing unless it did.
func (r resolver) running(p shell.Part) (all []boundary.Target) {
	for _, code := range p.Runs {
		for _, t := range r.readings(code.Path, code.Known) {
			switch {
			case p.Class == shell.Reads && t.Unknown:
				r.held(&t, boundary.Target{Path: "."}, func(name string) bool { return !isRepository(name) })
			case p.Class == shell.Produces && code.Tree && !t.Unknown:
				r.held(&t, t, isText)
			}
			if p.Class == shell.Produces || t.Holds != "" || r.isExempt(t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// isLog reports whether a redirection or tee writes nothing but logs, outside of the folders where a main session may
// write anyway: they are outputs, unless git tracks them.
func (r resolver) isLog(p shell.Part, targets []boundary.Target) bool {
	if p.Class != shell.Writes || len(p.Words) > 0 && p.Words[0] != "tee" {
		return false
	}
	return !slices.ContainsFunc(targets, func(t boundary.Target) bool {
		return t.Unknown || path.Ext(t.Path) != ".log" || r.isExempt(t)
	})
}

// isExempt reports whether a folder lies in an exempt one.
func (r resolver) isExempt(t boundary.Target) bool {
	return slices.ContainsFunc(r.exempt, func(dir string) bool {
		return isOrBelow(t.Path, dir) || t.Real != "" && isOrBelow(t.Real, dir)
	})
}

// resolver makes paths those of a project. In the exempt folders a main session may write.
type resolver struct {
	root, realRoot, cwd, processCwd, home string
	exempt                                []string
	tokens                                tokens
	links                                 *links
}

func newResolver(root, cwd, processCwd, home string) resolver {
	l := &links{}
	return resolver{root: root, realRoot: l.real(root), cwd: cwd, processCwd: processCwd, home: home, links: l}
}

// under returns the resolver with the exempt folders of a policy.
func (r resolver) under(policy *boundary.Policy) resolver {
	r.exempt = policy.ExemptFolders()
	return r
}

func (r resolver) targets(files []shell.Target) (all []boundary.Target) {
	for _, f := range files {
		all = append(all, r.readings(f.Path, f.Known)...)
	}
	return all
}

// readings returns what a path may lead to. The system goes up from where a link leads, and a client or a shell that
// shortens the path first goes up from the link: where the two differ, both count.
func (r resolver) readings(given string, known bool) []boundary.Target {
	first := r.target(given, known)
	if !strings.Contains(given, "..") && !strings.Contains(r.cwd, "..") || given == "" && !known {
		return []boundary.Target{first}
	}
	name, _ := r.place(r.links.real(r.uncut(given)))
	if name == first.Real || name == first.Path && !known {
		return []boundary.Target{first}
	}
	second := boundary.Target{Path: name, Real: name, Unknown: !known}
	if !known {
		second.Real = ""
	}
	return []boundary.Target{first, second}
}

// target returns a path relative to the root where it lies in it, and where its links lead.
func (r resolver) target(given string, known bool) boundary.Target {
	if !known {
		if given == "" {
			return boundary.Target{Unknown: true}
		}
		unfinished := strings.HasSuffix(given, "/")
		p, _ := r.place(r.absolute(given))
		if unfinished && p != "." {
			p += "/"
		}
		return boundary.Target{Path: p, Unknown: true}
	}
	abs := r.absolute(given)
	p, inside := r.place(abs)
	real, realInside := r.place(r.links.real(abs))
	if !inside && realInside {
		p = real // the project has another name there
	}
	return boundary.Target{Path: p, Real: real}
}

// absolute returns a path as it is after its text alone is shortened, uncut one with all its dots.
func (r resolver) absolute(given string) string { return filepath.Clean(r.uncut(given)) }

func (r resolver) uncut(given string) string {
	if rest, isHome := strings.CutPrefix(given, "~"); isHome && r.home != "" && (rest == "" || rest[0] == '/') {
		given = r.home + rest
	}
	if filepath.IsAbs(given) {
		return given
	}
	cwd := r.cwd
	if !filepath.IsAbs(cwd) {
		cwd = r.processCwd + "/" + cwd
	}
	return cwd + "/" + given
}

// place returns a clean path as policies name it: relative to the root, by whichever name that has, or absolute.
func (r resolver) place(abs string) (string, bool) {
	for _, root := range []string{r.root, r.realRoot} {
		if below, inside := strings.CutPrefix(abs, strings.TrimSuffix(root, "/")); abs == root {
			return ".", true
		} else if inside && strings.HasPrefix(below, "/") {
			return below[1:], true
		}
	}
	return filepath.ToSlash(abs), false
}

// guarded returns what no session may change besides the boundary's own files.
func (r resolver) guarded(executable string) boundary.Guarded {
	g := agentclient.GuardedInProject()
	g.Paths = append(g.Paths, r.outsideProject(executable)...)
	return g
}

// outsideProject returns the files to guard that lie elsewhere: the programs that hooks run, and what the user's folder
// has of settings.
func (r resolver) outsideProject(executable string) []string {
	var all []string
	add := func(p string) {
		name, _ := r.place(filepath.Clean(p))
		all = append(all, boundary.Literal(name))
	}
	if executable != "" {
		add(executable)
		add(r.links.real(executable))
		for _, name := range []string{whole, small} {
			for _, path := range beside(r.links, executable, name) {
				add(path)
			}
		}
	}
	for _, name := range r.tokens.files {
		all = append(all, boundary.Literal(name))
	}
	if r.home != "" {
		for _, p := range slices.Concat(personalFiles, agentclient.PersonalFiles()) {
			dir, isTree := strings.CutSuffix(p, "/**")
			add(filepath.Join(r.home, dir))
			if isTree {
				all[len(all)-1] += "/**"
			}
		}
	}
	return all
}

// personalFiles set the environment that a client is started with. The last is the mark of an enforcing project, where
// the user's folder is one.
var personalFiles = []string{".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile",
	".config/fish/config.fish", ".git/orchestrator-enforcing"}

// The most bytes that a journal keeps of names that a client gives.
const (
	maxName = 200
	maxWhy  = 300
)

// lineOf begins a line about an event.
func lineOf(id, kind string, e agentclient.Event, at time.Time) folder.Line {
	return folder.Line{
		ID: id, At: at.UTC().Truncate(time.Microsecond), Kind: kind, Client: e.Client, Version: fault.Clip(e.Version,
			maxName), Session: fault.Clip(e.Session, maxName),
		ToolUseID: fault.Clip(e.ToolUseID, maxName), Tool: fault.Clip(e.Tool, maxName),
		Actor: &boundary.Actor{Kind: e.Actor.Kind, ID: fault.Clip(e.Actor.ID, maxName),
			Type: fault.Clip(e.Actor.Type, maxName)},
		OwnTool: ownTool(e),
	}
}

// decisionLine returns what the journal keeps of a decision: enough to judge it again, and not the text of commands or
// files.
func decisionLine(id string, e agentclient.Event, c boundary.Call, mode boundary.Mode, v boundary.Verdict,
	took time.Duration) folder.Line {
	l := lineOf(id, folder.KindDecision, e, c.At)
	v.Steps, v.Targets, v.Fix, v.Reason = nil, nil, "", fault.Clip(v.Reason, maxWhy)
	l.Mode, l.Shell, l.Named, l.Parts, l.Reads = mode, c.IsShell, c.Targets, named(c.Parts), c.Reads
	l.Verdict, l.Micros = &v, took.Microseconds()
	l.Guarded = strings.HasPrefix(v.Rule, "protected.")
	l.Puts, l.Notes, l.Homes = c.Puts, c.Notes, c.Homes
	return l
}

// named returns what a command does with no more of its words than name it: arguments may hold secrets.
func named(parts []boundary.Part) []boundary.Part {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if n := slices.IndexFunc(p.Words, func(w string) bool { return !plain(w) }); n >= 0 {
			parts[i].Words = p.Words[:n]
		}
	}
	return parts
}

// plain reports whether a word is one that names a program or a subcommand.
func plain(word string) bool {
	const most = 24
	odd := strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_:.+", r)
	})
	return word != "" && len(word) <= most && odd < 0
}
