package sedscript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHarmless(t *testing.T) {
	for program, harmless := range map[string]bool{
		"":               true,
		"p":              true,
		"1,40p":          true,
		"s/a/b/g":        true,
		"s,a,b,;p":       true,
		"/x/Id":          true,
		`\,x,p`:          true,
		"# note\np":      true,
		":a; N; ba":      true,
		"a text\np":      true,
		"{p;}":           true,
		"3q5":            true,
		`s/\//x/`:        true,
		`s/a/\/b/`:       true,
		"y/a/b/":         true,
		"s/a/b/w out":    false,
		"s/a/b/e":        false,
		"w out":          false,
		"e ls":           false,
		"1":              false,
		"/x":             false,
		"/[/]/p":         false,
		"/[a]/p":         true,
		"s":              false,
		"s\na\nb\n":      false,
		"s/a":            false,
		"s/a/b":          false,
		"pw":             false,
		"a x\\\\\nw out": false,
	} {
		require.Equal(t, harmless, Harmless(program), program)
	}
}
