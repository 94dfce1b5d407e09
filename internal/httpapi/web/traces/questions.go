package traces

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/page"
)

// asking is a question that waits, with the form that answers it.
type asking struct {
	question
	Run   run
	For   duty // what needs the answer
	Field field
	Panel *page.Panel // why the answer that was sent was refused
}

// HTMLID returns the id of the element that shows the question.
func (a asking) HTMLID() string {
	return "q-" + a.Run.ID + "-" + strings.ReplaceAll(a.ID, ".", "-") + "-" + a.Slot
}

// field is how an answer is given.
type field struct {
	Kind    string // choice, number, line or text
	Choices []choice
	Hint    string
	Filled  string // what was typed
}

// choice is one of the values that an answer can have.
type choice struct {
	Value, Text string
	Chosen      bool
}

// questionsOf returns the questions of runs that wait, with their forms.
func questionsOf(v *page.Visit, runs []run) (all []asking) {
	for _, r := range runs {
		for _, o := range r.Obligations {
			for _, q := range o.Questions {
				if q.Status != waits {
					continue
				}
				a := asking{question: q, Run: r, For: o.Of}
				typed := ""
				if v.Form.Get("run") == r.ID && v.Form.Get("question") == q.ID && v.Form.Get("slot") == q.Slot {
					a.Panel, typed = page.NewPanel(v.Refused), v.Form.Get("value")
				}
				a.Field = fieldOf(q.Schema, typed)
				all = append(all, a)
			}
		}
	}
	return all
}

// panelOf returns the panel of a refusal that no form of the page shows: its question was answered meanwhile.
func panelOf(v *page.Visit, shown []asking) *page.Panel {
	if slices.ContainsFunc(shown, func(a asking) bool { return a.Panel != nil }) {
		return nil
	}
	return page.NewPanel(v.Refused)
}

// othersOf returns the questions that wait for somebody else: of all runs, without those that are mine.
func othersOf(v *page.Visit, runs, mine []run) (all []asking) {
	ids := map[string]bool{}
	for _, r := range mine {
		ids[r.ID] = true
	}
	for _, a := range questionsOf(v, runs) {
		if !ids[a.Run.ID] {
			all = append(all, a)
		}
	}
	return all
}

// schema is what a form needs of the JSON Schema of an answer.
type schema struct {
	Type      jsontext.Value   `json:"type"`
	Enum      []jsontext.Value `json:"enum"`
	Minimum   jsontext.Value   `json:"minimum"`
	Maximum   jsontext.Value   `json:"maximum"`
	MaxLength int              `json:"maxLength"`
}

// longAnswer is how long an answer may be that has a field of one line.
const longAnswer = 200

// fieldOf returns the field for an answer of a schema: values that are listed are choices, and all else is typed.
func fieldOf(raw jsontext.Value, typed string) field {
	var s schema
	_ = json.Unmarshal(raw, &s) // whatever it is, the API holds the answer against it
	f := field{Kind: "line", Filled: typed}
	switch kind := plain(s.Type); {
	case len(s.Enum) > 0:
		f.Kind = "choice"
		for _, value := range s.Enum {
			f.Choices = append(f.Choices, choice{string(value), plain(value), string(value) == typed})
		}
	case kind == "boolean":
		f.Kind = "choice"
		f.Choices = []choice{{"true", "Yes", typed == "true"}, {"false", "No", typed == "false"}}
	case kind == "integer" || kind == "number":
		f.Kind, f.Hint = "number", bounds(kind, s)
	case kind == "string":
		if s.MaxLength > longAnswer || s.MaxLength == 0 {
			f.Kind = "text"
		}
	default:
		f.Kind = "text"
		if kind != "" && kind != "null" {
			f.Hint = "Write it as JSON: " + kind + "."
		}
	}
	return f
}

// bounds says which numbers are taken.
func bounds(kind string, s schema) string {
	text := map[string]string{"integer": "A whole number", "number": "A number"}[kind]
	least, most := plain(s.Minimum), plain(s.Maximum)
	switch {
	case least != "" && most != "":
		return text + " from " + least + " to " + most + "."
	case least != "":
		return text + ", " + least + " or more."
	case most != "":
		return text + ", " + most + " or less."
	}
	return text + "."
}

// valueOf returns what was typed as the value that a schema asks for. What does not fit goes as text: the API says what
// it wants.
func valueOf(raw jsontext.Value, typed string) jsontext.Value {
	var s schema
	_ = json.Unmarshal(raw, &s)
	trimmed := strings.TrimSpace(typed)
	if value := jsontext.Value(trimmed); (plain(s.Type) != "string" || len(s.Enum) > 0) && value.IsValid() {
		return value
	}
	text, err := json.Marshal(typed)
	if err != nil { // it is no UTF-8
		text, _ = json.Marshal(strings.ToValidUTF8(typed, "\uFFFD"))
	}
	return text
}

// answer is the body of POST /obligations/{run}/answers.
type answer struct {
	Obligation string         `json:"obligation"`
	Slot       string         `json:"slot"`
	Value      jsontext.Value `json:"value"`
}

// act sends what a form of the pages asks for.
func act(v *page.Visit) (page.Outcome, error) {
	switch v.Form.Get("act") {
	case "answer":
		return reply(v)
	case "ask":
		return askFor(v)
	}
	return page.Outcome{}, page.UnknownForm()
}

// reply answers a question.
func reply(v *page.Visit) (page.Outcome, error) {
	id, question, slot := v.Form.Get("run"), v.Form.Get("question"), v.Form.Get("slot")
	var r run
	if err := v.API.Get("/obligations/"+url.PathEscape(id), nil, &r); err != nil {
		return page.Outcome{}, err
	}
	var of jsontext.Value
	for _, q := range r.waiting() {
		if q.ID == question && q.Slot == slot {
			of = q.Schema
		}
	}
	got, err := v.API.Change(http.MethodPost, "/obligations/"+url.PathEscape(id)+"/answers",
		answer{question, slot, valueOf(of, v.Form.Get("value"))})
	if err != nil {
		return page.Outcome{}, err
	}
	var t struct {
		Status string `json:"status"`
	}
	if err := got.Fill(&t); err != nil {
		return page.Outcome{}, err
	}
	said := "You answered run " + strconv.Itoa(r.Number) + ": it " + outcomeSays(t.Status) + "."
	return page.Outcome{Said: page.Recorded(said, got), To: r.Href()}, nil
}
