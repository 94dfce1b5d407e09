package boundary

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/rules/boundary/mention"
)

// The rules, as verdicts name them, in the order in which they are looked at. The first that matches decides.
const (
	RuleOff        = "mode.off"           // nothing is judged
	RuleCommand    = "protected.command"  // a command of this program that changes the boundary
	RuleProtected  = "protected.path"     // a write to the boundary's own files
	RuleMention    = "protected.mention"  // a command that may write and names the boundary's own files
	RuleDelegates  = "tool.delegates"     // it starts an agent
	RuleReads      = "tool.reads"         // it changes no file
	RuleOwn        = "own.command"        // a command of this program that is a person's, or that nobody knows
	RuleAgent      = "agent.rights"       // an agent within its rights
	RuleAgentWrite = "agent.outside"      // an agent that writes what its type may not
	RuleAgentNone  = "agent.unnamed"      // an agent of a type that the policy does not know
	RuleUnknown    = "actor.unknown"      // nobody says who it is, and the policy takes it for an agent
	RuleNotes      = "client.notes"       // a main session writes a plan, or what the client remembers
	RuleExempt     = "path.exempt"        // a main session may write there
	RuleWrites     = "main.writes"        // a main session changes a file
	RuleProduces   = "main.produces"      // a main session builds, tests, installs or commits
	RuleAmbiguous  = "main.ambiguous"     // a main session, and it cannot be told whether files change
	RuleAccepted   = "ambiguous.accepted" // the same, and the policy lets it through
)

// own is what nobody may change, whatever a policy says: the files of the boundary and of the service, and the settings
// of the project; in folders below as well, where they would make another project. The tools and prompts of a project,
// in folders below the data folder, are its own. Of a command that may write the text is looked through as well, for
// fewer names, since source code has those of files too.
var own = Guarded{
	Paths: []string{
		".orchestrator/boundary/**", "**/.orchestrator/boundary/**", ".git/orchestrator-enforcing",
		".orchestrator/*", ".orchestrator/tokens/**", ".orchestrator/webhooks/**", "orchestrator.yaml",
		"**/.orchestrator", "**/.orchestrator/*", "**/.orchestrator/tokens/**", "**/.orchestrator/webhooks/**",
		"**/orchestrator.yaml",
	},
	Mentions: []string{
		".orchestrator/boundary", ".orchestrator/settings.yaml", "orchestrator-enforcing",
		"/boundary/mode", "/boundary/attestations", bypassVariable,
	},
}

// verbs are the commands of orchestrator boundary that change it, or exercise it; they are a person's, at a terminal of
// their own.
var verbs = []string{"bypass", "mode", "rollback", "label", "install", "uninstall", "import", "drill", "doctor",
	"attest", "reviewed", "recovery"}

// program is what all commands of this program begin with.
const program = "orchestrator"

// commands are the beginnings of other commands that change the boundary, tokens or settings.
var commands = [][]string{
	{program, "hook"}, {"orchestrator-hook"}, {program, "token", "add"}, {program, "token", "revoke"},
	{program, "webhook", "add"}, {program, "webhook", "remove"},
	{program, "config", "set"}, {program, "config", "unset"}, {program, "restore"}, {program, "compact"},
}

// changes reports whether the words of a command are those of one that changes the boundary.
func changes(words []string) bool {
	if len(words) == 0 || !strings.HasPrefix(words[0], program) {
		return false // nearly every command, which is told apart at once
	}
	return beginsWith(words, []string{program, "boundary"}) && len(words) > 2 && slices.Contains(verbs, words[2]) ||
		slices.ContainsFunc(commands, func(c []string) bool { return beginsWith(words, c) })
}

// Judge decides on a call. It is a function of its arguments alone.
func Judge(p *Policy, c Call) Verdict { return judge(p, c, false) }

// Explain judges as Judge does, and lists every rule that was looked at, in order.
func Explain(p *Policy, c Call) Verdict { return judge(p, c, true) }

func judge(p *Policy, c Call, explain bool) Verdict {
	j := &judgement{policy: p, call: c, class: classOf(p, &c), explain: explain}
	v := j.decide()
	v.Class, v.Steps = j.class, j.steps
	return v
}

