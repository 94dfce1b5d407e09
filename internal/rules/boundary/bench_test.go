package boundary

import "testing"

func BenchmarkJudge(b *testing.B) {
	p, c := policy(), call("rm", "main")
	b.ReportAllocs()
	for b.Loop() {
		Judge(&p, c)
	}
}
