package outside

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/secret"
)

// An answer is read by the rules for any body from outside.
func TestAnswersThatNobodyCouldRead(t *testing.T) {
	for name, answer := range map[string]string{
		"a name twice": `{"a":1,"a":2}`, "too deep": strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "a zero": `{"a":"\u0000"}`,
		"a bomb": `{"a":1e999999999}`, "a long number": `{"a":` + strings.Repeat("1", 33) + `}`, "null": `null`,
	} {
		_, err := Result([]byte(answer), secret.Mask)
		require.Equal(t, "tool_answer", string(state.FailureOf(err).Code), name)
	}
}

// Verifies: ORC-289
func TestLastWords(t *testing.T) {
	for said, want := range map[string]string{
		"":                                      "",
		"I cannot\n do it.":                     "; it said: I cannot do it.",
		`{"type":"result","result":"I cannot"}`: "; it said: I cannot",
		strings.Repeat("word ", 100):            "; it said: …" + strings.TrimSpace(strings.Repeat("word ", 59)),
		`I tried. {"type":"urn:x","status":422,"detail":"the body does not fit","code":"schema_violation","fix":"mend it",
			"errors":[{"pointer":"/implementation/files/0/path","code":"pattern","detail":"does not match pattern"}]} {broken`: "; it said: " +
			"schema_violation: the body does not fit: /implementation/files/0/path does not match pattern (mend it)",
		`{"code":"sealed","detail":"it is done"} and {"code":"x"} {"a":{"code":"y","detail":"z"}}`: "; it said: sealed: it is done",
		strings.Repeat("x", 301): "; it said: …" + strings.Repeat("x", 300),
	} {
		require.Equal(t, want, LastWords(map[string]any{"text": said}))
	}
}
