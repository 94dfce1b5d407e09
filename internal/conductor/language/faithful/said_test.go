package faithful

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-286
func TestWhatWasLeftOut(t *testing.T) {
	const approve, city = `ACHIEVE {"kind":"requirement.signoff","id":"REQ-1","approvals":[{"decision":"approved"}]}`,
		`ACHIEVE {"kind":"ir.assert","facts":[{"subject":"Alice","predicate":"city","object":"Paris"}]}`
	for _, c := range []struct{ words, obligation, left string }{
		{"unapprove REQ-1, would you", approve, "unapprove"},
		{"better disapprove REQ-1", approve, "disapprove"},
		{"don't give REQ-1 your blessing", approve, "not"},
		{"don\u2019t give REQ-1 your blessing", approve, "not"},
		{"give REQ-1 your blessing tomorrow", approve, "tomorrow"},
		{"give REQ-1 your blessing unless it is late", approve, "unless"},
		{"give REQ-1 your blessing", approve, ""},
		{"the design of REQ-1 is fine, so let it pass", approve, ""},
		{"Alice never lived in Paris", city, "never"},
		{"Alice probably dwells in Paris", city, "probably"},
		{"Alice dwells in Paris", city, ""},
		{"unblock REQ-1 for good", `ACHIEVE {"kind":"requirement.status","id":"REQ-1","status":"blocked"}`, "unblock"},
		{"unblock REQ-1 for good", `ACHIEVE {"kind":"requirement.status","id":"REQ-1","status":"planned"}`, ""},
		{"tell of REQ-1 that it is not late", `ACHIEVE {"kind":"requirement.pm_notes","id":"REQ-1","pm_notes":[{"text":"it is not late"}]}`, ""},
		{"whatever isn't finished", `REPORT {"kind":"query.requirements","filters":{"status":"done"}}`, "not"},
		{"whatever isn't finished", `REPORT {"kind":"query.requirements","filters":{"not_status":"done"}}`, ""},
		{"whatever has not begun", `REPORT {"kind":"query.requirements","filters":{"status":"not_started"}}`, ""},
		{"whatever is not suspect", `REPORT {"kind":"query.requirements","filters":{"suspect":false}}`, ""},
		{"how come REQ-1 is not ready", `REPORT {"kind":"requirement.missing","id":"REQ-1"}`, ""},
	} {
		typ, payload, _ := strings.Cut(c.obligation, " ")
		o := planning.Obligation{Type: planning.Type(typ)}
		require.NoError(t, json.Unmarshal([]byte(payload), &o.Payload))
		if err := Said(c.words, o); c.left == "" {
			require.NoError(t, err, c.words)
		} else {
			require.ErrorContains(t, err, `leaves out "`+c.left+`", which the user said`, c.words)
		}
	}
}

// Verifies: ORC-286
func TestWhatWasSaid(t *testing.T) {
	for name, c := range map[string]struct {
		words, obligation, strange string
	}{
		"numbers in words":         {"I wonder what two and 2 make", `REPORT {"kind":"query.math","expr":"2+2"}`, ""},
		"another number":           {"I wonder what 2 and 2 make", `REPORT {"kind":"query.math","expr":"3+3"}`, "3+3"},
		"tens and units":           {"what do twenty-one and a half make", `REPORT {"kind":"query.math","expr":"21+1/2"}`, ""},
		"thousands, decimals":      {"add 1,000 to 1.5", `REPORT {"kind":"query.math","expr":"1000+1.5"}`, ""},
		"another decimal":          {"add 1,000 to 1.5", `REPORT {"kind":"query.math","expr":"1000+5.1"}`, "1000+5.1"},
		"a number":                 {"show me seven of them", `REPORT {"kind":"k.x","n":7}`, ""},
		"another":                  {"show me seven of them", `REPORT {"kind":"k.x","n":8}`, "8"},
		"a fraction":               {"show me 1.5 of them", `REPORT {"kind":"k.x","n":1.5}`, ""},
		"an id":                    {"how about req-1, then", `REPORT {"kind":"requirement.status","id":"REQ-1"}`, ""},
		"another id":               {"how about REQ-1, then", `REPORT {"kind":"requirement.status","id":"REQ-2"}`, "REQ-2"},
		"an id of parts of two":    {"how about REQ-1 and FR-2", `REPORT {"kind":"requirement.status","id":"REQ-2"}`, "REQ-2"},
		"part of a number":         {"how about REQ-12", `REPORT {"kind":"requirement.status","id":"REQ-1"}`, "REQ-1"},
		"a name":                   {"who works for Ada Lovelace", `REPORT {"kind":"query.requirements","filters":{"assigned_to":"ada lovelace"}}`, ""},
		"another name":             {"is anybody around here called Jeff perhaps?", `ACHIEVE {"kind":"status.name","value":"Mallory"}`, "Mallory"},
		"a status by another word": {"what is finished", `REPORT {"kind":"query.requirements","filters":{"status":"done"},"count":true}`, ""},
		"a relation of many":       {"my friends in Rome", `REPORT {"kind":"query.people","filters":{"relation":"friend","city":"Rome"}}`, ""},
		"a text":                   {"count r in strawberry", `REPORT {"kind":"query.count_letters","letter":"r","text":"strawberry"}`, ""},
		"another text":             {"count r in strawberry", `REPORT {"kind":"query.count_letters","letter":"r","text":"raspberry"}`, "raspberry"},
		"a text in a list":         {"take a b", `ACHIEVE {"kind":"k.x","all":["a",{"deep":"c"}]}`, "c"},
		"a day by its name":        {"what went wrong yesterday", `REPORT {"kind":"query.refusals","since":"2026-11-22T00:00:00Z"}`, ""},
		"a day that is not named":  {"what went wrong", `REPORT {"kind":"query.refusals","since":"2026-11-22T00:00:00Z"}`, "2026-11-22T00:00:00Z"},
		"a zone by its city":       {"what hour is it in Berlin", `REPORT {"kind":"time.now","zone":"Europe/Berlin"}`, ""},
		"another zone":             {"what hour is it in Rome", `REPORT {"kind":"time.now","zone":"Europe/Berlin"}`, "Europe/Berlin"},
		"a result":                 {"count r in the sum", `REPORT {"kind":"query.count_letters","letter":"r","text":{"from":"o1.value"}}`, ""},
		"a result in a text":       {"count r in the sum", `REPORT {"kind":"k.x","text":"the sum {{o1.value}}"}`, ""},
		"a text around a result":   {"count r in the sum", `REPORT {"kind":"k.x","text":"Mallory {{o1.value}}"}`, "Mallory {{o1.value}}"},
		"no reference":             {"who is it from", `REPORT {"kind":"k.x","text":{"from":"o1.value","x":"Mallory"}}`, "o1.value"},
		"a question":               {"hm", `CLARIFY {"slot":"year","question":"Which year do you mean?"}`, ""},
		"nothing":                  {"hm", `REPORT {"kind":"k.x","text":"","none":null,"why":true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := planning.Obligation{}
			typ, payload := c.obligation[:len("REPORT")], c.obligation[len("REPORT"):]
			if typ != "REPORT" {
				typ, payload = c.obligation[:len("ACHIEVE")], c.obligation[len("ACHIEVE"):]
			}
			o.Type = planning.Type(typ)
			require.NoError(t, json.Unmarshal([]byte(payload), &o.Payload))
			err := Said(c.words, o)
			if c.strange == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `"`+c.strange+`", which the user did not say`)
		})
	}
}
