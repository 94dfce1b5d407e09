package builtin

import "strings"

// The shapes of results: what each has always, and what it may have. A value can be taken from a result only where its
// shape names it.
var (
	requirementShape = "id status | title kind why was waiting_for[] revision# suspect? stale? retired? parts[]"
	statusShape      = "counts{} total#"
	missingShape     = "id status missing[] | moves#"
	nextShape        = "steps[] | next for waiting[]"
	listShape        = "requirements[] | total# next"
	evidenceShape    = "ok? problems[] | cited#"
	logShape         = "ok? problems[] | records# root"
	refusalsShape    = "refusals[] | more?"
	historyShape     = "id status moves[]"
	actsShape        = "id status did acts[]"
)

// schemaOf returns the schema of results of a shape: names with the signs of their types, those that are always there
// before the bar.
func schemaOf(shape string) map[string]any {
	types := map[byte]string{'[': "array", '{': "object", '#': "integer", '?': "boolean"}
	always, _, _ := strings.Cut(shape, "|")
	required, members := []any{}, map[string]any{}
	for _, word := range strings.Fields(strings.Replace(shape, "|", "", 1)) {
		name := strings.TrimRight(word, "[]{}#?")
		kind := "string"
		if len(word) > len(name) {
			kind = types[word[len(name)]]
		}
		members[name] = map[string]any{"type": kind}
		if len(required) < len(strings.Fields(always)) {
			required = append(required, name)
		}
	}
	return objectSchema(required, members)
}
