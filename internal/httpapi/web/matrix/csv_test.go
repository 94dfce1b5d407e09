package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-336
func TestNoCellIsAFormula(t *testing.T) {
	for cell, want := range map[string]string{
		"":                    "",
		"A stay - it is free": "A stay - it is free",
		"=1+1":                "'=1+1",
		"\t=1":                "'\t'=1",
		"\n+1":                "'\n'+1",
		"\uFF1D1+1":           "'\uFF1D1+1",
		"free;=1+1;@x":        "free;'=1+1;'@x",
		"one; two\r\n-three":  "one; two\r\n'-three",
		"tab\t=1":             "tab\t'=1",
	} {
		require.Equal(t, want, harmless(cell))
	}
}