// ruling is what one rule says of a call that it matches.
type ruling struct {
	rule        string
	would       Decision
	targets     []Target
	reason, fix string
}

type judgement struct {
	policy *Policy
	call   Call
	class  Class

	written []Target // once targets has been asked for; not to be changed

	explain bool
	steps   []Step
}

func (j *judgement) decide() Verdict {
	if j.sawWords(RuleOff, j.policy.Mode == Off, "the mode is %s", string(j.policy.Mode)) {
		return Verdict{Decision: Allow, Would: Allow, Rule: RuleOff}
	}
	r := j.rule()
	v := Verdict{Decision: r.would, Would: r.would, Rule: r.rule, Reason: r.reason, Fix: r.fix, Targets: r.targets}
	if r.would == Allow {
		return v
	}
	if !Nobodys(r.rule) {
		v.Bypass = j.bypass()
	}
	mode := j.mode(r.rule)
	if mode != j.policy.Mode {
		v.Mode = mode
	}
	switch {
	case v.Bypass != "":
		v.Decision = Allow
	case mode == Validate:
		v.Decision = Warn
	case mode == Confirm && r.would == Block && !Nobodys(r.rule):
		v.Decision = Ask
	}
	return v
}

// mode returns the mode that a call is decided in. Whatever the policy says of paths, it does not loosen what no
// session may do.
func (j *judgement) mode(rule string) Mode {
	mode := j.policy.ModeOf(j.targets())
	if Nobodys(rule) {
		return stricter(j.policy.Mode, mode)
	}
	return mode
}

// protects reports whether a rule keeps the boundary itself, in which a bypass is recorded.
func protects(rule string) bool { return strings.HasPrefix(rule, "protected.") }

// rule returns the first that matches.
func (j *judgement) rule() ruling {
	rules := []func() (ruling, bool){j.protected, j.secret, j.harmless, j.own, j.agent, j.unknown, j.notes, j.exempt}
	for _, rule := range rules {
		if r, matched := rule(); matched {
			return r
		}
	}
	return j.mainChanges()
}

// saw notes a rule that was looked at, where that is asked for.
func (j *judgement) saw(rule string, matched bool, format string, args ...any) bool {
	if j.explain {
		j.steps = append(j.steps, Step{rule, matched, fmt.Sprintf(format, args...)})
	}
	return matched
}

// sawWords is saw of what words tell, which are not copied for it where nobody asks.
func (j *judgement) sawWords(rule string, matched bool, format string, words ...string) bool {
	if !j.explain {
		return matched
	}
	args := make([]any, len(words))
	for i, word := range words {
		args[i] = word
	}
	return j.saw(rule, matched, format, args...)
}

// protected keeps the boundary's own files from everybody.
func (j *judgement) protected() (ruling, bool) {
	if r, matched := j.changesBoundary(); matched {
		return r, true
	}
	if !j.class.mayChange() {
		return ruling{}, false
	}
	guarded := slices.Concat(j.call.Guarded.Paths, j.policy.ProtectedPaths)
	for i, pattern := range guarded {
		guarded[i] = strings.ToLower(pattern)
	}
	touched := without(j.targets(), func(t Target) bool { return !t.touches(own.Paths, guarded) })
	sweeps, fix := j.call.sweeps(), "a person changes them, in an editor or with orchestrator boundary"
	if sweeps {
		fix = "name the folder that you mean instead of the whole project; git clean takes -e .orchestrator"
	}
	if j.saw(RuleProtected, len(touched) > 0 || sweeps,
		"protected files that it writes: %d; it sweeps the project: %t", len(touched), sweeps) {
		return ruling{RuleProtected, Block, touched,
			"it would change files of the boundary, or files that the policy protects; no session may, not even an agent's",
			fix}, true
	}
	if j.class == Produces {
		return ruling{}, false // its words are known, and what it writes
	}
	named := mention.First(j.call.Text, own.Mentions, j.call.Guarded.Mentions)
	if j.saw(RuleMention, named != "", "its text names files of the boundary: %t", named != "") {
		return ruling{RuleMention, Block, nil, "the command may write, and names " + named +
			", which belongs to the boundary",
			"read it with the Read tool or a command that only reads; a person changes it"}, true
	}
	return ruling{}, false
}

