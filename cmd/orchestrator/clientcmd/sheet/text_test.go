package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/output"
)

// Verifies: ORC-158

// What a document or a person wrote is escaped; the colour of a label before it is not.
func TestALabelIsPainted(t *testing.T) {
	p := output.NewPrinter(true)
	Labelled(p, 24, "  ", output.Yellow, "against done: ", "the text has \x1b[2J changed")
	require.Equal(t, "  \x1b[33magainst done: \x1b[0mthe text\n  has \\x1b[2J changed\n", p.String())
	p = output.NewPrinter(false)
	Labelled(p, 80, "", output.Yellow, "conflict: ", "two changes")
	require.Equal(t, "conflict: two changes\n", p.String())
}
