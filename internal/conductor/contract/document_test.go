package contract

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What docs/conductor.md shows is loaded as it stands there, and does what it is said to do.
func TestTheExampleOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/conductor.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	require.Len(t, shown, 1)
	r, err := Load(write(t, map[string]string{"lines.yaml": string(shown[0][1])}), box())
	require.NoError(t, err)
	tool, known := r.Tool("project.count_lines")
	require.True(t, known)
	require.Equal(t, []string{"architect", "coder", "pm", "tester"}, tool.Contract().Roles)
	require.NoError(t, tool.CheckInput("path", "a.go"))
	require.Error(t, tool.CheckInput("path", ""))
	require.NoError(t, tool.CheckResult(map[string]any{"lines": 3}))
	require.Error(t, tool.CheckResult(map[string]any{"lines": -3}))

	holds := func(verdicts []Verdict) (all []bool) {
		for _, v := range verdicts {
			all = append(all, v.Holds)
		}
		return all
	}
	on := Facts{Input: map[string]any{"path": "a.go"}, Caller: map[string]any{"role": "coder"}}
	require.Equal(t, []bool{true}, holds(tool.Preconditions(on)))
	require.Equal(t, []bool{true}, holds(tool.Postconditions(on, map[string]any{"lines": 0})))
	on = Facts{Input: map[string]any{"path": "../a.go", "blank": true}, Caller: map[string]any{"role": "viewer"}}
	require.Equal(t, []bool{false}, holds(tool.Preconditions(on)))
	require.Equal(t, []bool{false}, holds(tool.Postconditions(on, map[string]any{"lines": 0})))
	require.Equal(t, []bool{true}, holds(tool.Postconditions(on, map[string]any{"lines": 1})))
}

// And so are the conditions in its text.
func TestTheConditionsOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/conductor.md")
	require.NoError(t, err)
	on := Facts{Input: map[string]any{"n": 2, "flag": true, "blank": false}}
	found := 0
	for _, shown := range regexp.MustCompile("`([a-z(]+\\([a-z.]+\\)[^`]*|input\\.[^`]*)`").FindAllSubmatch(page, -1) {
		c, err := CompileCondition(string(shown[1]))
		require.NoError(t, err, "%s", shown[1])
		require.True(t, c.Holds(on).Holds, "%s", shown[1])
		found++
	}
	require.Equal(t, 4, found)
}