// personsOwn is the way for a command of this program that is no session's to run: to delegate it does not help.
const personsOwn = "a person runs this command, in a terminal of their own"

// changesBoundary finds a command that changes the boundary: by its name, or under another name by its words.
func (j *judgement) changesBoundary() (ruling, bool) {
	found := anyPart(j.call.Parts, func(p *Part) bool { return changes(p.Words) })
	if !found && j.class != Reads && j.class != Produces { // of what produces, all words are known
		found = strings.Contains(j.call.Text, "boundary") && (namesVerb(strings.Split(j.call.Text, "\n")) ||
			strings.Contains(j.call.Text, program) && namesVerb(strings.Fields(j.call.Text)))
	}
	return ruling{RuleCommand, Block, nil,
			"only a person runs the commands of orchestrator that change or test the boundary, " +
				"or its tokens, settings or data",
			personsOwn},
		j.saw(RuleCommand, found, "it runs a command that changes or tests the boundary: %t", found)
}

// namesVerb finds boundary and one of its verbs among words; options, each with or without a value, may stand between
// the two.
func namesVerb(words []string) bool {
	between, value := false, false
	for _, w := range words {
		option := strings.HasPrefix(w, "-")
		switch {
		case between && slices.Contains(verbs, w):
			return true
		case w == "boundary":
			between, value = true, false
		case between:
			between, value = option || value, option
		}
	}
	return false
}

// harmless lets through what changes no file.
func (j *judgement) harmless() (ruling, bool) {
	if j.sawWords(RuleDelegates, j.class == Delegates, "the call %s", j.class.Does()) {
		return ruling{rule: RuleDelegates, would: Allow}, true
	}
	return ruling{rule: RuleReads, would: Allow}, j.sawWords(RuleReads, j.class == Reads, "the call %s", j.class.Does())
}

// own keeps commands of this program that neither read nor propose for persons: an agent that starts the service, or
// agents of its own, does what the main session may not.
func (j *judgement) own() (ruling, bool) {
	why := ""
	found := anyPart(j.call.Parts, func(p *Part) bool {
		why = p.Why
		return len(p.Words) > 0 && p.Words[0] == program && p.classUnder(j.policy) == Ambiguous
	})
	if !j.saw(RuleOwn, found, "a command of orchestrator that neither reads nor proposes: %t", found) {
		return ruling{}, false
	}
	return ruling{RuleOwn, Block, nil, why, personsOwn}, true
}

// agent gives agents the rights of their type.
func (j *judgement) agent() (ruling, bool) {
	if j.call.Actor.Kind != Agent {
		j.sawWords(RuleAgent, false, "the actor is %s", string(j.call.Actor.Kind))
		return ruling{}, false
	}
	return j.agentWithin(), true
}

func (j *judgement) agentWithin() ruling {
	rights, known := j.policy.rightsOf(j.call.Actor.Type)
	if !known {
		j.saw(RuleAgentNone, true, "the policy has no agents of the type %q", j.call.Actor.Type)
		return ruling{RuleAgentNone, Block, j.targets(),
			fmt.Sprintf("agents of the type %q have no rights in the policy", j.call.Actor.Type),
			`name the type under agents in the policy, or give "*" rights`}
	}
	if j.class == Produces && j.policy.produces() == Allow {
		j.saw(RuleAgent, true, "the call %s, as a main session may", j.class)
		return ruling{rule: RuleAgent, would: Allow}
	}
	everything := slices.Contains(rights.MayWrite, "**")
	outside := without(j.targets(), func(t Target) bool {
		return t.Within(rights.MayWrite) && (everything || t.Link != HardLink)
	})
	untold := j.class == Ambiguous || j.any(Ambiguous) || len(j.targets()) == 0 || !j.namesItsFiles()
	if j.saw(RuleAgentWrite, len(outside) > 0 || untold && !everything, "files outside of what %[2]q may write: %[1]d",
		len(outside), rights.Name) {
		r := ruling{RuleAgentWrite, Block, outside,
			fmt.Sprintf("agents of the type %q may write only %s", rights.Name, strings.Join(rights.MayWrite, ", ")),
			"leave it to an agent whose type may write it, or widen may_write in the policy"}
		r.orOfLinks(outside)
		return r
	}
	j.saw(RuleAgent, true, "within the rights of %q", rights.Name)
	return ruling{rule: RuleAgent, would: Allow}
}

