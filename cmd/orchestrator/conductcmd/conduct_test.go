package conductcmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
)

// An answer of several lines is shown as such; what could steer a terminal is not.
func TestAnswersAreShownLineByLine(t *testing.T) {
	var out strings.Builder
	showTrace(&out, conductor.Trace{Answers: []conductor.Answer{{Text: "What is next:\n- REQ-1: \x1b[2J"}}})
	require.Equal(t, "What is next:\n- REQ-1: \\x1b[2J\n", out.String())
}
