package boundary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

// Policy is what a project allows whom. It is kept as JSON; schemas/boundary_policy.schema.json has its shape.
//
// Patterns of paths are relative to the root of the project, or absolute; those of ExemptPaths may begin with ~/, the
// user's folder. * and ? stand for anything in one element, ** for any number of elements. Patterns of tools and of
// agents have * and ? alone.
type Policy struct {
	SchemaVersion   int        `json:"schema_version"`
	Mode            Mode       `json:"mode"`
	ModeSince       string     `json:"mode_since,omitempty"` // the date of the switch to it; "" is unknown
	PathModes       []PathMode `json:"path_modes"`           // modes of some files; the first that matches counts
	BlockedTools    []string   `json:"blocked_tools"`        // write files: not for a main session
	AllowedTools    []string   `json:"allowed_tools"`        // write nothing
	DelegateTools   []string   `json:"delegate_tools"`       // start an agent
	ReadingCommands []string   `json:"reading_commands"`     // beginnings of shell commands that are to count as reading
	ExemptPaths     []string   `json:"exempt_paths"`         // what a main session may write, too
	ProtectedPaths  []string   `json:"protected_paths"`      // what nobody may write, besides the boundary's own files
	Agents          []Rights   `json:"agents"`               // the first whose name matches an agent's type has its rights
	UnknownActor    ActorRule  `json:"unknown_actor"`
	Ambiguous       Decision   `json:"ambiguous"` // block, ask or allow
	Produces        Decision   `json:"produces"`  // the same: builds, tests, installs and commits of a main session
	Bypass          BypassRule `json:"bypass"`
	Thresholds      Thresholds `json:"thresholds"`
}

// Rights are what agents of one type may write, and what a main session is told to use them for.
type Rights struct {
	Name     string   `json:"name"`
	For      string   `json:"for,omitempty"` // "" is never suggested
	MayWrite []string `json:"may_write"`
}

// ActorRule is what is made of a call of which the client does not say who makes it.
type ActorRule string

// The rules for unknown actors.
const (
	AsMain  ActorRule = "main"  // as a main session's
	AsAgent ActorRule = "agent" // as an agent's without a type
	AskWho  ActorRule = "ask"   // the person at the client decides on whatever a main session may not do
)

// BypassRule says which bypasses count.
type BypassRule struct {
	Environment bool `json:"environment"` // whether the environment variable does
}

// Thresholds are the figures at which enforcement may begin, and those at which it should end. Rates are between 0 and
// 1.
type Thresholds struct {
	ValidateDays   float64 `json:"validate_days"`   // at least so long in validate
	ToolUses       int     `json:"tool_uses"`       // at least so many
	Accuracy       float64 `json:"accuracy"`        // of labelled decisions, more than so many are correct
	Labelled       int     `json:"labelled"`        // at least so many decisions have a label
	Misidentified  float64 `json:"misidentified"`   // a red flag: more false positives among the labelled
	HookErrors     float64 `json:"hook_errors"`     // at most so many of all runs failed
	BypassRollback float64 `json:"bypass_rollback"` // sessions with a bypass: above it, roll back
	BypassReview   float64 `json:"bypass_review"`   // above it, review the boundary itself
	RateDays       int     `json:"rate_days"`       // rates count the last so many days; 0 counts all
}

// Permissions returns what a policy may say of what is neither a write nor harmless.
func Permissions() []Decision { return []Decision{Allow, Ask, Block} }

