package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// A command of some 200 characters, as agents send them.
const realistic = `cd /home/dev/project && git log --oneline -20 -- internal/rules | head -5 && grep -rn "func Apply" internal/ --include='*.go' | wc -l; ` +
	`sed -n '1,40p' internal/rules/apply.go && cat go.mod > /dev/null`

func BenchmarkBash(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if Bash(realistic).Class() != Reads {
			b.Fatal("it writes")
		}
	}
}

func BenchmarkParseAlone(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.NewParser().Parse(strings.NewReader(realistic), ""); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReadingTakesFewAllocations: a hook reads a command with every call of a tool, in memory that nothing has touched
// before. The parser of the library has most of them.
func TestReadingTakesFewAllocations(t *testing.T) {
	parser := testing.AllocsPerRun(20, func() { _, _ = syntax.NewParser().Parse(strings.NewReader(realistic), "") })
	all := testing.AllocsPerRun(20, func() { Bash(realistic) })
	require.LessOrEqual(t, all-parser, 16.0)
}
