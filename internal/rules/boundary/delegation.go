package boundary

import (
	"slices"
	"strings"
)

// The words that tell what agents are for. Those of the last list are no agents to write anything.
var (
	testWords = []string{"test", "tests", "tester", "testing", "coverage", "qa", "spec", "specs", "e2e"}
	docWords  = []string{"doc", "docs", "document", "documents", "documentation", "readme", "writer", "changelog"}
	codeWords = []string{"build", "builder", "code", "coder", "coding", "implement", "implementer", "implementation",
		"bug", "bugs", "fix", "fixer", "refactor", "refactoring", "dev", "developer", "engineer", "frontend", "backend"}
	readWords = []string{"review", "reviewer", "explore", "explorer", "plan", "planner", "research", "researcher",
		"audit", "auditor", "search", "analyst", "critic"}
)

// kind is what a file is, or what an agent is for.
type kind int

const (
	general kind = iota
	code
	tests
	docs
	reading
)

func (k kind) String() string { return [...]string{"", "code", "tests", "docs", "reading"}[k] }

// kindOfAgent returns what an agent is for, by the words of its name and of what the policy says of it.
func kindOfAgent(name, use string) kind {
	words := append(wordsOf(name), wordsOf(use)...)
	has := func(some []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
	}
	switch {
	case has(testWords):
		return tests
	case has(docWords):
		return docs
	case has(readWords):
		return reading
	case has(codeWords):
		return code
	}
	return general
}

// kindOfFiles returns what the first of some files is; general where no file is known.
func kindOfFiles(targets []Target) kind {
	i := slices.IndexFunc(targets, func(t Target) bool { return t.Path != "" })
	if i < 0 {
		return general
	}
	elements := strings.Split(strings.ToLower(targets[i].Path), "/")
	file := elements[len(elements)-1]
	in := func(names ...string) bool {
		return slices.ContainsFunc(elements[:len(elements)-1], func(e string) bool { return slices.Contains(names, e) })
	}
	ends := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(file, e) })
	}
	switch {
	case in("test", "tests", "testdata", "__tests__", "spec", "specs", "e2e"), strings.Contains(file, "_test."),
		strings.Contains(file, ".test."), strings.Contains(file, ".spec."), strings.HasPrefix(file, "test_"):
		return tests
	case in("doc", "docs"), ends(".md", ".mdx", ".rst", ".adoc", ".txt"):
		return docs
	}
	return code
}

// suited is an agent that may write some files, with what it is good for.
type suited struct {
	AgentType
	use  string // as the policy says; "" where it does not
	kind kind
	rank int // the smaller the better
}

// suitedFor returns the agents that exist and may write the files, the best ones for them first. Agents that are there
// to read are left out where there are others.
func (d Delegation) suitedFor(p *Policy, targets []Target) []suited {
	var found []suited
	want := kindOfFiles(targets)
	for _, a := range d.Agents {
		rights, known := p.rightsOf(a.Name)
		if !known || slices.ContainsFunc(targets, func(t Target) bool { return !t.Within(rights.MayWrite) }) {
			continue
		}
		s := suited{AgentType: a}
		if rights.Name == a.Name {
			s.use = rights.For
		}
		s.kind = kindOfAgent(a.Name, s.use)
		s.rank = rankOf(s, want)
		found = append(found, s)
	}
	slices.SortStableFunc(found, func(a, b suited) int { return a.rank - b.rank })
	if n := slices.IndexFunc(found, func(s suited) bool { return s.kind == reading }); n > 0 {
		found = found[:n]
	}
	return found
}

// MayWrite reports whether one of the agents that exist may write all of some files.
func (d Delegation) MayWrite(p *Policy, targets []Target) bool {
	return len(d.suitedFor(p, targets)) > 0
}

// rankOf ranks by what an agent is for, then those first that the policy suggests, then those of the project.
func rankOf(s suited, want kind) int {
	rank := 0
	switch s.kind {
	case want:
	case reading:
		rank = 12
	case general:
		rank = 4
	default:
		rank = 8
	}
	if s.use == "" {
		rank += 2
	}
	if s.BuiltIn {
		rank++
	}
	return rank
}

// inOwnWords returns the lines on the agents to use and the very call to make.
func (d Delegation) inOwnWords(p *Policy, c Call, v Verdict) []string {
	found := d.suitedFor(p, v.Targets)
	if len(found) == 0 {
		return []string{"Action: no agent that exists here may write this; ask the person you work for"}
	}
	const most = 6
	var names []string
	for _, s := range found[:min(most, len(found))] {
		names = append(names, s.Name+s.note())
	}
	return []string{
		"Action: call " + d.Tool + " to have an agent make the change" + unsaid(p, c),
		"Agents: " + strings.Join(names, "; "),
		examplePrefix + d.example(found[0], v.Targets),
	}
}

func (s suited) note() string {
	switch {
	case s.use != "":
		return " (" + s.use + ")"
	case s.kind != general:
		return " (" + s.kind.String() + ")"
	case s.Untyped:
		return " (without a type)"
	}
	return ""
}

// unsaid tells a session, which may be an agent, that its client does not say so.
func unsaid(p *Policy, c Call) string {
	if c.Actor.Kind != Unknown || p.UnknownActor == AsAgent {
		return ""
	}
	return "; if you are an agent, stop and report: " + c.Client +
		" does not tell agents from the main session, and a person can set unknown_actor in the policy"
}

// example returns a call that starts an agent, with its input as JSON.
func (d Delegation) example(s suited, targets []Target) string {
	what := "Change <what>. It is done when <check>"
	if len(targets) > 0 && targets[0].Path != "" {
		const most = 80
		what = "Change " + clip(oneLine(targets[0].Path), most) + ": <what>. It is done when <check>"
	}
	inQuotes := func(text string) string { // control characters do not come here
		return strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`)
	}
	var members []string
	add := func(name, value string) {
		if name != "" {
			members = append(members, `"`+name+`": "`+inQuotes(oneLine(value))+`"`)
		}
	}
	if !s.Untyped {
		add(d.Type, s.Name)
	}
	for _, m := range d.Also {
		add(m.Name, m.Text)
	}
	add(d.Prompt, what)
	return d.Tool + " {" + strings.Join(members, ", ") + "}"
}
