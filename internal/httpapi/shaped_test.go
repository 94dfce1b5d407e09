package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/schemas"
)

func members(t *testing.T, r response) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(r.json(t)))
}

// The parameter fields chooses members, everywhere in the same way; an unknown name is refused with the list.
//
// Verifies: ORC-152
func TestFieldsChooseMembers(t *testing.T) {
	h := newHarness(t)
	whole := h.do("viewer", http.MethodGet, "/requirements/REQ-001", "")
	require.Empty(t, schemas.Violations(schemas.Requirement, whole.json(t)), "without fields nothing is missing")
	for path, want := range map[string][]string{
		"/requirements/REQ-001?fields=id,status":         {"id", "status"},
		"/requirements/REQ-001?fields=status,%20id":      {"id", "status"},
		"/requirements/REQ-001/next?fields=waiting_for":  {"waiting_for"},
		"/next?fields=as_of,first,next":                  {"as_of", "first", "next"},
		"/requirements?limit=2&fields=id,since,revision": {"as_of", "next", "requirements", "total"},
	} {
		r := h.do("pm", http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, r.Status, "%s: %s", path, r.Body)
		require.Equal(t, want, members(t, r), path)
	}
	row := h.do("pm", http.MethodGet, "/requirements?limit=1&fields=id,since", "").json(t)["requirements"].([]any)[0]
	require.Equal(t, map[string]any{"id": "REQ-001", "since": "2026-01-02T03:04:05Z"}, row)
	for _, path := range []string{"/requirements/REQ-001?fields=state", "/requirements/REQ-001/next?fields=status,", "/next?fields=", "/requirements?fields=text"} {
		fix := h.expect(http.StatusBadRequest, "invalid_parameter", "pm", http.MethodGet, path, "").json(t)["fix"]
		require.Regexp(t, "^use some of .*,.*with commas", fix, path)
	}
	refused := h.expect(http.StatusBadRequest, "invalid_parameter", "pm", http.MethodPatch, "/requirements/REQ-001?fields=nothing", move(lifecycle.Planned))
	require.NotEmpty(t, refused.Header.Get("Audit-Receipt"), "it is on record, and nothing was applied")
	answer := h.do("pm", http.MethodPatch, "/requirements/REQ-001?fields=status,waiting_for,history", move(lifecycle.Planned))
	require.Equal(t, []string{"history", "status", "waiting_for"}, members(t, answer))
}

// A change answers with as much as is preferred, and says which preference was applied.
//
// Verifies: ORC-152
func TestAChangeAnswersWithWhatIsPreferred(t *testing.T) {
	h := newHarness(t)
	all := []string{"history", "id", "next", "revision", "status", "waiting_for", "fingerprint"}
	plain := h.patch("pm", move(lifecycle.Planned))
	require.NotContains(t, members(t, plain), "history")
	require.Empty(t, plain.Header.Get("Preference-Applied"))
	whole := h.patch("pm", move(lifecycle.DesignInProgress), "Prefer", "return=representation")
	require.Subset(t, members(t, whole), all)
	require.Equal(t, "return=representation", whole.Header.Get("Preference-Applied"))
	little := h.patch("architect", `{"design_spec":{"summary":"s"}}`, "Prefer", "respond-async, return=minimal")
	require.Equal(t, []string{"id", "next", "revision", "status", "waiting_for"}, members(t, little))
	require.Equal(t, "return=minimal", little.Header.Get("Preference-Applied"))
	require.Equal(t, []any{"pm"}, little.json(t)["waiting_for"])
	require.Less(t, len(little.Body), 600)
}

// A key is answered as it was first, in the shape that is asked for now, whatever became of the requirement.
func TestAnAnswerGivenAgainSaysTheSame(t *testing.T) {
	h := newHarness(t)
	first := h.patch("pm", move(lifecycle.Planned), "Idempotency-Key", "k")
	h.patch("pm", move(lifecycle.DesignInProgress))
	again := h.patch("pm", move(lifecycle.Planned), "Idempotency-Key", "k")
	require.Equal(t, "true", again.Header.Get("Idempotent-Replay"))
	require.Equal(t, string(first.Body), string(again.Body))
	little := h.patch("pm", move(lifecycle.Planned), "Idempotency-Key", "k", "Prefer", "return=minimal")
	require.Equal(t, first.json(t)["next"], little.json(t)["next"])
}

// A move that cannot come back under the workflow in force says so before, in the dry run, and in its answer.
//
// Verifies: ORC-150
func TestADeadEndIsSaidBefore(t *testing.T) {
	h := newHarness(t)
	var next struct {
		Moves []struct {
			To          string `json:"to"`
			LeadsToDone bool   `json:"leads_to_done"`
			Why         string `json:"why"`
		} `json:"moves"`
	}
	require.NoError(t, json.Unmarshal(h.do("pm", http.MethodGet, "/requirements/REQ-001/next", "").Body, &next))
	for _, m := range next.Moves {
		require.Equal(t, m.To == "planned", m.LeadsToDone, m.To)
		require.Equal(t, m.LeadsToDone, m.Why == "", m.To)
	}
	gates := func(r response) (all []any) {
		for _, w := range r.json(t)["warnings"].([]any) {
			all = append(all, w.(map[string]any)["gate"])
		}
		return all
	}
	dry := h.do("pm", http.MethodPatch, "/requirements/REQ-001?dry_run=true", move(lifecycle.Blocked))
	require.Equal(t, []any{"dead_end"}, gates(dry))
	blocked := h.patch("pm", move(lifecycle.Blocked))
	require.Equal(t, []any{"dead_end"}, gates(blocked))
	lead := blocked.json(t)["next"].([]any)[0].(map[string]any)
	require.Equal(t, `PUT /workflow {"workflow":"rework","reason":"<why>"}`, lead["request"])
}

