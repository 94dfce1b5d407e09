package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"orchestrator/internal/requirements/reqdoc"
)

func TestMedianAndPairwise(t *testing.T) {
	values := []float64{5, 1, 3}
	require.InDelta(t, 3, median(values), 0)
	require.Equal(t, []float64{5, 1, 3}, values, "the order of rounds is kept")
	require.InDelta(t, 2.5, median([]float64{4, 1, 2, 3}), 0)
	require.Equal(t, []float64{0.5, 2}, pairwise([]float64{1, 6}, []float64{2, 3}))
}

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct{ name, answer, wrong string }{
		{"with a body", "HTTP/1.1 200 OK\r\nX: y\r\ncontent-length: 3\r\n\r\nabc", ""},
		{"without a body", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		{"a problem", "HTTP/1.1 409 Conflict\r\nContent-Length: 6\r\n\r\nsealed", "status 409: sealed"},
		{"not HTTP", "hello, who is there?\r\n\r\n", "not an HTTP answer"},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "without Content-Length"},
		{"a wrong length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "Content-Length of"},
		{"cut in the head", "HTTP/1.1 200 OK\r\nContent-Le", "EOF"},
		{"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := bufio.NewReader(strings.NewReader(c.answer))
			err := readAnswer(in, '2')
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Zero(t, in.Buffered(), "the next answer begins here")
		})
	}
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

func TestProcFiles(t *testing.T) {
	mb, err := kilobytes("Name:\tx\nVmHWM:\t   2000 kB\nVmRSS:\t   1000 kB\n", "VmRSS")
	require.NoError(t, err)
	require.InDelta(t, 1.024, mb, 1e-9)
	_, err = kilobytes("Name:\tx\n", "VmRSS")
	require.Error(t, err)
}

func TestDocumentHoldsWhatIsAskedFor(t *testing.T) {
	doc, err := reqdoc.Read([]reqdoc.File{{Path: "R.md", Content: document(10, 30, shortText)}}, reqdoc.Options{})
	require.NoError(t, err)
	require.Len(t, doc.Requirements, 20)
	require.Equal(t, requirementID(10), doc.Requirements[0].ID)
	require.Equal(t, requirementID(29), doc.Requirements[19].ID)
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
	for _, args := range [][]string{{"--rounds", "4"}, {"--only", "put"}, {"x"}, {"--round", "0s"}} {
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
