package boundary

import (
	"slices"
	"strings"

	"orchestrator/internal/rules/boundary/glob"
)

// RuleSecret is the rule for a call that may show a token, a key or the database, as verdicts name it.
const RuleSecret = "secret.reads"

// secrets are what the names of files in the data folder begin with that no session reads: copies are named like them.
// The first is a folder, and so is the last.
var secrets = []string{"tokens", "audit.key", "witness.key", "state.db", "webhooks"}

// tokenVariable begins the path of a target that is a variable of the environment with a token, or the file that one
// names.
const tokenVariable = "$ORCHESTRATOR_TOKEN"

// Secret reports whether a file, by its name or by where its links lead, may be a secret of the service, or a folder
// with them. The data folder is looked for by its name wherever it lies.
func (t Target) Secret() bool {
	return strings.HasPrefix(t.Path, tokenVariable) || namesSecret(t.Path, t.Unknown) || namesSecret(t.Real, t.Unknown)
}

// namesSecret judges a name that may have wildcards: * and ? within an element, and ** for any text, slashes included.
func namesSecret(name string, unfinished bool) bool {
	if unfinished {
		name += "**"
	}
	elements := slices.DeleteFunc(strings.Split(strings.ToLower(name), "/"),
		func(e string) bool { return e == "" || e == "." })
	for i, e := range elements {
		rest := elements[i+1:]
		known, _, open := strings.Cut(e, "**")
		switch {
		case open && len(known) < 2: // any folder
			if soundsSecret(rest) {
				return true
			}
		case open && strings.HasPrefix(dataFolder, known), !open && matchFolder(e):
			if len(rest) == 0 || beginsSecret(rest[0]) { // the folder with all that is in it, too
				return true
			}
		}
	}
	return len(elements) > 0 && elements[len(elements)-1] == "witness.key"
}

// matchFolder reports whether an element of a path may be the data folder. A wildcard does not stand for the dot.
func matchFolder(element string) bool {
	return glob.Text(element, dataFolder) && element[0] == '.'
}

// soundsSecret reports whether a path below a folder of which nothing is known is that of a secret, if the folder is
// the one for data or that of the tokens.
func soundsSecret(rest []string) bool {
	switch len(rest) {
	case 1:
		name := rest[0]
		return strings.HasSuffix(name, ".token") || strings.HasPrefix(name, "state.db") ||
			slices.Contains([]string{"tokens.json", "audit.key", "witness.key", "webhooks.json"}, name)
	case 2:
		end := map[string]string{"tokens": ".token", "webhooks": ".secret"}[rest[0]]
		return end != "" && (strings.HasSuffix(rest[1], end) || strings.HasSuffix(rest[1], "*"))
	}
	return false
}

// beginsSecret reports whether an element of a path in the data folder is the name of a secret, or where it has a
// wildcard may become one.
func beginsSecret(name string) bool {
	known := glob.Literal(name)
	return slices.ContainsFunc(secrets, func(s string) bool {
		return strings.HasPrefix(known, s) || known != name && strings.HasPrefix(s, known)
	})
}

// secret keeps tokens, keys and the database from being read by any session, agents too.
func (j *judgement) secret() (ruling, bool) {
	var shown []Target
	if j.class != Delegates {
		shown = slices.DeleteFunc(slices.Clone(j.call.Targets),
			func(t Target) bool { return !t.Secret() || j.lists(t) })
	}
	for _, t := range j.call.Reads {
		if t.Secret() || t.Path == "." { // the whole project, which a command copies
			shown = append(shown, t)
		}
	}
	return ruling{RuleSecret, Block, shown,
			"tokens, keys and the database of the service are secrets: " +
				"no session may read or copy them, not even an agent's",
			"use the orchestrator commands (review, show, next, status), which read the token themselves, and leave " +
				dataFolder + " out of copies"},
		j.saw(RuleSecret, len(shown) > 0, "secrets of the service that it may show: %d", len(shown))
}

// lists reports whether the tool names what is in a folder, and shows nothing of it: LS of any, Glob of the data folder
// itself.
func (j *judgement) lists(t Target) bool {
	return j.call.Tool == "LS" || j.call.Tool == "Glob" &&
		strings.HasSuffix("/"+strings.ToLower(t.Path), "/"+dataFolder)
}
