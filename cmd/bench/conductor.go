package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"orchestrator/internal/rules/planning"
)

// planned is how many tools there are, and for how many obligations they are ordered.
const planned = 1000

// math is an obligation that the box can answer.
const math = `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+%012d"}}]}`

// conducted measures the choice of tools alone, and an obligation over HTTP against a GET and against a PATCH: like
// that it is one commit, as what was run and answered is on record before it is answered.
func (b *bench) conducted(ctx context.Context) (rows []row, err error) {
	rows = []row{b.planning()}
	s, err := b.startPatched(ctx, "conductor", "--export-wait=0")
	if err != nil {
		return rows, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	one := func(r request) load {
		return load{addr: s.addr, clients: 1, request: r, lasting: b.round, atMost: unlimited}
	}
	loads := []load{one(s.get("coder", "/requirements/"+requirementID(0))), one(s.patch(patched, 1)), one(s.math())}
	p50 := make([][]float64, len(loads))
	for round := range b.rounds {
		for i, l := range loads {
			r, err := l.run(ctx)
			if err != nil {
				return rows, err
			}
			p50[i] = append(p50[i], r.p50())
		}
		say("round %d/%d  GET %.3f ms, PATCH %.3f ms, an obligation %.3f ms", round+1, b.rounds, p50[0][round],
			p50[1][round], p50[2][round])
	}
	return append(rows,
		newRow("POST /obligations, math, p50, c=1, against a GET", "ms", p50[0], p50[2], pairwise(p50[2], p50[0]),
			atMost(3)),
		newRow("POST /obligations, math, p50, c=1, against a PATCH", "ms", p50[1], p50[2],
			pairwise(p50[2], p50[1]), atMost(1.2)),
	), nil
}

func (s *server) math() request {
	head := fmt.Sprintf("POST /obligations HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		s.addr, s.secret("coder"), len(fmt.Sprintf(math, 0)))
	return func(dst []byte, n int) []byte { return fmt.Appendf(append(dst, head...), math, n) }
}

// planning returns how long it takes to order 1,000 tools for each of 1,000 obligations.
func (b *bench) planning() row {
	contracts := make([]planning.Contract, planned)
	for i := range contracts {
		pattern := "REPORT"
		if i%2 == 0 {
			pattern = fmt.Sprintf("REPORT(k.%d)", i%100)
		}
		contracts[i] = planning.Contract{
			Name: fmt.Sprintf("t.n%d", i*7919%planned), Satisfies: []string{pattern}, LatencyMS: i % 7,
			Reliability: []planning.Reliability{planning.High, planning.Medium, planning.Low}[i%3],
			Cost: []planning.Cost{planning.CostTiny, planning.CostLow, planning.CostMedium,
				planning.CostHigh}[i%4],
		}
	}
	var took []float64
	for range b.rounds {
		runtime.GC()
		begun, candidates := time.Now(), 0
		choice := planning.NewChoice(contracts)
		for i := range planned {
			candidates += len(choice.Candidates(planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": fmt.Sprintf("k.%d", i%100)}}))
		}
		if candidates < planned*planned/2 {
			panic("the tools that satisfy every kind are missing")
		}
		took = append(took, time.Since(begun).Seconds()*1000)
	}
	return newRow(fmt.Sprintf("planning %d obligations over %d tools", planned, planned), "ms", nil, took, nil,
		atMost(50))
}
