package httpapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/secret"
)

// An example shows a body of at most maxExample bytes whole, and of a longer one the first.
const (
	maxExample = 900
	shownBytes = 120
)

// unstable is what differs from run to run in a problem, and what stands for it.
var unstable = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`"instance":"urn:request:[^"]*"`), `"instance":"urn:request:k3v9q2xw7a-1f"`},
	{regexp.MustCompile(`expired at [0-9TZ:-]+`), "expired at 2026-01-02T03:04:05Z"},
	{regexp.MustCompile(`added [0-9]+ bytes`), "added 811 bytes"},
	{regexp.MustCompile(`has [0-9]+ records`), "has 7 records"},
	{regexp.MustCompile(`(until|after) 2[0-9TZ:-]+`), "$1 2026-01-03T00:00:00Z"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "llm.example.org"},
}

// example keeps a refused request as a possible example of its code. One with an Idempotency-Key is an example of the
// codes about keys alone: other problems speak of the key where one was sent.
func (s *seen) example(request string, headers []string, body string, r response) {
	var p struct{ Code fault.Code }
	if r.Header.Get("Idempotent-Replay") != "" || r.Header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(r.Body, &p) != nil {
		return
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Idempotency-Key" && !strings.Contains(string(p.Code), "idempotency") {
			return
		}
		request += "\n" + headers[i] + ": " + headers[i+1]
	}
	if strings.HasPrefix(string(p.Code), "store_") { // the store failed, whatever was asked
		request, body = "", ""
	}
	problem := r.Body
	for _, u := range unstable {
		problem = u.pattern.ReplaceAll(problem, []byte(u.instead))
	}
	e := catalogue.Example{Request: request, Body: shownBody(body), Problem: shortened(problem)}
	key, err := json.Marshal(e)
	must(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.examples == nil {
		s.examples = map[fault.Code]map[string]catalogue.Example{}
	}
	if s.examples[p.Code] == nil {
		s.examples[p.Code] = map[string]catalogue.Example{}
	}
	s.examples[p.Code][string(key)] = e
}

// checkExamples requires of the example of each code that the service gave just that answer to just that request. With
// -update they are chosen anew: the shortest that a body belongs to where one was sent.
func checkExamples(t *testing.T, all *seen) {
	if *update {
		chosen := map[fault.Code]catalogue.Example{}
		for code, examples := range all.examples {
			keys := slices.SortedFunc(maps.Keys(examples), func(a, b string) int {
				return cmp.Or(cmp.Compare(rank(examples[a]), rank(examples[b])), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			})
			chosen[code] = examples[keys[0]]
		}
		encoded, err := json.MarshalIndent(chosen, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("catalogue/examples.json", append(encoded, '\n'), 0o644))
		return
	}
	examples, err := catalogue.Examples()
	require.NoError(t, err)
	require.Len(t, examples, len(catalogue.Entries()))
	for code, e := range examples {
		e.Problem = compact(t, e.Problem)
		key, err := json.Marshal(e)
		require.NoError(t, err)
		require.Contains(t, all.examples[code], string(key), "no request is answered so any more; go test -run EveryDocumentedAnswer -update")
	}
}

// shownBody is a body as a page can show it: without secrets and control characters, and not whole where it is long.
func shownBody(body string) string {
	shown := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' {
			return unicode.ReplacementChar
		}
		return c
	}, strings.ToValidUTF8(secret.Mask(body), string(unicode.ReplacementChar)))
	if len(body) > maxExample {
		shown = fmt.Sprintf("%s (%d bytes)", fault.Clip(shown, shownBytes), len(body))
	}
	return shown
}