// GET /next puts what depends on nothing unfinished first, and says what waits for whom, and what is stuck.
//
// Verifies: ORC-151
func TestWhatIsToBeDoneFirst(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Document = four })
	agenda := func(who, query string) (a struct {
		AsOf    uint64         `json:"as_of"`
		First   map[string]any `json:"first"`
		Mine    []struct{ ID, Do string }
		Total   int
		Waiting []struct {
			For   string
			Count int
			First []string
		}
		Stuck []struct{ ID, Why, By string }
		Next  *string
	}) {
		t.Helper()
		r := h.do(who, http.MethodGet, "/next"+query, "")
		require.Equal(t, http.StatusOK, r.Status, "%s", r.Body)
		require.NoError(t, json.Unmarshal(r.Body, &a))
		require.Less(t, len(r.Body), 2048)
		return a
	}
	ids := func(of []struct{ ID, Do string }) (all []string) {
		for _, m := range of {
			all = append(all, m.ID)
		}
		return all
	}
	a := agenda("pm", "")
	require.Equal(t, []string{"REQ-001", "REQ-002", "REQ-003", "REQ-004"}, ids(a.Mine))
	require.Equal(t, "move it to planned", a.Mine[0].Do)
	require.Equal(t, "REQ-001", a.First["id"])
	require.Equal(t, `"1"`, a.First["if_match"])
	require.Empty(t, a.Stuck)
	page := agenda("pm", "?limit=3")
	require.Equal(t, 4, page.Total)
	require.Equal(t, "/next?after=REQ-003&limit=3", *page.Next)
	require.Equal(t, []string{"REQ-004"}, ids(agenda("pm", "?limit=3&after=REQ-003").Mine))
	h.expect(http.StatusBadRequest, "unknown_cursor", "coder", http.MethodGet, "/next?after=REQ-001", "")
	require.Nil(t, agenda("coder", "").First)

	h.do("pm", http.MethodPatch, "/requirements/REQ-003", move(lifecycle.Planned))
	require.Equal(t, []string{"REQ-003"}, ids(agenda("pm", "?since="+number(a.AsOf)).Mine))
	list := h.do("pm", http.MethodGet, "/requirements?since="+number(a.AsOf), "").json(t)
	require.Equal(t, 1.0, list["total"])
	h.do("pm", http.MethodPatch, "/requirements/REQ-002", move(lifecycle.Blocked))
	stuck := agenda("viewer", "").Stuck
	require.Len(t, stuck, 1)
	require.Contains(t, stuck[0].Why, "dead end under workflow v1")
	require.Equal(t, "pm", stuck[0].By)
}

func number(n uint64) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

const four = "# Sample\n\n## REQ-001: Log in\n\nText.\n\n## REQ-002: Log out\n\nText.\n\n## REQ-003: Pay\n\nText.\n\n## REQ-004: Leave\n\nText.\n"

// Of the lists of a requirement, since leaves what was added after a revision.
func TestTheNewEntriesOfARequirement(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", `{"pm_notes":[{"text":"one"}],"deviations":[{"id":"D-1","text":"slow"}]}`)
	h.patch("pm", `{"pm_notes":[{"text":"two"}],"approvals":[{"decision":"rejected"}],"deviations":[{"id":"D-2","text":"slower"}]}`)
	h.patch("pm", `{"deviations":[{"id":"D-1","resolution":{"outcome":"fixed","text":"quick"}}]}`)
	lengths := func(since string) (all []int) {
		r := h.do("pm", http.MethodGet, "/requirements/REQ-001?since="+since, "").json(t)
		for _, list := range []string{"history", "pm_notes", "approvals", "deviations"} {
			all = append(all, len(r[list].([]any)))
		}
		return all
	}
	require.Equal(t, []int{1, 2, 1, 2}, lengths("0"))
	require.Equal(t, []int{0, 2, 1, 2}, lengths("2"))
	require.Equal(t, []int{0, 1, 1, 2}, lengths("3"))
	require.Equal(t, []int{0, 0, 0, 1}, lengths("4"))
	h.expect(http.StatusBadRequest, "invalid_parameter", "pm", http.MethodGet, "/requirements/REQ-001?since=x", "")
}

// What was refused shows what would be accepted; the log does not have it.
//
// Verifies: ORC-153
func TestRefusalsShowWhatWouldBeRight(t *testing.T) {
	h := newHarness(t)
	example := func(r response) map[string]any {
		return r.json(t)["errors"].([]any)[0].(map[string]any)["example"].(map[string]any)
	}
	wrong := h.expect(http.StatusUnprocessableEntity, "schema_violation", "coder", http.MethodPatch, "/requirements/REQ-001", `{"implementation":{"files":["a"]}}`)
	require.Contains(t, example(wrong), "implementation")
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	lacking := h.expect(http.StatusConflict, "gate_unmet", "pm", http.MethodPatch, "/requirements/REQ-001", move(lifecycle.DesignReady))
	require.Equal(t, map[string]any{"design_spec": map[string]any{"summary": "<what is to be built, and how>"}}, example(lacking))
	log := h.do("pm", http.MethodGet, "/requirements/REQ-001/history", "")
	require.NotContains(t, string(log.Body), "<what is to be built")
}
