package boundary

import (
	"slices"
	"strings"
)

// RuleSecret is the rule for a call that may show a token, a key or the database, as verdicts name it.
const RuleSecret = "secret.reads"

const dataFolder = ".orchestrator"

// secrets are what the names of files in the data folder begin with that no session reads: copies are named like them. The first is
// a folder.
var secrets = []string{"tokens", "audit.key", "witness.key", "state.db"}

// Secret tells whether a file, by its name or by where its links lead, may be a secret of the service, or a folder with them. The
// data folder is looked for by its name wherever it lies.
func (t Target) Secret() bool {
	return namesSecret(t.Path, t.Unknown) || namesSecret(t.Real, t.Unknown)
}

func namesSecret(name string, unfinished bool) bool {
	elements := strings.Split(strings.ToLower(name), "/")
	at := slices.Index(elements, dataFolder)
	last := elements[len(elements)-1]
	switch {
	case at == len(elements)-1:
		return true // the folder with all that is in it
	case at >= 0:
		return beginsSecret(elements[at+1], unfinished && at == len(elements)-2)
	case unfinished && len(last) > 1:
		return strings.HasPrefix(dataFolder, last)
	}
	return last == "witness.key"
}

// beginsSecret tells whether an element of a path in the data folder is the name of a secret, or where it is unfinished or has a
// wildcard may become one.
func beginsSecret(name string, unfinished bool) bool {
	known := literalOf(name)
	unfinished = unfinished || known != name
	return slices.ContainsFunc(secrets, func(s string) bool {
		return strings.HasPrefix(known, s) || unfinished && strings.HasPrefix(s, known)
	})
}

// secret keeps tokens, keys and the database from being read by any session, agents too.
func (j *judgement) secret() (ruling, bool) {
	var shown []Target
	if j.class != Delegates {
		shown = slices.DeleteFunc(slices.Clone(j.call.Targets), func(t Target) bool { return !t.Secret() || j.lists(t) })
	}
	for _, t := range j.call.Reads {
		if t.Secret() || t.Path == "." { // the whole project, which a command copies
			shown = append(shown, t)
		}
	}
	return ruling{RuleSecret, Block, shown, "tokens, keys and the database of the service are secrets: no session reads or copies them, agents neither",
			"use the orchestrator commands, which read the token themselves (orchestrator review, ask, conduct, drive), and leave " + dataFolder + " out of copies"},
		j.saw(RuleSecret, len(shown) > 0, "%d secrets of the service among what it may show", len(shown))
}

// lists tells whether the tool names what is in a folder, and shows nothing of it: LS of any, Glob of the data folder itself.
func (j *judgement) lists(t Target) bool {
	return j.call.Tool == "LS" || j.call.Tool == "Glob" && strings.HasSuffix("/"+strings.ToLower(t.Path), "/"+dataFolder)
}
