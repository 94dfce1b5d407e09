// Package notice tells the sessions of a project of its boundary: it fills a part of the files with instructions that
// agents read, such as AGENTS.md. It makes no file, and leaves what is not its own as it is.
package notice

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/marked"
)

// Put puts the part into the files that there are and that agents read for themselves, and returns those that changed
// and what is left undone.
func Put(dir folder.Dir) (changed, said []string, err error) {
	text, err := of(dir)
	if err != nil {
		return nil, nil, err
	}
	return edit(dir, func(name, has string) (string, error) {
		inner, err := marked.Guide.Text(name, has)
		if err == nil {
			inner, err = marked.Boundary.Put(name, inner, text)
		}
		if err != nil {
			return "", err
		}
		return marked.Guide.Put(name, has, inner)
	})
}

// Follow brings the part up to date where it is.
func Follow(dir folder.Dir) (changed, said []string, err error) {
	for _, name := range agentclient.InstructionFiles() {
		if f, err := marked.Read(filepath.Join(dir.Root, name)); err == nil && marked.Boundary.Has(f.Text) {
			return Put(dir)
		}
	}
	return nil, nil, nil
}

// Cut takes the part out, and the marks around it where nothing else stands between them.
func Cut(dir folder.Dir) (changed, said []string, err error) {
	return edit(dir, func(name, has string) (string, error) {
		inner, err := marked.Guide.Text(name, has)
		if err != nil || !marked.Boundary.Has(inner) {
			return has, err
		}
		inner, err = marked.Boundary.Cut(name, inner)
		switch {
		case err != nil:
			return "", err
		case strings.TrimSpace(inner) == "":
			return marked.Guide.Cut(name, has)
		}
		return marked.Guide.Put(name, has, inner)
	})
}

// Stale returns the files whose part does not say what holds now.
func Stale(dir folder.Dir) (names []string) {
	text, err := of(dir)
	if err != nil {
		return nil
	}
	for _, name := range agentclient.InstructionFiles() {
		f, err := marked.Read(filepath.Join(dir.Root, name))
		if err != nil || !marked.Boundary.Has(f.Text) {
			continue
		}
		if said, err := marked.Boundary.Text(name, f.Text); err != nil || said != text {
			names = append(names, name)
		}
	}
	return names
}

// edit changes the files that are there. A file that takes over another one is left out, unless it has a part of its
// own; what cannot be changed is said.
func edit(dir folder.Dir, change func(name, has string) (string, error)) (changed, said []string, err error) {
	for _, name := range agentclient.InstructionFiles() {
		f, err := marked.Read(filepath.Join(dir.Root, name))
		switch {
		case err != nil:
			said = append(said, name+": "+Behind(err))
			continue
		case !f.There || takesOver(dir, name, f):
			continue
		case f.Left != "":
			said = append(said, name+" is left as it is, since it is "+f.Left+
				"; sessions are not told there of the boundary")
			continue
		}
		wanted, err := change(name, f.Text)
		if err != nil {
			said = append(said, sentence(err))
			continue
		}
		if wanted == f.Text {
			continue
		}
		if err := f.Write(wanted); err != nil {
			said = append(said, name+": "+Behind(err))
			continue
		}
		changed = append(changed, name)
	}
	return changed, said, nil
}

// takesOver reports whether whoever reads a file reads another one of them: it is a link to that, or it includes the
// first one and has no part of its own.
func takesOver(dir folder.Dir, name string, f marked.File) bool {
	names := agentclient.InstructionFiles()
	if slices.ContainsFunc(names, func(other string) bool { return f.LeadsTo(filepath.Join(dir.Root, other)) }) {
		return true
	}
	first := marked.File{Name: filepath.Join(dir.Root, names[0])}
	return name != names[0] && f.Includes(names[0]) && !first.LeadsTo(f.Name) && !marked.Guide.Has(f.Text)
}

// Behind returns a sentence on what keeps sessions from being told what holds now. The boundary is what it is without
// that.
func Behind(cause error) string {
	return "the section on the boundary is not updated: " + sentence(cause) +
		"; when that is corrected: orchestrator boundary install CLIENT"
}

// sentence returns an error with its remedy.
func sentence(err error) string {
	if f := fault.As(err); f != nil && f.Fix != "" {
		return f.Detail + ": " + f.Fix
	}
	return err.Error()
}

// of returns what is told of the boundary of a project. It is what the policy says: the files are shared as the policy
// is, and have to say the same on every machine.
func of(dir folder.Dir) (string, error) {
	p, err := dir.Written()
	if err != nil {
		return "", err
	}
	since, err := p.Since()
	if err != nil {
		return "", err
	}
	var clients []*agentclient.Client
	for _, c := range agentclient.All() {
		if found, err := settings.Registered(c.Name, settings.Options{Root: dir.Root}); err == nil && len(found) > 0 {
			clients = append(clients, c)
		}
	}
	return Text(p.Mode, since, clients), nil
}

// rules says of each mode what becomes of a call against the rule.
var rules = map[boundary.Mode]string{
	boundary.Off:      "The boundary is off%s: nothing is judged.",
	boundary.Validate: "In force%s as a trial: a call against this rule is recorded and let through with a warning.",
	boundary.Enforce: "In force%s: a call against this rule is blocked before the tool runs, and the answer says " +
		"what to do instead.",
	boundary.Confirm: "In force%s: a call against this rule is the person's to allow where the client can ask, and " +
		"is blocked elsewhere.",
}

// Text returns what sessions are told: the rule, since when it is in force, how to delegate in the words of each
// client, and the way out. It quotes nothing of the project.
func Text(mode boundary.Mode, since time.Time, clients []*agentclient.Client) string {
	rule, known := rules[mode]
	if !known {
		rule = "In force%s, mode " + string(mode) + "."
	}
	when := ""
	if !since.IsZero() {
		when = " since " + since.UTC().Format(time.DateOnly)
	}
	lines := []string{"## The boundary", "",
		"The main session of an agent client reads, asks and delegates here; agents change files.",
		strings.Replace(rule, "%s", when, 1), ""}
	for _, c := range clients {
		if d := c.Delegates; d.Tool != "" {
			lines = append(lines, "- To delegate in "+c.Name+", call "+call(d)+".")
		}
	}
	lines = append(lines,
		"- Do what a block says instead; do not look for a way around it.",
		"- In an emergency a person lifts the boundary: `orchestrator boundary bypass --reason TEXT --for 30m`.",
		"  Each call that it lets through says so, and is on record.",
		"- `orchestrator boundary status` says what holds now.")
	return strings.Join(lines, "\n") + "\n"
}

// call describes the call that starts an agent.
func call(d agentclient.Delegates) string {
	names := []string{d.Type}
	for _, also := range d.Also {
		names = append(names, also.Name)
	}
	var members []string
	for _, name := range append(names, d.Prompt) {
		if name != "" {
			members = append(members, "`"+name+"`")
		}
	}
	if len(members) == 0 {
		return "`" + d.Tool + "`"
	}
	last := len(members) - 1
	words := strings.Join(members[:last], ", ")
	if words != "" {
		words += " and "
	}
	return "`" + d.Tool + "` with " + words + members[last]
}
