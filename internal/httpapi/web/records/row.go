package records

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/words"
)

// row is a record in the list.
type row struct {
	Seq       uint64         `json:"seq"`
	At        time.Time      `json:"at"`
	Kind      string         `json:"kind"`
	Subject   string         `json:"subject"`
	Previous  uint64         `json:"prev"` // of the records about the subject; 0 for none
	RequestID string         `json:"request_id"`
	Actor     actor          `json:"actor"`
	Raw       jsontext.Value `json:"data"`

	Content     content `json:"-"` // what of Raw is understood
	Requirement string  `json:"-"` // that it is about; "" for none
	What        string  `json:"-"` // it says, as a sentence goes on after the actor
	Mark        string  `json:"-"` // "" for none
}

type actor struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// content is what sentences are made of, of all kinds.
type content struct {
	From    any                       `json:"from"`
	To      any                       `json:"to"`
	Change  map[string]jsontext.Value `json:"change"`
	Refusal struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
	} `json:"refusal"`
	Request string           `json:"request"`
	Code    string           `json:"code"`
	Count   int              `json:"count"`
	Actor   actor            `json:"actor"`
	Field   string           `json:"field"`
	Broken  bool             `json:"broken"`
	Added   []actor          `json:"added"`
	Revoked []jsontext.Value `json:"revoked"`
	Defined []jsontext.Value `json:"defined"`
	Retired []jsontext.Value `json:"retired"`
	Renames []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"renames"`
	Changed []jsontext.Value `json:"changed"`
	Step    string           `json:"step"`
	Run     string           `json:"run"`
	Lines   []jsontext.Value `json:"lines"`
	Name    string           `json:"name"`
	Host    string           `json:"host"`
}

// rowOf reads a record. Of one that is not understood its kind is said.
func rowOf(raw jsontext.Value) row {
	var r row
	_ = json.Unmarshal(raw, &r)
	r.What = "wrote a record of the kind " + r.Kind
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == r.Kind })
	if at < 0 {
		return r
	}
	r.Mark = kinds[at].mark
	if kinds[at].ofRequirement {
		r.Requirement = r.Subject
	}
	if json.Unmarshal(r.Raw, &r.Content) == nil {
		r.What = kinds[at].says(r)
	}
	return r
}

// Sentence returns, in words, the record as a whole.
func (r row) Sentence() string {
	what := r.What
	if r.Kind == kinds[0].name {
		what = strings.Replace(what, " it", " "+r.Requirement, 1)
	}
	return words.Upper(r.Actor.Name) + " " + what + "."
}
