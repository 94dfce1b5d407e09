package boundary

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An agent writes what its type may, with tools that name what they write: of a tool that nobody knows the names in its
// input are a guess.
func TestAnAgentWithinItsRights(t *testing.T) {
	p := DefaultPolicy()
	p.Mode, p.Agents = Enforce, []Rights{{Name: "docs", MayWrite: []string{"docs/**"}}}
	byShell := func(files ...Target) Call {
		return Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"sed"}, Class: Writes, Targets: files}}}
	}
	for name, c := range map[string]struct {
		call Call
		want string
	}{
		"its file":          {Call{Tool: "Edit", Targets: []Target{file("docs/a.md")}}, RuleAgent},
		"by a shell":        {byShell(file("docs/a.md")), RuleAgent},
		"another file":      {Call{Tool: "Edit", Targets: []Target{file("src/a.go")}}, RuleAgentWrite},
		"both":              {byShell(file("docs/a.md"), file("src/a.go")), RuleAgentWrite},
		"an unknown tool":   {Call{Tool: "mcp__fs__write_file", Targets: []Target{file("docs/a.md")}}, RuleAgentWrite},
		"no file at all":    {Call{Tool: "Edit"}, RuleAgentWrite},
		"code of a program": {Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Ambiguous}}}, RuleAgentWrite},
	} {
		c.call.Actor = Actor{Kind: Agent, ID: "a", Type: "docs"}
		require.Equal(t, c.want, Judge(&p, c.call).Rule, name)
	}
}

// A policy vouches for programs that are not known, and for none that is known to write.
func TestWhatAPolicyVouchesFor(t *testing.T) {
	p := DefaultPolicy()
	p.ReadingCommands = []string{"tool show"}
	for _, c := range []struct {
		part Part
		want Class
	}{
		{Part{Words: []string{"tool", "show"}, Class: Ambiguous, Foreign: true}, Reads},
		{Part{Words: []string{"tool", "set"}, Class: Ambiguous, Foreign: true}, Ambiguous},
		{Part{Words: []string{"tool", "show"}, Class: Ambiguous}, Ambiguous},
		{Part{Words: []string{"tool", "show"}, Class: Writes, Foreign: true}, Writes},
	} {
		require.Equal(t, c.want, c.part.classUnder(&p), "%v", c.part)
	}
}

func TestTheWordsOfAName(t *testing.T) {
	for name, want := range map[string][]string{
		"__a--bC.d e_": {"a", "b", "c", "d", "e"}, "readURL": {"read", "url"}, "": nil, "_": nil, "x": {"x"},
	} {
		require.Equal(t, want, wordsOf(name), name)
	}
	p := DefaultPolicy()
	require.Equal(t, RuleReads, Judge(&p, Call{Tool: "_read_file", Actor: Actor{Kind: Main}}).Rule)
}
