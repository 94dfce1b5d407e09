package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/bench/report"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

func TestMedianAndPairwise(t *testing.T) {
	values := []float64{5, 1, 3}
	require.InDelta(t, 3, median(values), 0)
	require.Equal(t, []float64{5, 1, 3}, values, "the order of rounds is kept")
	require.InDelta(t, 2.5, median([]float64{4, 1, 2, 3}), 0)
	require.Equal(t, []float64{0.5, 2}, pairwise([]float64{1, 6}, []float64{2, 3}))
}

// A load fails as soon as one request does; its figures must not be used.
func TestLoadCountsAndFails(t *testing.T) {
	var served, failAt atomic.Int64
	failAt.Store(1 << 40)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1) == failAt.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer web.Close()
	s := &server{addr: web.Listener.Addr().String()}
	r, err := load{s.addr, 4, s.get("viewer", "/"), time.Minute, 100, false, 0}.run(context.Background())
	require.NoError(t, err)
	require.Equal(t, 100, r.requests)
	require.EqualValues(t, 100, served.Load())
	require.IsNonDecreasing(t, r.latencies)

	failAt.Store(150)
	_, err = load{s.addr, 4, s.get("viewer", "/"), time.Minute, 100, false, 0}.run(context.Background())
	require.ErrorContains(t, err, "status 503")

	failAt.Store(served.Load() + 1)
	_, err = load{s.addr, 1, s.get("viewer", "/"), time.Minute, 1, true, 0}.run(context.Background())
	require.ErrorContains(t, err, "status 503", "a failure is no refusal")
	_, err = load{s.addr, 1, s.get("viewer", "/"), time.Minute, 1, true, 0}.run(context.Background())
	require.ErrorContains(t, err, "status 200", "and nor is a success")

	web.Close()
	_, err = load{s.addr, 1, s.get("viewer", "/"), time.Minute, 1, false, 0}.run(context.Background())
	require.Error(t, err)
}

func TestPatchesGoRound(t *testing.T) {
	s := &server{addr: "127.0.0.1:1"}
	first, second := s.patch(10, 3)(nil, 0), s.patch(10, 3)(nil, 4)
	require.Contains(t, string(first), "PATCH /requirements/REQ-000001 HTTP/1.1\r\n")
	require.Contains(t, string(second), "PATCH /requirements/REQ-000003 HTTP/1.1\r\n")
	require.Len(t, second, len(first))
	sent, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(first)))
	require.NoError(t, err)
	body, err := io.ReadAll(sent.Body)
	require.NoError(t, err)
	require.True(t, json.Valid(body))
	require.True(t, bytes.HasSuffix(first, append([]byte("\r\n\r\n"), body...)), "nothing follows the body")
}

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"--only", "get,start", "--rounds=7", "--json"})
	require.NoError(t, err)
	require.Equal(t, []string{"get", "start"}, o.only)
	for _, args := range [][]string{{"--rounds", "4"}, {"--only", "put"}, {"x"}, {"--round", "0s"}, {"--json", "--markdown"},
		{"--only", "get", "--curve", "curve.svg"}} {
		_, err := parseOptions(args)
		require.Error(t, err, args)
	}
}

// The page says what a call of the hook takes, and with which row it can be measured.
//
// Verifies: ORC-226
func TestThePageNamesTheRowOfTheHook(t *testing.T) {
	page, err := os.ReadFile("../../docs/boundary.md")
	require.NoError(t, err)
	_, cost, found := strings.Cut(string(page), "\n## What it costs\n")
	require.True(t, found)
	cost, _, _ = strings.Cut(cost, "\n## ")
	cost = strings.Join(strings.Fields(cost), " ")
	require.Regexp(t, "^One call of `orchestrator-hook` takes about [0-9.]+ ms, ", cost)
	named := regexp.MustCompile("`go run ./cmd/bench --only ([a-z]+)` measures yours, in its row \"(.+?)\"").
		FindStringSubmatch(cost)
	require.Len(t, named, 3)
	require.Contains(t, sectionNames(), named[1])
	source, err := os.ReadFile(named[1] + ".go")
	require.NoError(t, err)
	require.Contains(t, string(source), `newRow("`+named[2]+`", "ms", `)
}

// A machine without PostgreSQL fails nothing, and is told what it lacks.
func TestPeersAreSkippedWithoutPostgreSQL(t *testing.T) {
	rep := report.New(time.Now(), "ext4", 5)
	rep.Add("peers", nil, skippedIfMissing(fmt.Errorf("%w: no such user", postgres.ErrMissing)))
	require.Zero(t, rep.ExitCode(true))
	require.Contains(t, rep.Skipped["peers"], "make postgres")
	rep.Add("peers", nil, skippedIfMissing(io.ErrUnexpectedEOF))
	require.Equal(t, 1, rep.ExitCode(false), "another error is a failure")
}

// A lone change finds the service at rest: the pause is not part of what it takes.
func TestThePauseIsNotMeasured(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer web.Close()
	s := &server{addr: web.Listener.Addr().String()}
	const pause = 200 * time.Millisecond
	r, err := load{addr: s.addr, clients: 1, request: s.get("viewer", "/"), lasting: time.Minute, atMost: 5, pause: pause}.
		run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 5, r.requests)
	require.GreaterOrEqual(t, r.took, 5*pause)
	require.Less(t, r.p50(), 1000*pause.Seconds(), "only the first request has no pause before it")
}

// The page has the table that --markdown prints, and every section is in it or in the page about many machines.
func TestThePageHasTheTableOfTheBench(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	require.NoError(t, err)
	require.Contains(t, string(page), report.MarkdownHead)
	scale, err := os.ReadFile("../../docs/scale.md")
	require.NoError(t, err)
	for _, name := range sectionNames() {
		require.Contains(t, string(page)+string(scale), "`--only "+name+"`")
	}
}
