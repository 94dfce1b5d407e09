package conductcmd

import (
	"strings"
	"testing"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/cmd/orchestrator/output/outputtest"

	"github.com/stretchr/testify/require"
)

const wiped = "\r\x1b[K"

// TestADriveOnATerminal: each line takes the place of the bar, which comes back below it, and is gone in the end.
func TestADriveOnATerminal(t *testing.T) {
	at, shown := outputtest.Terminal(t, 120)
	d := &driven{out: at, bar: output.NewBar(at)}
	for _, c := range []struct{ event, want string }{
		{`{"order":{"requirements":2,"moves":4}}`, wiped + "[                        ] 0 of 4 moves, 0 of 2 requirements ended"},
		{`{"begun":{"requirement":"REQ-1","role":"coder","moves":3}}`, wiped + wiped + "[                        ] 0 of 4 moves, 0 of 2 requirements ended, REQ-1: coder"},
		{
			`{"step":{"number":1,"requirement":"REQ-1","obligation":"ACHIEVE(requirement.status)","outcome":"resolved","tool":"a.b","from":"planned","to":"done","moves":1}}`,
			wiped + "  1 REQ-1 ACHIEVE(requirement.status): resolved by a.b, planned → done\r\n" + wiped + "[============            ] 2 of 4 moves, 0 of 2 requirements ended",
		},
		{`{"end":{"requirement":"REQ-1","status":"done","outcome":"done"}}`, wiped + wiped + "[============            ] 2 of 4 moves, 1 of 2 requirements ended"},
		{
			`{"end":{"requirement":"REQ-2","status":"blocked","outcome":"blocked","why":"no \u001b[2Jtool"}}`,
			wiped + "    REQ-2 is blocked, blocked: no \\x1b[2Jtool\r\n" + wiped + "[============            ] 2 of 4 moves, 2 of 2 requirements ended",
		},
	} {
		require.NoError(t, d.line([]byte(c.event)))
		require.Equal(t, c.want, shown())
	}
	require.NoError(t, d.line([]byte(`{"report":{"requirements":[],"outcomes":{},"steps":1}}`)))
	end := shown()
	require.True(t, strings.HasPrefix(end, wiped), "%q", end)
	require.NotContains(t, end, "[==")
	require.Error(t, d.line([]byte("{")))
}
