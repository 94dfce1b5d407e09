package boundary

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkJudge(b *testing.B) {
	p, c := policy(), call("rm", "main")
	b.ReportAllocs()
	for b.Loop() {
		Judge(&p, c)
	}
}

// TestJudgingTakesFewAllocations: a hook judges one call, in memory that nothing has touched before.
func TestJudgingTakesFewAllocations(t *testing.T) {
	p, c := policy(), call("rm", "main")
	c.Guarded = Guarded{Paths: []string{".claude/settings.json", "/u/.bashrc"}, Mentions: []string{".claude/set"}}
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { Judge(&p, c) }), 8.0)
}
