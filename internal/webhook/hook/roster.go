package hook

import (
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// Most is how many hooks there may be.
const Most = 20

// The codes of what cannot be done with a roster.
const (
	CodeMalformed fault.Code = "webhooks_malformed"
	CodeFull      fault.Code = "webhooks_full"
	CodeExists    fault.Code = "webhook_exists"
	CodeUnknown   fault.Code = "webhook_unknown"
	CodeInvalid   fault.Code = "webhook_invalid"
)

// Roster is the hooks that there are, in the order in which they were added.
type Roster []Hook

// document is webhooks.json.
type document struct {
	Webhooks Roster `json:"webhooks"`
}

// Add returns the roster with one hook more.
//
// Implements: ORC-320
func (r Roster) Add(h Hook) (Roster, error) {
	if wrong := h.problems(); wrong != nil {
		return nil, fault.New(fault.Invalid, CodeInvalid, "the webhook cannot be added").WithFields(wrong...).
			WithFix("correct what is named")
	}
	switch {
	case slices.Contains(r.names(), h.Name):
		return nil, fault.New(fault.Conflict, CodeExists, "there is a webhook %s already", h.Name).
			WithFix("give another name, or remove that one first: orchestrator webhook remove %s", h.Name)
	case len(r) >= Most:
		return nil, fault.New(fault.Conflict, CodeFull, "there are %d webhooks, which is the most", Most).
			WithFix("remove one that is not needed: orchestrator webhook list names them")
	}
	return append(slices.Clone(r), h), nil
}

// Remove returns the roster without a hook.
func (r Roster) Remove(name string) (Roster, error) {
	if _, err := r.Find(name); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(r), func(h Hook) bool { return h.Name == name }), nil
}

// Find returns the hook of a name.
func (r Roster) Find(name string) (Hook, error) {
	if i := slices.Index(r.names(), name); i >= 0 {
		return r[i], nil
	}
	fix := "there is none: orchestrator webhook add URL makes one"
	if len(r) > 0 {
		fix = "give one of: " + strings.Join(r.names(), ", ")
	}
	return Hook{}, fault.New(fault.NotFound, CodeUnknown, "there is no such webhook").WithFix("%s", fix)
}

func (r Roster) names() []string {
	names := make([]string, len(r))
	for i, h := range r {
		names[i] = h.Name
	}
	return names
}

// Encode returns the file of a roster.
func (r Roster) Encode() ([]byte, error) {
	if r == nil {
		r = Roster{}
	}
	data, err := jsonv2.Marshal(document{r}, jsontext.WithIndent("  "), jsonv2.Deterministic(true))
	return append(data, '\n'), err
}

// Decode reads the file of a roster strictly. No value is repeated in the error.
func Decode(path string, data []byte) (Roster, error) {
	var doc document
	err := jsonv2.Unmarshal(data, &doc, jsonv2.RejectUnknownMembers(true))
	wrong := []fault.Field{{Detail: "is not the JSON of webhooks"}}
	if err == nil {
		wrong = doc.Webhooks.problems()
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Malformed, CodeMalformed, "the file %s cannot be used", path).
			WithFields(wrong...).
			WithFix("correct the file, or remove it and add the webhooks again: orchestrator webhook add URL")
	}
	return doc.Webhooks, nil
}

// problems returns what is wrong with a roster that was read.
func (r Roster) problems() (all []fault.Field) {
	if len(r) > Most {
		return []fault.Field{{Pointer: "/webhooks", Detail: "has more than " + strconv.Itoa(Most)}}
	}
	var before Roster
	for i, h := range r {
		at := "/webhooks/" + strconv.Itoa(i)
		for _, wrong := range h.problems() {
			wrong.Pointer = at + wrong.Pointer
			all = append(all, wrong)
		}
		if slices.Contains(before.names(), h.Name) {
			all = append(all, fault.Field{Pointer: at + "/name", Detail: "is the name of another"})
		}
		before = append(before, h)
	}
	if r == nil {
		all = append(all, fault.Field{Pointer: "/webhooks", Detail: "is missing"})
	}
	return all
}
