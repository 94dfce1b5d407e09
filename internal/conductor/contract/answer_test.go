package contract

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/planning"
)

// An answer has to fit what the contract says of its slot, and what a payload has to fit.
//
// Verifies: ORC-245
func TestAnswersThatFit(t *testing.T) {
	report := func(kind string) planning.Obligation {
		return planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": kind}}
	}
	plan := planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "plan", "steps": []any{
		map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "query.math"}}}}}
	text := jsontext.Value(`{"type":"string"}`)
	for _, c := range []struct {
		of     planning.Obligation
		slot   string
		schema jsontext.Value
		value  any
		fits   bool
	}{
		{report("query.math"), "expr", text, "2+2", true}, {report("query.math"), "expr", nil, "2+2", true},
		{report("query.math"), "expr", text, "", false}, {report("query.math"), "expr", text, " \t", false},
		{report("query.math"), "expr", nil, "", false}, {report("query.math"), "expr", nil, 7.0, false},
		{report("query.count_letters"), "text", text, "   ", false}, {report("query.count_letters"), "letter", nil, "", false},
		{report("rules.deduce"), "rules", jsontext.Value(`{"type":"array"}`), []any{}, false},
		{report("rules.deduce"), "rules", nil, []any{"p(X) :- q(X)."}, true},
		{report("status.name"), "name", nil, "   ", false}, {report("status.name"), "name", text, "   ", false},
		{report("status.name"), "name", text, "Jeff", true},
		{report("shop.city"), "person", text, "", true}, {report("shop.city"), "person", text, 7.0, false},
		{report("shop.city"), "person", jsontext.Value(`{"type":7}`), "Bob", false},
		{planning.Obligation{Type: planning.Clarify}, "value", text, "", true},
		{plan, "expr", nil, "2+2", true}, {plan, "expr", nil, "", false},
	} {
		wrong := CheckAnswer(c.of, c.slot, c.schema, c.value)
		require.Equal(t, c.fits, len(wrong) == 0, "%s %s of %q: %v", c.of, c.slot, c.value, wrong)
	}
}
