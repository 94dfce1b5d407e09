package outside

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/fault"
	"orchestrator/internal/strictjson"
)

// Result reads what a tool answered: one JSON object, by the rules for any body from outside. Its numbers
// keep their value; its texts and names are masked, since the result is recorded.
func Result(raw []byte, mask func(string) string) (map[string]any, error) {
	var result map[string]any
	_, err := strictjson.ParseUncounted(raw)
	if err == nil {
		err = strictjson.Fill(raw, &result)
	}
	if err != nil || result == nil {
		return nil, fault.New(fault.Invalid, "tool_answer", "the tool did not answer with one JSON object").
			WithFix("write {\"value\": …}, at most %d deep, with numbers of at most %d characters, and "+
				"nothing else to its standard output", strictjson.MaxDepth, strictjson.MaxNumber).Because(err)
	}
	return maskAll(result, mask).(map[string]any), nil
}

// maskAll masks the texts and names of a value.
func maskAll(value any, mask func(string) string) any {
	switch v := value.(type) {
	case string:
		return mask(v)
	case []any:
		for i := range v {
			v[i] = maskAll(v[i], mask)
		}
	case map[string]any:
		for name, member := range maps.Clone(v) {
			delete(v, name)
			v[mask(name)] = maskAll(member, mask)
		}
	}
	return value
}

// LastWords returns the end of what an agent said, to stand after what it did not do; "" if it said nothing as text.
// Where a client reports its usage, that is what its model said at last.
func LastWords(result map[string]any) string {
	text, _ := result["text"].(string)
	if text == "" {
		return ""
	}
	text = cmp.Or(usage.Said([]byte(text)), text)
	text = cmp.Or(refusalIn(text), text)
	const most = 300
	if cut := len(text) - most; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		if _, whole, found := strings.Cut(text, " "); found { // half a word says nothing
			text = whole
		}
		text = "…" + text
	}
	return "; it said: " + strings.Join(strings.Fields(text), " ")
}

// refusal is an answer of the service that is not 2xx, as far as it says what is wrong and what to do.
type refusal struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
	Errors []struct {
		Pointer string `json:"pointer"`
		Detail  string `json:"detail"`
		Fix     string `json:"fix"`
	} `json:"errors"`
}

// refusalIn returns what is wrong and what to do, from the last refusal that an agent was given and has printed; ""
// where there is none. That says more than the end of its JSON.
func refusalIn(text string) (words string) {
	const most = 8 << 10 // of its end
	text = text[max(0, len(text)-most):]
	for at := strings.IndexByte(text, '{'); at >= 0; {
		var r refusal
		d := json.NewDecoder(strings.NewReader(text[at:]))
		next := at + 1
		if d.Decode(&r) == nil {
			next = at + int(d.InputOffset())
			words = cmp.Or(r.words(), words)
		}
		after := strings.IndexByte(text[next:], '{')
		if after < 0 {
			break
		}
		at = next + after
	}
	return words
}

// words returns a refusal as a sentence; "" for what is none. The first of several errors stands for all.
func (r refusal) words() string {
	if r.Code == "" || r.Detail == "" {
		return ""
	}
	text, fix := r.Code+": "+r.Detail, r.Fix
	if len(r.Errors) > 0 {
		first := r.Errors[0]
		text += ": " + strings.TrimPrefix(first.Pointer+" ", " ") + first.Detail
		fix = cmp.Or(first.Fix, fix)
	}
	const most = 220
	return strings.TrimSuffix(fault.Clip(text, most)+" ("+fault.Clip(fix, most/3)+")", " ()")
}

// MaxText bounds what is kept of an agent's answer, in bytes: its end.
const MaxText = 16 << 10

// Text returns what an agent answered as text.
func Text(raw []byte, mask func(string) string) map[string]any {
	text := mask(string(raw)) // before it is cut, so that no half of a secret is left
	text = strings.ToValidUTF8(text[max(0, len(text)-MaxText):], "")
	text = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, text)
	return map[string]any{"text": strings.TrimSpace(text)}
}
