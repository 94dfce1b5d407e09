package folder

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// FuzzParsePolicy reads anything. What it accepts is valid, and is the same when it was written and read again.
func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `{"schema_version":1,"mode":"validate"}`, `{"schema_version":1,"mode":"enforce","agents":[{"name":"a*","may_write":["x/**"]}],"thresholds":{"accuracy":1e-9}}`,
		`{"schema_version":1,"mode":"off","mode":"enforce"}`, `{"schema_version":1,"mode":"off","thresholds":null}`, "\ufeff{}", `{"schema_version":1,"mode":"off"}{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ParsePolicy(raw)
		if err != nil {
			return
		}
		require.NoError(t, p.Check())
		require.NotContains(t, withoutStrings(raw), "null")
		written, err := encode(p)
		require.NoError(t, err)
		again, err := ParsePolicy(written)
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// withoutStrings is JSON without its strings.
func withoutStrings(raw []byte) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(raw); i++ {
		switch {
		case inside && raw[i] == '\\':
			i++
		case raw[i] == '"':
			inside = !inside
		case !inside:
			b.WriteByte(raw[i])
		}
	}
	return b.String()
}

// FuzzLines writes lines of anything. A line is one line, below the limit, and can be read again.
func FuzzLines(f *testing.F) {
	f.Add("Edit", "main.go", "a reason", 3)
	f.Add("Bash\n", "a\xffb", "\u2028", 200)
	f.Add("mcp__x", strings.Repeat("\x01", 500), strings.Repeat("\x02", 1000), 200)
	f.Add("", strings.Repeat("é", 5000), strings.Repeat("x", 2000), 40)
	f.Fuzz(func(t *testing.T, tool, path, reason string, n int) {
		tool, reason, n = tool[:min(len(tool), 300)], reason[:min(len(reason), 1000)], min(max(n, 0), 300) // as the hook and the commands cut them
		l := Line{
			ID: "0000000000000001", At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Kind: KindDecision, Tool: tool, Reason: reason,
			Verdict: &boundary.Verdict{Decision: boundary.Block, Would: boundary.Block, Class: boundary.Writes},
		}
		for range n {
			l.Named = append(l.Named, boundary.Target{Path: path})
			l.Parts = append(l.Parts, boundary.Part{Class: boundary.Writes, Words: []string{path}, Why: path, Targets: []boundary.Target{{Path: path, Real: path}}})
		}
		raw, err := encodeLine(l)
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), MaxLine)
		require.Equal(t, len(raw)-1, bytes.IndexByte(raw, '\n'))
		again, err := ParseLine(raw[:len(raw)-1])
		require.NoError(t, err)
		require.Equal(t, l.ID, again.ID)
		require.Equal(t, len(again.Named) < n, again.Cut, "what is left out is said")
		if again.Cut {
			require.NotEmpty(t, again.Parts[0].Targets, "and some of it is kept")
		}
	})
}
