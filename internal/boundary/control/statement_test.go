package control_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Verifies: ORC-217
func TestWhatIsAttestedIsChecked(t *testing.T) {
	dir := boundarytest.Project(t)
	for name, c := range map[string]struct{ item, note, code string }{
		"nothing to attest": {"weather", "n", "unknown_attestation"},
		"no note":           {"team", " ", "reason_required"},
		"a long note":       {"team", strings.Repeat("x", 1001), "reason_too_long"},
		"a secret":          {"team", "AK" + "IAIOSFODNN7EXAMPLE", "secret_in_text"},
	} {
		_, err := control.Attest(dir, c.item, false, boundarytest.By(c.note, boundarytest.Day0))
		boundarytest.RequireCode(t, err, fault.Code(c.code))
		require.Empty(t, boundarytest.History(t, dir).Attestations, name)
	}
	_, err := control.Attest(folder.In(t.TempDir()), "team", false, boundarytest.By("n", boundarytest.Day0))
	boundarytest.RequireCode(t, err, "no_boundary")
	for _, revoked := range []bool{false, true} {
		said, err := control.Attest(dir, "team", revoked, boundarytest.By("n", boundarytest.Day0))
		require.NoError(t, err)
		require.Equal(t, boundary.Attestation{Item: "team", At: boundarytest.Day0, By: "local:ada", Note: "n", Revoked: revoked}, said)
	}
	lines := boundarytest.History(t, dir).Attestations
	require.Equal(t, []bool{false, true}, []bool{lines[0].Revoked, lines[1].Revoked}, "what was taken back stays on record")
}

// Verifies: ORC-214
func TestAnAccountIsWhole(t *testing.T) {
	dir := boundarytest.Project(t)
	_, err := control.SetMode(dir, boundary.Enforce, "o", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
	require.NoError(t, err)
	_, err = control.SetMode(dir, boundary.Validate, "", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
	require.NoError(t, err)
	controls := strings.Repeat("\x01", 1000) // each takes six bytes of a line
	for name, c := range map[string]struct{ cause, link, mend, code string }{
		"no cause":    {"", "l", "m", "reason_required"},
		"no link":     {"c", " ", "m", "reason_required"},
		"no mend":     {"c", "l", "", "reason_required"},
		"a long link": {"c", strings.Repeat("x", 301), "m", "reason_too_long"},
		"a long mend": {"c", "#1", controls + "x", "reason_too_long"},
		"no address":  {"c", "notalink", "m", "no_link"},
		"the longest": {controls, "https://" + strings.Repeat("\x01", 292), controls, ""},
		"an issue":    {"c", "ORC-12", "m", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := control.Recover(dir, control.Account{Link: c.link, Mend: c.mend}, boundarytest.By(c.cause, boundarytest.Day0))
			if c.code != "" {
				boundarytest.RequireCode(t, err, fault.Code(c.code))
				return
			}
			require.NoError(t, err)
		})
	}
	_, err = control.Recover(folder.In(t.TempDir()), control.Account{Link: "#1", Mend: "m"}, boundarytest.By("c", boundarytest.Day0))
	boundarytest.RequireCode(t, err, "no_boundary")
	_, err = control.Review(folder.In(t.TempDir()), "", boundarytest.By("n", boundarytest.Day0))
	boundarytest.RequireCode(t, err, "no_boundary")
}
