package budget

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/rules/planning"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Verifies: ORC-256
func TestWhatRefusesARun(t *testing.T) {
	tool, agent := planning.Contract{Cost: planning.CostLow}, planning.Contract{Cost: planning.CostTiny, Role: "coder"}
	for name, c := range map[string]struct {
		of    planning.Budgets
		spend func(s *Spent)
		want  string
	}{
		"nothing spent":      {planning.Budgets{MaxToolRuns: 1, MaxCost: 10, MaxResultBytes: 1, TimeMS: 1}, func(*Spent) {}, ""},
		"runs":               {planning.Budgets{MaxToolRuns: 2}, func(s *Spent) { s.Run(tool); s.UnknownRun() }, "max_tool_runs is exhausted"},
		"one run left":       {planning.Budgets{MaxToolRuns: 2}, func(s *Spent) { s.UnknownRun() }, ""},
		"runs by default":    {planning.Budgets{}, func(s *Spent) { s.runs = 100 }, "max_tool_runs is exhausted"},
		"cost":               {planning.Budgets{MaxCost: 15}, func(s *Spent) { s.Run(tool) }, "it costs 10, and 5 of max_cost is left"},
		"all of the cost":    {planning.Budgets{MaxCost: 20}, func(s *Spent) { s.Run(tool) }, ""},
		"bytes":              {planning.Budgets{MaxResultBytes: 9}, func(s *Spent) { require.NoError(t, s.Result(4)); require.Error(t, s.Result(6)) }, "the results, and the values taken from them, exceed the 9 bytes of max_result_bytes"},
		"all of the bytes":   {planning.Budgets{MaxResultBytes: 9}, func(s *Spent) { require.NoError(t, s.Result(9)) }, ""},
		"bytes by default":   {planning.Budgets{}, func(s *Spent) { require.Error(t, s.Result(8<<20+1)) }, "the results, and the values taken from them, exceed 8 MiB"},
		"the service's most": {planning.Budgets{MaxResultBytes: 9 << 20}, func(s *Spent) { s.Recorded(8<<20+1, "") }, "the results, and the values taken from them, exceed 8 MiB"},
		"refused before":     {planning.Budgets{MaxResultBytes: 9}, func(s *Spent) { s.Recorded(0, CodeOverBudget) }, "the results, and the values taken from them, exceed the 9 bytes of max_result_bytes"},
		"failed before":      {planning.Budgets{MaxResultBytes: 9}, func(s *Spent) { s.Recorded(9, "tool_failed") }, ""},
		"tokens of no agent": {planning.Budgets{MaxTokens: 1}, func(s *Spent) { s.Agent(&usage.Usage{Input: 5}) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Of(c.of, now)
			c.spend(&s)
			require.Equal(t, c.want, s.Refuses(&tool, now))
		})
	}
	s := Of(planning.Budgets{MaxTokens: 1}, now)
	s.Agent(&usage.Usage{Input: 5})
	require.Contains(t, s.Refuses(&agent, now), "max_tokens is used up")
}

func TestTimeAndDepth(t *testing.T) {
	s := Of(planning.Budgets{TimeMS: 500}, now)
	require.Empty(t, s.Refuses(&planning.Contract{}, now.Add(499*time.Millisecond)))
	require.Equal(t, "time_ms is exhausted", s.Refuses(&planning.Contract{}, now.Add(500*time.Millisecond)))
	require.Equal(t, now.Add(10*time.Minute), Of(planning.Budgets{}, now).Deadline)
	require.Equal(t, []int{8, 3}, []int{Depth(planning.Budgets{}), Depth(planning.Budgets{MaxDepth: 3})})
}

// Verifies: ORC-256
func TestValuesAreTakenWithinTheBudgets(t *testing.T) {
	s := Of(planning.Budgets{MaxResultBytes: 10, TimeMS: 5}, now)
	require.NoError(t, s.Result(4))
	require.NoError(t, s.Take(6, now))
	over := s
	err := over.Take(1, now)
	var exceeded Exceeded
	require.True(t, errors.As(err, &exceeded))
	require.Equal(t, "the results, and the values taken from them, exceed the 10 bytes of max_result_bytes", exceeded.Error())
	require.NotEmpty(t, over.Refuses(&planning.Contract{}, now), "no tool runs either")
	require.Empty(t, s.Refuses(&planning.Contract{}, now), "a copy counts on its own")
	require.EqualError(t, s.Take(0, now.Add(5*time.Millisecond)), "time_ms is exhausted")
}
