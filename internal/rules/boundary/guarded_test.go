package boundary

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary/glob"
)

// TestWhatIsGuardedMattersOnlyToChanges: a hook looks up what is guarded only for calls that may change files.
func TestWhatIsGuardedMattersOnlyToChanges(t *testing.T) {
	everything := Guarded{Paths: []string{"**", "/**"}, Mentions: []string{"a"}}
	target := Target{Path: "src/a.go"}
	policy := DefaultPolicy()
	policy.Mode = Enforce
	for _, c := range []struct {
		call Call
		may  bool
	}{
		{Call{Tool: "Read", Targets: []Target{target}}, false},
		{Call{Tool: "Task"}, false},
		{Call{Tool: "Bash", IsShell: true, Text: "cat", Parts: []Part{{Class: Reads, Words: []string{"cat"}}}}, false},
		{Call{Tool: "Edit", Targets: []Target{target}}, true},
		{Call{Tool: "Bash", IsShell: true, Text: "a", Parts: []Part{{Class: Ambiguous, Words: []string{"a"}}}}, true},
		{Call{Tool: "Bash", IsShell: true, Text: "make", Parts: []Part{{Class: Produces, Targets: []Target{target}}}}, true},
		{Call{Tool: "Bash", IsShell: true, Text: "rm", Parts: []Part{{Class: Writes, Targets: []Target{target}}}}, true},
	} {
		require.Equal(t, c.may, policy.MayChange(c.call), c.call)
		for _, kind := range []ActorKind{Main, Agent, Unknown} {
			c.call.Actor, c.call.Guarded = Actor{Kind: kind, Type: "bug-hunter"}, Guarded{}
			without := Judge(&policy, c.call)
			c.call.Guarded = everything
			guarded := Judge(&policy, c.call)
			if !c.may {
				require.Equal(t, without, guarded, c.call)
			} else {
				require.Contains(t, []string{RuleProtected, RuleMention}, guarded.Rule, c.call)
			}
		}
	}
}

func TestTheVariableIsMentionedInSmallLetters(t *testing.T) {
	require.Equal(t, strings.ToLower(BypassVariable), bypassVariable)
}

// A target touches paths as if each pattern were looked at whole; those of the boundary itself are in small letters.
func TestTargetsTouchWhatPatternsMatchOrLieBelow(t *testing.T) {
	for _, p := range own.Paths {
		require.Equal(t, strings.ToLower(p), p)
	}
	r := rand.New(rand.NewPCG(7, 8))
	draw := func(from ...string) string {
		all := make([]string, r.IntN(5))
		for i := range all {
			all[i] = from[r.IntN(len(from))]
		}
		return strings.Repeat("/", r.IntN(2)) + strings.Join(all, "/")
	}
	touching := 0
	for range 50_000 {
		pattern, unfinished := draw("", "a", "ab", "é", "**", "**", "a*", "?", "["), r.IntN(2) == 0
		name := draw("", "a", "ab", "b", "é")
		want := name != "" && (glob.Path(pattern, name) || leadsTo(name, pattern, unfinished))
		got := Target{Path: strings.ToUpper(name), Unknown: unfinished}.touches(nil, []string{pattern})
		require.Equal(t, want, got, "%q %q", pattern, name)
		if want {
			touching++
		}
	}
	require.Greater(t, touching, 1000)
}

// matchSplit is matchPath as it is written with lists of elements, which is plain and makes many of them.
func matchSplit(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchSplit(pattern[1:], name) || len(name) > 0 && matchSplit(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return ok && err == nil && matchSplit(pattern[1:], name[1:])
}

func TestPathsMatchElementByElement(t *testing.T) {
	some := []string{"", "a", "b", "ab", "*", "**", "a*", "?", "**", "[", `\*`}
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(from []string) string {
		all := make([]string, r.IntN(6))
		for i := range all {
			all[i] = from[r.IntN(len(from))]
		}
		return strings.Repeat("/", r.IntN(2)) + strings.Join(all, "/")
	}
	matched := 0
	for range 100_000 {
		pattern, name := draw(some), draw([]string{"", "a", "b", "ab", "*"})
		want := strings.HasPrefix(pattern, "/") == strings.HasPrefix(name, "/") &&
			strings.HasPrefix(name, strings.TrimSuffix(glob.Literal(pattern), "/")) &&
			matchSplit(strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(strings.Trim(name, "/"), "/"))
		require.Equal(t, want, glob.Path(pattern, name), "%q %q", pattern, name)
		if want {
			matched++
		}
	}
	require.Greater(t, matched, 1000)
}
