package settings

import (
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
)

// wiring is how the hook is registered with a client.
type wiring struct {
	agentclient.Wiring
	client string
}

// wiringOf returns the wiring of a client.
func wiringOf(client string) (*wiring, error) {
	c, err := agentclient.Find(client)
	if err != nil {
		return nil, err
	}
	return &wiring{c.Wiring, client}, nil
}

// limit is how long a client waits for the hook; the hook itself answers within a second.
const limit = 5 * time.Second

// entryName is what clients that name their hooks call ours.
const entryName = "orchestrator-boundary"

// entry returns what is to stand in the list of an event.
func (w *wiring) entry(event string, o Options) fields {
	hook := fields{}
	if w.Typed {
		hook = append(hook, field{"type", "command"})
	}
	if w.Named {
		hook = append(hook, field{"name", entryName})
	}
	hook = append(hook, field{w.Command, o.command(w, event)}, field{w.Timeout, int(limit / w.Unit)})
	if w.FailClosed != nil && event == w.Before() && o.FailClosed && AtLeast(o.ClientVersion, w.FailClosed.Since) {
		hook = append(hook, field{w.FailClosed.Name, w.FailClosed.Value})
	}
	if !w.Nested {
		return hook
	}
	group := fields{}
	if w.Matcher != "" && !w.Ending(event) {
		group = append(group, field{"matcher", w.Matcher})
	}
	return append(group, field{"hooks", []any{hook}})
}

// remarks returns what the person at the client has to know, for this version of it.
func (w *wiring) remarks(o Options) []string {
	var said []string
	if o.FailClosed && !w.hasFailClosed(o) {
		said = append(said, withoutFailClosed(w, o))
	}
	if w.Since != "" && o.ClientVersion != "" && !AtLeast(o.ClientVersion, w.Since) {
		said = append(said, "version "+o.ClientVersion+" of "+w.client+" is older than "+w.Since+" and "+w.Lacks)
	}
	return append(said, w.Notes...)
}

// hasFailClosed reports whether this version of the client has the member that makes it block when the hook breaks, or
// no version has one.
func (w *wiring) hasFailClosed(o Options) bool {
	return w.FailClosed == nil || AtLeast(o.ClientVersion, w.FailClosed.Since)
}

func withoutFailClosed(w *wiring, o Options) string {
	why := "version " + o.ClientVersion + " of " + w.client + " does not have " + w.FailClosed.Name
	if o.ClientVersion == "" {
		why = "the version of " + w.client + " is unknown, so " + w.FailClosed.Name + " is left out"
	}
	return why + ", which comes with " + w.FailClosed.Since + ": when the hook does not answer in time, " +
		w.client + " lets the call through"
}

// AtLeast compares versions such as 2.1.295, or "2.1.295 (build 7)". An unknown version is older than any, and
// every version is at least "".
func AtLeast(version, least string) bool {
	if least == "" {
		return true
	}
	have, want := numbers(version), numbers(least)
	for i, n := range want {
		if i >= len(have) || have[i] < n {
			return false
		}
		if have[i] > n {
			return true
		}
	}
	return true
}

func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(version), "v"), " ")
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		digits, _, _ := strings.Cut(part, "-")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return all
		}
		all = append(all, n)
	}
	return all
}
