package boundary

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// good are figures that pass everything, none with much to spare.
func good() Figures {
	return Figures{
		ValidateDays: 14, ToolUses: 50, Runs: 100, HookErrors: 1, Labelled: 41, FalsePositives: 2, Violations: 3, ViolationSessions: 1, ViolationTools: 1, BypassDrills: 1, Rollbacks: 1,
	}
}

func TestReady(t *testing.T) {
	r := Assess(DefaultThresholds(), good())
	require.True(t, r.Ready, "%+v", r)
	require.Len(t, r.Checks, 10)
	for _, c := range r.Checks {
		require.True(t, c.Passed, c.Name)
		require.Empty(t, c.Fix)
	}
}

// Each check at its threshold, a little beyond it.
func TestEachCheckFailsAlone(t *testing.T) {
	for name, change := range map[string]func(*Figures){
		"days in validate":              func(f *Figures) { f.ValidateDays = 13.99 },
		"tool uses":                     func(f *Figures) { f.ToolUses = 49 },
		"labelled decisions":            func(f *Figures) { f.Labelled, f.FalsePositives = 19, 0 },
		"unresolved false positives":    func(f *Figures) { f.OpenFalse = 1 },
		"violation patterns":            func(f *Figures) { f.Violations = 0 },
		"delegates for what is blocked": func(f *Figures) { f.Uncovered = []string{"Edit on x"} },
		"bypass exercised":              func(f *Figures) { f.BypassDrills = 0 },
		"rollback exercised":            func(f *Figures) { f.Rollbacks = 0 },
	} {
		f := good()
		change(&f)
		r := Assess(DefaultThresholds(), f)
		require.False(t, r.Ready, name)
		for _, c := range r.Checks {
			require.Equal(t, c.Name != name, c.Passed, "%s: %+v", name, c)
			require.Equal(t, c.Passed, c.Fix == "", c.Name)
		}
	}
}

// Accuracy and errors are a check and a red flag at once.
func TestFlags(t *testing.T) {
	raised := func(change func(*Figures)) (names []string, ready bool) {
		f := good()
		change(&f)
		r := Assess(DefaultThresholds(), f)
		for _, flag := range r.Flags {
			if flag.Raised {
				names = append(names, flag.Name)
				require.NotEmpty(t, flag.Advice)
			}
		}
		return names, r.Ready
	}
	check := func(want []string, change func(*Figures)) {
		t.Helper()
		names, ready := raised(change)
		require.Equal(t, want, names)
		require.False(t, ready)
	}
	check([]string{"misidentified"}, func(f *Figures) { f.Labelled, f.FalsePositives = 100, 6 })
	check(nil, func(f *Figures) { f.Labelled, f.FalsePositives = 20, 1 }) // exactly 95 % is not more than 95 %
	check([]string{"hook errors"}, func(f *Figures) { f.HookErrors = 2 })
	check([]string{"sessions with a bypass, rollback"}, func(f *Figures) { f.EnforcedSessions, f.BypassedSessions = 100, 11 })
	check([]string{"sessions with a bypass, rollback", "sessions with a bypass, review"}, func(f *Figures) { f.EnforcedSessions, f.BypassedSessions = 100, 26 })
	names, ready := raised(func(f *Figures) { f.EnforcedSessions, f.BypassedSessions = 100, 10 })
	require.Empty(t, names)
	require.True(t, ready)
}

// What was not measured is not passed.
func TestNothingMeasured(t *testing.T) {
	r := Assess(DefaultThresholds(), Figures{})
	require.False(t, r.Ready)
	values := map[string]string{}
	for _, c := range r.Checks {
		values[c.Name] = c.Value
	}
	require.Equal(t, "not measured", values["detection accuracy"])
	require.Equal(t, "not measured", values["hook errors"])
	for _, f := range r.Flags {
		require.False(t, f.Raised)
	}
	require.Equal(t, "2 without: a, …", uncovered([]string{"a", "b"}))
}

func TestNotReadyIsAnError(t *testing.T) {
	require.NoError(t, Readiness{Ready: true}.NotReady())
	require.ErrorIs(t, Readiness{}.NotReady(), fault.Conflict)
}