// shortened is a problem of which the lists have two entries at most, so that its page stays short.
func shortened(body []byte) jsontext.Value {
	var p struct {
		Type      string           `json:"type"`
		Title     string           `json:"title"`
		Status    int              `json:"status"`
		Detail    string           `json:"detail"`
		Instance  string           `json:"instance"`
		Code      string           `json:"code"`
		Retryable bool             `json:"retryable"`
		Fix       string           `json:"fix,omitempty"`
		Errors    []jsontext.Value `json:"errors,omitempty"`
		Current   jsontext.Value   `json:"current,omitempty"`
		Allowed   []jsontext.Value `json:"allowed,omitempty"`
	}
	must(json.Unmarshal(body, &p))
	p.Errors, p.Allowed = p.Errors[:min(2, len(p.Errors))], p.Allowed[:min(2, len(p.Allowed))]
	out, err := jsonv2.Marshal(p, jsonv2.Deterministic(true))
	must(err)
	return out
}

// rank puts the examples first that show most: those with a whole body, where there is one to send.
func rank(e catalogue.Example) int {
	switch {
	case e.Request == "", strings.HasPrefix(e.Request, "GET"):
		return 0
	case strings.Trim(e.Body, " {}") == "" && e.Body != "{":
		return 2
	case strings.HasSuffix(e.Body, " bytes)"), strings.ContainsRune(e.Body, unicode.ReplacementChar):
		return 1
	}
	return 0
}

func compact(t *testing.T, v jsontext.Value) jsontext.Value {
	t.Helper()
	v = v.Clone()
	require.NoError(t, v.Compact())
	return v
}

// TestTheCatalogueIsOfTheCodesThatAreDocumented: the contract says the same of each as its page.
//
// Verifies: ORC-131
func TestTheCatalogueIsOfTheCodesThatAreDocumented(t *testing.T) {
	want := map[string]string{}
	for _, e := range catalogue.Entries() {
		statuses := make([]string, len(e.Statuses))
		for i, status := range e.Statuses {
			statuses[i] = fmt.Sprint(status)
		}
		want[string(e.Code)] = strings.Join(statuses, " or ") + ". " + e.Means
	}
	require.Equal(t, want, theContract().codes())
}

// failing is a store that answers every read with one error.
type failing struct {
	store.Store
	with error
}

func (f *failing) View(ctx context.Context, fn func(store.Reader) error) error {
	if f.with != nil {
		return f.with
	}
	return f.Store.View(ctx, fn)
}

// provokeFailingStores has the store give each error that stores give: their own tests show when they do. The pages of
// these codes show the answer alone.
func provokeFailingStores(t *testing.T, all *seen) {
	f := &failing{Store: store.NewMemory()}
	h := newHarness(t, into(all), func(o *options) { o.Store = f })
	for code, kind := range map[fault.Code]fault.Kind{
		"store_commit": fault.Unavailable, "store_lost": fault.Unavailable, store.CodeDamaged: fault.Internal,
		"store_key": fault.Internal, "store_panic": fault.Internal, "store_table": fault.Internal, "store_value": fault.Internal,
	} {
		f.with = fault.New(kind, code, "/srv/shop/state.db: a detail for the log")
		h.expect(map[fault.Kind]int{fault.Unavailable: 503, fault.Internal: 500}[kind], string(code), "viewer", "GET", "/audit/records/0", "")
	}
	f.with = nil
}

// ending is a store that does as the database does when who waits for a commit is told to stop.
type ending struct {
	store.Store
	now bool
}

func (e *ending) Update(ctx context.Context, fn func(store.Tx) error) error {
	if e.now {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond): // not that of a run
		}
	}
	return e.Store.Update(ctx, fn)
}

// provokeStopping asks a conductor that stops.
func provokeStopping(t *testing.T, all *seen) {
	e := &ending{Store: store.NewMemory()}
	h := newHarness(t, into(all), func(o *options) { o.Store = e })
	h.conducting.Stop()
	e.now = true
	h.expect(503, "conductor_stopping", "pm", "POST", "/obligations", obligation("query.math", `"expr":"1+1"`))
	e.now = false
}