// DefaultPolicy returns the policy of a project that has just been set up.
func DefaultPolicy() Policy {
	return Policy{
		SchemaVersion: 1,
		Mode:          Validate,
		PathModes:     []PathMode{},
		BlockedTools:  []string{"Edit", "Write", "MultiEdit", "NotebookEdit", "Delete"},
		AllowedTools: []string{
			"Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoRead", "TodoWrite",
			"AskUserQuestion", "ToolSearch",
			"BashOutput", "TaskOutput", "TaskStop", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "KillShell",
			"EnterPlanMode", "ExitPlanMode", "Skill", "SlashCommand",
			"ListMcpResourcesTool", "ReadMcpResourceTool",
		},
		DelegateTools:   []string{"Task", "Agent"},
		ReadingCommands: []string{},
		ExemptPaths:     []string{".claude/plans/**", "scratch/**"},
		ProtectedPaths:  []string{},
		Agents: []Rights{
			{Name: "modular-builder", For: "code implementation and module creation", MayWrite: []string{"**"}},
			{Name: "bug-hunter", For: "bug diagnosis and fix implementation", MayWrite: []string{"**"}},
			{Name: "test-coverage", For: "test creation and coverage", MayWrite: []string{"**"}},
			{Name: "refactor-architect", For: "code refactoring", MayWrite: []string{"**"}},
			{Name: "*", MayWrite: []string{"**"}},
		},
		UnknownActor: AsMain,
		Ambiguous:    Block,
		Produces:     Allow,
		Bypass:       BypassRule{Environment: true},
		Thresholds:   DefaultThresholds(),
	}
}

// DefaultThresholds returns the thresholds of the specification.
func DefaultThresholds() Thresholds {
	return Thresholds{
		ValidateDays: 14, ToolUses: 50, Accuracy: 0.95, Labelled: 20, Misidentified: 0.05, HookErrors: 0.01,
		BypassRollback: 0.10, BypassReview: 0.25,
		RateDays: 30,
	}
}

// Since returns the day since when the mode is in force; the zero time where the policy does not say it.
func (p *Policy) Since() (time.Time, error) {
	if p.ModeSince == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, p.ModeSince)
}

// Check returns everything that is wrong with a policy, or nil.
func (p *Policy) Check() error {
	var fields []fault.Field
	wrong := func(pointer, fix, format string, args ...any) {
		fields = append(fields, fault.Field{Pointer: pointer, Code: "invalid_policy",
			Detail: fmt.Sprintf(format, args...), Fix: fix})
	}
	if p.SchemaVersion != 1 {
		wrong("/schema_version", "write 1", "there is no version %d of the policy", p.SchemaVersion)
	}
	if !slices.Contains(Modes(), p.Mode) {
		wrong("/mode", "write off, validate, confirm or enforce", "there is no mode %q", p.Mode)
	}
	if _, err := p.Since(); err != nil {
		wrong("/mode_since", "write a date, as in 2026-03-04, or leave it out", "%q is no date", p.ModeSince)
	}
	if !slices.Contains([]ActorRule{AsMain, AsAgent, AskWho}, p.UnknownActor) {
		wrong("/unknown_actor", "write main, agent or ask", "there is no rule %q for unknown actors", p.UnknownActor)
	}
	if !slices.Contains(Permissions(), p.Ambiguous) {
		wrong("/ambiguous", "write block, ask or allow", "%q is no decision on ambiguous calls", p.Ambiguous)
	}
	p.checkPathModes(wrong)
	if p.Produces != "" && !slices.Contains(Permissions(), p.Produces) {
		wrong("/produces", "write allow, ask or block", "%q is no decision on calls that produce", p.Produces)
	}
	p.checkPatterns(wrong)
	p.Thresholds.check(wrong)
	if len(fields) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "invalid_policy", "the policy of the boundary is not valid: %s: %s",
		fields[0].Pointer, fields[0].Detail).
		WithFix("mend what errors names; schemas/boundary_policy.schema.json has the shape").WithFields(fields...)
}

func (p *Policy) checkPathModes(wrong func(pointer, fix, format string, args ...any)) {
	for i, m := range p.PathModes {
		if m.Mode == Off || !slices.Contains(Modes(), m.Mode) {
			wrong(fmt.Sprintf("/path_modes/%d/mode", i), "write validate, confirm or enforce",
				"%q is no mode of paths", m.Mode)
		}
		if len(m.Paths) == 0 {
			wrong(fmt.Sprintf("/path_modes/%d/paths", i), "name the files", "paths is empty")
		}
	}
}

