package boundary

import (
	"testing"

	"github.com/stretchr/testify/require"
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
