package review

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hostile is text that tries to be markup, a mention, a link, a command or another line, wherever it is shown.
const hostile = "| a \\| b `c` <script>alert(1)</script> ](http://evil.example) ![x](y) @team #12 GH-7 www.evil.example me@evil.example " +
	"https://evil.example/\x1b[31m\u009b\u202e\u200b\ufeff\r\n::error::x ##[error] \u2028# head\n- [ ] item *b* _i_ ~~s~~ $x$ &amp; {0} [l](1) %0A"

// assaulted is a requirement every text of which is hostile.
func assaulted(t require.TestingT) lifecycle.Requirement {
	req := at(t, 1, lifecycle.TestedPass)
	req = apply(t, req, lifecycle.PM, lifecycle.Change{
		Status: lifecycle.Blocked,
		Justification: &lifecycle.Justification{Reason: hostile, Evidence: []lifecycle.Evidence{
			{Kind: lifecycle.EvidenceFile, Path: hostile, Lines: "1"}, {Kind: lifecycle.EvidenceCommit, Commit: hostile},
			{Kind: lifecycle.EvidenceTest, Name: hostile, Result: lifecycle.ResultPass, Report: hostile},
		}},
	})
	req.ID, req.Title, req.Text, req.Kind = hostile, hostile, "```\n"+hostile+"\n~~~~\n````", hostile
	req.Acceptance = []lifecycle.Criterion{{ID: hostile, Kind: hostile, Text: hostile}}
	req.Parents, req.DependsOn = []string{hostile}, []string{hostile}
	req.Source = lifecycle.Source{Path: hostile, Line: 3, Section: []string{hostile}, Family: hostile, Priority: hostile}
	stamp := lifecycle.Stamp{Revision: 3, By: hostile, Role: lifecycle.PM, At: noon, Fingerprint: "fp-1"}
	req.DesignSpec, req.Implementation = []byte(`"`+"````"+`<b>"`), []byte(`"`+"\u202e"+`"`)
	req.Stamps.DesignSpec, req.Stamps.Implementation, req.Stamps.Test = stamp, stamp, stamp
	req.Test = &lifecycle.TestRecord{Plan: hostile, Notes: hostile, Evidence: req.Test.Evidence}
	req.Approvals = []lifecycle.Approval{{Stamp: stamp, Decision: lifecycle.Approved, Text: hostile}}
	req.Deviations = []lifecycle.Deviation{{Stamp: stamp, ID: hostile, Text: hostile}, {Stamp: stamp, ID: hostile, Text: hostile, Resolution: &lifecycle.Resolution{Stamp: stamp, Outcome: hostile, Text: hostile}}}
	req.PMNotes = []lifecycle.Note{{Stamp: stamp, Text: hostile}}
	req.Stale = []lifecycle.Stale{{Part: hostile, Pointer: hostile, Reason: hostile, Detail: hostile, Since: noon}}
	req.Moved = []lifecycle.Relocated{{Pointer: hostile, To: hostile, Since: noon}}
	req.Suspect = true
	return req
}

// assaultedInput is a project every text of which is hostile.
func assaultedInput(t require.TestingT) Input {
	in := inputOf(assaulted(t))
	when := noon
	in.Project, in.Evidence, in.Log = hostile, hostile, Log{12, hostile, 3, hostile}
	in.Import = Import{At: &when, Problem: &ImportProblem{hostile, hostile, hostile, []ImportError{{hostile, 3, hostile, hostile}}}}
	in.Drift = []Drift{{hostile, hostile}}
	in.Actors = []ActorCount{{hostile, lifecycle.Coder, 1, 2}}
	in.Unchecked = []string{hostile}
	return in
}

func staleDossier(t require.TestingT) Dossier {
	all := slices.Collect(everything(t).Requirements)
	return One(lifecycle.Rework, all[5], []Rechecked{
		{"/test/evidence/0", Stale, lifecycle.ReportChanged, "report.xml is another one now"},
		{"/history/0/justification/evidence/0", Moved, "", "docs/reasons.md:4-6"},
		{"/history/1/justification/evidence/0", Holds, "", ""},
	})
}

// renderings are every way to show every review.
func renderings(t require.TestingT) map[string]func(io.Writer) error {
	full, bad := Full(everything(t)), Full(assaultedInput(t))
	one, badOne := staleDossier(t), One(lifecycle.V1, assaulted(t), []Rechecked{{"/test/evidence/0", hostile, hostile, hostile}})
	all := map[string]func(io.Writer) error{}
	for name, p := range map[string]Project{"project": full, "hostile_project": bad} {
		gate := Gate(p, GateOptions{Require: RequireDone})
		all[name+".json"], all[name+".md"] = p.JSON, p.Markdown
		all[name+".txt"] = func(w io.Writer) error { return p.Table(w, Style{}) }
		all[name+"_gate.json"], all[name+"_gate.txt"], all[name+"_gate.md"] = gate.JSON, gate.Text, gate.Markdown
		all[name+"_gate.xml"], all[name+"_gate.sarif"], all[name+"_gate.github"] = gate.JUnit, gate.SARIF, gate.Annotations
	}
	for name, d := range map[string]Dossier{"dossier": one, "hostile_dossier": badOne} {
		all[name+".json"], all[name+".md"] = d.JSON, d.Markdown
		all[name+".txt"] = func(w io.Writer) error { return d.Table(w, Style{}) }
	}
	all["project_stacked.txt"] = func(w io.Writer) error { return full.Table(w, Style{Width: 80}) }
	all["project_narrow.txt"] = func(w io.Writer) error { return full.Table(w, Style{Width: 120, Color: true}) }
	return all
}

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
		for name, show := range map[string]func(io.Writer, Style) error{"project": Full(everything(t)).Table, "hostile": Full(assaultedInput(t)).Table} {
			var got bytes.Buffer
			require.NoError(t, show(&got, Style{Width: columns}))
			for line := range strings.Lines(got.String()) {
				escapes := strings.Count(line, "# #[") + strings.Count(line, `\::`)
				require.LessOrEqual(t, width(strings.TrimRight(line, "\n"))-escapes, columns, "%s in %d columns: %s", name, columns, line)
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
