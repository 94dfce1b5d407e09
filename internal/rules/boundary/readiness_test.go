package boundary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// good are figures that pass everything, none with much to spare.
func good() Figures {
	return Figures{
		ValidateDays: 14, ToolUses: 50, Runs: 100, HookErrors: 1, Labelled: 41, FalsePositives: 2, Violations: 3, ViolationSessions: 1, ViolationTools: 1, BypassDrills: 1, Rollbacks: 1, Attestations: attested(),
	}
}

func attested() (all []Attestation) {
	for _, item := range AttestableItems() {
		all = append(all, Attestation{Item: item, At: attestedAt, By: "local:ada", Note: "said so"})
	}
	return all
}

var attestedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestReady(t *testing.T) {
	r := Assess(DefaultThresholds(), good())
	require.True(t, r.Ready, "%+v", r)
	require.Len(t, r.Checks, 14)
	require.True(t, r.ReadyToConfirm)
	for _, c := range r.Checks {
		require.True(t, c.Passed, c.Name)
		require.Empty(t, c.Fix)
	}
}

// Each check at its threshold, a little beyond it.
//
// Verifies: ORC-069
func TestEachCheckFailsAlone(t *testing.T) {
	for name, change := range map[string]func(*Figures){
		"days in validate":              func(f *Figures) { f.ValidateDays = 13.99 },
		"tool uses":                     func(f *Figures) { f.ToolUses = 49 },
		"labelled decisions":            func(f *Figures) { f.Labelled, f.FalsePositives = 19, 0 },
		"unresolved false positives":    func(f *Figures) { f.OpenFalse = 1 },
		"violation patterns":            func(f *Figures) { f.Violations = 0 },
		"violations without a delegate": func(f *Figures) { f.Uncovered = []string{"Edit on x"} },
		"team briefed":                  func(f *Figures) { f.Attestations[0].Revoked = true },
		"documents updated":             func(f *Figures) { f.Attestations[1].Revoked = true },
		"workflows covered":             func(f *Figures) { f.Attestations = append(f.Attestations[:2], f.Attestations[3]) },
		"feedback collected":            func(f *Figures) { f.Attestations = f.Attestations[:3] },
		"bypass exercised":              func(f *Figures) { f.BypassDrills = 0 },
		"rollback exercised":            func(f *Figures) { f.Rollbacks = 0 },
	} {
		f := good()
		change(&f)
		r := Assess(DefaultThresholds(), f)
		require.False(t, r.Ready, name)
		require.Equal(t, name == "days in validate", r.ReadyToConfirm, "%s: confirm needs all but the days", name)
		for _, c := range r.Checks {
			require.Equal(t, c.Name != name, c.Passed, "%s: %+v", name, c)
			require.Equal(t, c.Passed, c.Fix == "", c.Name)
		}
	}
}

// Accuracy and errors are a check and a red flag at once.
func TestFlagsOfWorkflows(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Figures)
		value  string
	}{
		"critical workflow blocked": {func(f *Figures) { f.Stuck = []string{"deploy.sh", "make gen", "x.go"} }, "3: deploy.sh, make gen, x.go"},
		"agent coverage":            {func(f *Figures) { f.Uncovered = []string{"Edit on x"} }, "1: Edit on x"},
		"user confusion":            {func(f *Figures) { f.BlockedSessions, f.InsistingSessions = 100, 26 }, "26.0 %"},
		"":                          {func(f *Figures) { f.BlockedSessions, f.InsistingSessions = 100, 25 }, ""},
	} {
		f := good()
		c.change(&f)
		_, raised := Assess(DefaultThresholds(), f).Against(Confirm)
		if name == "" {
			require.Empty(t, raised)
			continue
		}
		require.Len(t, raised, 1, name)
		require.Equal(t, []string{name, c.value}, []string{raised[0].Name, raised[0].Value})
		require.NotEmpty(t, raised[0].Advice)
	}
}

// Verifies: ORC-214
func TestAfterARollbackThereAreMoreChecks(t *testing.T) {
	const name = "since the rollback: "
	rolledBack := attestedAt.Add(-time.Hour)
	mended := func() *Recovery {
		return &Recovery{RolledBack: rolledBack, Account: &Account{At: attestedAt, By: "local:ada", Cause: "c", Link: "l", Mend: "m"},
			Labelled: 21, FalsePositives: 1, BypassDrills: 1, RollbackDrills: 1}
	}
	for want, change := range map[string]func(*Recovery){
		"":                            func(*Recovery) {},
		name + "cause, link and mend": func(r *Recovery) { r.Account = nil },
		name + "labelled decisions":   func(r *Recovery) { r.Labelled, r.FalsePositives = 19, 0 },
		name + "detection accuracy":   func(r *Recovery) { r.FalsePositives = 2 },
		name + "drill":                func(r *Recovery) { r.BypassDrills = 0 },
		"feedback collected":          func(r *Recovery) { r.RolledBack = attestedAt.Add(time.Second) },
	} {
		f := good()
		f.Recovery = mended()
		change(f.Recovery)
		r := Assess(DefaultThresholds(), f)
		require.Len(t, r.Checks, 18)
		for _, mode := range []Mode{Confirm, Enforce} {
			failed, _ := r.Against(mode)
			if want == "" {
				require.Empty(t, failed)
				continue
			}
			require.Len(t, failed, 1, want)
			require.Equal(t, want, failed[0].Name)
			require.NotEmpty(t, failed[0].Fix)
		}
	}
	f := good()
	f.Recovery = mended()
	f.Recovery.RollbackDrills = 0
	require.False(t, Assess(DefaultThresholds(), f).Ready, "both ways out are exercised again")
}

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
	require.Equal(t, "2: a, …", listed([]string{"a", "b"}, "0"))
	require.Equal(t, "1: a", listed([]string{"a"}, "0"))
}

func TestNotReadyIsAnError(t *testing.T) {
	require.NoError(t, Readiness{Ready: true}.NotReady())
	require.ErrorIs(t, Readiness{}.NotReady(), fault.Conflict)
}