func (p *Policy) checkPatterns(wrong func(pointer, fix, format string, args ...any)) {
	if p.patternsAreSound() {
		return // a hook reads the policy with every call, and need not make up where each pattern stands
	}
	paths := map[string][]string{"/exempt_paths": p.ExemptPaths, "/protected_paths": p.ProtectedPaths}
	for i, m := range p.PathModes {
		paths[fmt.Sprintf("/path_modes/%d/paths", i)] = m.Paths
	}
	for i, a := range p.Agents {
		paths[fmt.Sprintf("/agents/%d/may_write", i)] = a.MayWrite
		if badName(a.Name) {
			wrong(fmt.Sprintf("/agents/%d/name", i), "write the type of the agent, or a pattern",
				"%q names no agents", a.Name)
		}
	}
	for _, pointer := range sortedKeys(paths) {
		for i, pattern := range paths[pointer] {
			if badPath(pattern) {
				wrong(fmt.Sprintf("%s/%d", pointer, i),
					`write a path relative to the project, with *, ? and ** where anything may stand`,
					"%q is no pattern of paths", pattern)
			}
		}
	}
	tools := map[string][]string{"/blocked_tools": p.BlockedTools, "/allowed_tools": p.AllowedTools,
		"/delegate_tools": p.DelegateTools}
	for _, pointer := range sortedKeys(tools) {
		for i, pattern := range tools[pointer] {
			if badName(pattern) {
				wrong(fmt.Sprintf("%s/%d", pointer, i), "write the name of a tool, with * where anything may stand",
					"%q is no pattern of tools", pattern)
			}
		}
	}
	for i, command := range p.ReadingCommands {
		if blank(command) {
			wrong(fmt.Sprintf("/reading_commands/%d", i), "write the program and its first words, as in go test",
				"it is empty")
		}
	}
}

// patternsAreSound reports whether checkPatterns finds nothing.
func (p *Policy) patternsAreSound() bool {
	bad := slices.ContainsFunc(p.ExemptPaths, badPath) || slices.ContainsFunc(p.ProtectedPaths, badPath) ||
		slices.ContainsFunc(p.BlockedTools, badName) || slices.ContainsFunc(p.AllowedTools, badName) ||
		slices.ContainsFunc(p.DelegateTools, badName) || slices.ContainsFunc(p.ReadingCommands, blank)
	for _, m := range p.PathModes {
		bad = bad || slices.ContainsFunc(m.Paths, badPath)
	}
	for _, a := range p.Agents {
		bad = bad || badName(a.Name) || slices.ContainsFunc(a.MayWrite, badPath)
	}
	return !bad
}

func badName(pattern string) bool { return pattern == "" || badPattern(pattern) }

func badPath(pattern string) bool {
	return badName(pattern) || strings.Contains("/"+pattern+"/", "/../")
}

func blank(command string) bool { return strings.TrimSpace(command) == "" }

func (t Thresholds) check(wrong func(pointer, fix, format string, args ...any)) {
	rates := []struct {
		name  string
		value float64
	}{
		{"accuracy", t.Accuracy}, {"misidentified", t.Misidentified}, {"hook_errors", t.HookErrors},
		{"bypass_rollback", t.BypassRollback}, {"bypass_review", t.BypassReview},
	}
	for _, r := range rates {
		if !(r.value >= 0 && r.value <= 1) {
			wrong("/thresholds/"+r.name, "write a rate between 0 and 1, as in 0.05", "%v is no rate", r.value)
		}
	}
	if !(t.ValidateDays >= 0) || t.ToolUses < 0 || t.Labelled < 0 || t.RateDays < 0 || t.RateDays > 36_500 {
		wrong("/thresholds", "write numbers that are not negative; rate_days is at most 36500",
			"validate_days, tool_uses, labelled or rate_days is out of range")
	}
}

// rightsOf returns the rights of agents of a type; false when the policy has none for it.
func (p *Policy) rightsOf(agentType string) (Rights, bool) {
	for _, r := range p.Agents {
		if matchName(r.Name, agentType) {
			return r, true
		}
	}
	return Rights{}, false
}
