package render

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// renderings are every way to show every review.
func renderings(t require.TestingT) map[string]func(io.Writer) error {
	full, bad := review.Full(reviewtest.Everything(t)), review.Full(reviewtest.AssaultedInput(t))
	one, badOne := reviewtest.StaleDossier(t), review.One(lifecycle.V1, reviewtest.Assaulted(t),
		review.Seen{Evidence: []review.Rechecked{{Pointer: "/test/evidence/0", Verdict: reviewtest.Hostile, Reason: reviewtest.Hostile,
			Detail: reviewtest.Hostile}}, Refused: review.Refused{Count: 2, More: true, Newest: []review.Refusal{{By: reviewtest.Hostile,
			Role: reviewtest.Hostile, Code: reviewtest.Hostile, Detail: reviewtest.Hostile, Times: 2}}},
			Shown:     map[string]review.Shown{"/test/evidence/0": reviewtest.HostileShown},
			Texts:     reviewtest.HostileTexts,
			TextSince: map[int][]review.FieldChange{0: reviewtest.HostileTexts[0].Fields}})
	all := map[string]func(io.Writer) error{}
	for name, p := range map[string]review.Project{"project": full, "hostile_project": bad} {
		gate := Gate{review.Gate(p, review.GateOptions{Require: review.RequireDone, StrictImport: true})}
		all[name+".json"], all[name+".md"] = p.JSON, Project{p}.Markdown
		all[name+".txt"] = func(w io.Writer) error { return Project{p}.Table(w, Style{}) }
		all[name+"_gate.json"], all[name+"_gate.txt"], all[name+"_gate.md"] = gate.JSON, gate.Text, gate.Markdown
		all[name+"_gate.xml"], all[name+"_gate.sarif"], all[name+
			"_gate.github"] = gate.JUnit, gate.SARIF, gate.Annotations
	}
	for name, d := range map[string]review.Dossier{"dossier": one, "hostile_dossier": badOne} {
		all[name+".json"], all[name+".md"] = d.JSON, Dossier{d}.Markdown
		all[name+".txt"] = func(w io.Writer) error { return Dossier{d}.Table(w, Style{}) }
	}
	since := Gate{review.GateSince(review.Point{Project: bad}, review.Point{Project: full},
		review.GateOptions{Require: review.RequireDone})}
	since.Since.Ref, since.Since.Commit, since.Since.Refused = reviewtest.Hostile, "0123456789abcdef", &review.RefusedSince{Count: 3}
	all["since_gate.md"], all["since_gate.txt"], all["since_gate.xml"] = since.Markdown, since.Delta, since.JUnit
	all["project_stacked.txt"] = func(w io.Writer) error { return Project{full}.Table(w, Style{Width: 80}) }
	all["project_narrow.txt"] = func(w io.Writer) error {
		return Project{full}.Table(w, Style{Width: 120, Color: true})
	}
	return all
}

// Verifies: ORC-093
func TestGoldens(t *testing.T) {
	for name, write := range renderings(t) {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, write(&got))
			path := filepath.Join("testdata", name)
			if *update {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String())
		})
	}
}

// Where columns have no room the rows are stacked, so that every line fits.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for _, columns := range []int{40, 80, 111, 112, 120} {
		for name, show := range map[string]func(io.Writer,
			Style) error{"project": Project{review.Full(reviewtest.Everything(t))}.Table, "hostile": Project{
			review.Full(reviewtest.AssaultedInput(t))}.Table} {
			var got bytes.Buffer
			require.NoError(t, show(&got, Style{Width: columns}))
			for line := range strings.Lines(got.String()) {
				escapes := strings.Count(line, "# #[") + strings.Count(line, `\::`)
				require.LessOrEqual(t, width(strings.TrimRight(line, "\n"))-escapes, columns, "%s in %d columns: %s",
					name, columns, line)
				require.NotRegexp(t, `^\s*::|##\[`, line, "a runner of GitHub Actions would obey it")
			}
		}
	}
}

// What cannot be written is an error of every renderer.
func TestAFullDiskIsAnError(t *testing.T) {
	for name, write := range renderings(t) {
		require.ErrorIs(t, write(fullDisk{}), io.ErrShortWrite, name)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