// unknown follows the policy where the client does not say who calls.
func (j *judgement) unknown() (ruling, bool) {
	isUnknown := j.call.Actor.Kind == Unknown
	if j.sawWords(RuleUnknown, isUnknown && j.policy.UnknownActor == AsAgent,
		"the actor is %s; unknown actors count as %s", string(j.call.Actor.Kind), string(j.policy.UnknownActor)) {
		r := j.agentWithin()
		if r.would == Allow {
			r.rule = RuleUnknown
		}
		return r, true
	}
	return ruling{}, false
}

// notes lets a main session write the files that its client keeps for plans and for what it remembers, with a tool of
// the client that the policy knows to write. A shell may do more to a file than its name says.
func (j *judgement) notes() (ruling, bool) {
	its := j.class == Writes && !j.call.IsShell && j.call.Notes && j.namesItsFiles() &&
		!slices.ContainsFunc(j.call.Targets, func(t Target) bool { return t.Link == HardLink })
	return ruling{rule: RuleNotes, would: Allow}, j.saw(RuleNotes, its,
		"it writes plans or memory of the client: %t", its)
}

// exempt lets a main session write where the policy says so.
func (j *judgement) exempt() (ruling, bool) {
	targets, exempted := j.sources(), atHome(j.policy.ExemptPaths, j.call.Homes)
	allowed := j.class == Writes && len(targets) > 0 && !slices.ContainsFunc(targets, func(t Target) bool {
		return t.Unknown || t.Link == HardLink || !t.Within(exempted) || t.plantsRepository()
	}) && j.namesItsFiles() && !j.any(Ambiguous) && (j.policy.produces() == Allow || !j.any(Produces))
	return ruling{rule: RuleExempt, would: Allow},
		j.saw(RuleExempt, allowed, "files that it writes: %d; all exempt: %t", len(targets), allowed)
}

// namesItsFiles reports whether all that a call writes is known by name: of a tool that the policy does not list it is
// a guess.
func (j *judgement) namesItsFiles() bool {
	return j.call.IsShell || j.call.listed(j.policy.BlockedTools)
}

// mainChanges rules on what is left: a main session, or one that counts as such, that does or may change files.
func (j *judgement) mainChanges() ruling {
	r := ruling{rule: RuleWrites, would: Block, targets: j.targets(), reason: j.why(),
		fix: "delegate it: an agent makes the change"}
	switch j.class {
	case Produces:
		r.rule, r.would = RuleProduces, j.policy.produces()
		r.fix = "delegate it; a person can allow it with produces in the policy"
	case Ambiguous:
		r.rule, r.would = RuleAmbiguous, j.policy.Ambiguous
		if r.would == Allow {
			r.rule = RuleAccepted
		}
		r.fix = "delegate it, or if it changes no file, " +
			"ask a person to add its first words to reading_commands, or the tool to allowed_tools"
	}
	if j.call.Actor.Kind == Unknown && j.policy.UnknownActor == AskWho && r.would == Block {
		r.would = Ask
	}
	r.orOfLinks(r.targets)
	for i := range j.call.Parts {
		r.orOfLinks(j.call.Parts[i].Runs)
	}
	j.sawWords(r.rule, true, "the call %s, and the actor is %s", j.class.Does(), string(j.call.Actor.Kind))
	return r
}

// bypass returns what lifts the boundary for this call; "" for nothing.
func (j *judgement) bypass() string {
	if j.call.BypassEnv == "true" && j.policy.Bypass.Environment {
		return ByEnvironment
	}
	for _, g := range j.call.Grants {
		if g.covers(j.call) {
			return g.ID
		}
	}
	return ""
}
