package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// byDoor is a way to the service, for a role that knows no more than its address and its token.
type byDoor interface {
	agenda(role string) some
	propose(role, id string, body some) some
	report(role, id, report string)
	cost() (calls, schema, answers int64)
}

// byHTTP is the REST API.
type byHTTP struct {
	h            *harness
	calls, bytes int64
}

func (d *byHTTP) do(role, method, path, body string, headers ...string) some {
	r := d.h.expect(http.StatusOK, "", role, method, path, body, headers...)
	d.calls, d.bytes = d.calls+1, d.bytes+int64(len(r.Body))
	return r.json(d.h.t)
}

func (d *byHTTP) agenda(role string) some { return d.do(role, "GET", "/next?limit=1", "") }

func (d *byHTTP) propose(role, id string, body some) some {
	sent, err := json.Marshal(body)
	require.NoError(d.h.t, err)
	return d.do(role, "PATCH", "/requirements/"+id, string(sent), "Prefer", "return=minimal")
}

func (d *byHTTP) report(role, id, report string) {
	d.do(role, "POST", "/requirements/"+id+"/test-report", report, "Prefer", "return=minimal")
}

func (d *byHTTP) cost() (calls, schema, answers int64) { return d.calls, 0, d.bytes }

// byMCP is the door for clients of the Model Context Protocol: the list of tools is read once by each role.
type byMCP struct {
	h            *harness
	clients      map[string]*speaking
	calls        int64
	schema, read int64
}

func (d *byMCP) use(role, tool string, arguments some) some {
	client := d.clients[role]
	if client == nil {
		client = d.h.speak(role, "", nil)
		d.clients[role] = client
		before := client.sent.read.Load()
		_, err := client.ListTools(d.h.t.Context(), nil)
		require.NoError(d.h.t, err)
		d.schema += client.sent.read.Load() - before
	}
	before := client.sent.read.Load()
	got := client.call(tool, arguments)
	require.False(d.h.t, got.IsError, textOf(got))
	d.calls, d.read = d.calls+1, d.read+client.sent.read.Load()-before
	return got.StructuredContent.(some)
}

func (d *byMCP) agenda(role string) some { return d.use(role, "next", some{"limit": 1}) }

func (d *byMCP) propose(role, id string, body some) some {
	body["id"] = id
	return d.use(role, "change", body)
}

func (d *byMCP) report(role, id, report string) {
	d.use(role, "attach_report", some{"id": id, "report": report})
}

func (d *byMCP) cost() (calls, schema, answers int64) { return d.calls, d.schema, d.read }

// toDone has four roles bring REQ-001 to done, each by the first lead that its agenda or an answer has for it, and
// returns how many steps were legal ones.
func toDone(t *testing.T, h *harness, d byDoor) (steps int64) {
	t.Helper()
	role, lead := "pm", some(nil)
	for h.statusOf("REQ-001") != "done" {
		require.Less(t, steps, int64(40))
		if lead == nil {
			first, there := d.agenda(role)["first"].(some)
			require.True(t, there, "nothing waits for %s", role)
			lead = first["next"].([]any)[0].(some)
			role = lead["by"].(string)
		}
		var answer some
		switch body, _ := lead["example"].(some); {
		case role == "tester" && body["status"] == nil:
			d.report(role, "REQ-001", junitOf("REQ-001"))
		default:
			answer = d.propose(role, "REQ-001", body)
		}
		steps++
		lead = nil
		if leads, _ := answer["next"].([]any); len(leads) > 0 {
			lead = leads[0].(some)
			role = lead["by"].(string)
		}
	}
	return steps
}

// What a life costs an agent by each door. With -v it prints the figures.
//
// Verifies: ORC-307
func TestALifeByToolsTakesNoMoreCallsThanByRequests(t *testing.T) {
	doors := map[string]func(*harness) byDoor{
		"HTTP": func(h *harness) byDoor { return &byHTTP{h: h} },
		"MCP":  func(h *harness) byDoor { return &byMCP{h: h, clients: map[string]*speaking{}} },
	}
	perStep, read := map[string]float64{}, map[string]int64{}
	for name, open := range doors {
		h := newHarness(t)
		d := open(h)
		steps := toDone(t, h, d)
		calls, schema, answers := d.cost()
		t.Logf("%s: %d calls for %d legal steps, %.2f a step; schemas of %d bytes, answers of %d bytes", name,
			calls, steps, float64(calls)/float64(steps), schema, answers)
		perStep[name], read[name] = float64(calls)/float64(steps), answers
	}
	require.LessOrEqual(t, perStep["MCP"], perStep["HTTP"])
	require.Less(t, read["MCP"], 3*read["HTTP"], "a result has its structure, and the same in words")
}
