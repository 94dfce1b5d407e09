package applying

import (
	"cmp"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
)

// Review is what a person should see of a plan before it is sent.
type Review struct {
	SHA256 string                `json:"plan_sha256"` // of the file
	Roles  map[adoption.Role]int `json:"roles"`       // how many lines each has
	Signs  []Signature           `json:"signs"`
}

// Signature is what a line says in the name of the pm: that work is good, or done.
type Signature struct {
	Line        int    `json:"line"`
	Requirement string `json:"requirement"`
	Act         string `json:"act"`
	Text        string `json:"text,omitempty"`
}

// ReviewOf looks through a plan, whose file has some content.
func ReviewOf(plan []adoption.Line, content []byte) Review {
	r := Review{SHA256: digestOf(content), Roles: map[adoption.Role]int{}, Signs: []Signature{}}
	for _, l := range plan {
		r.Roles[l.Role]++
		if l.Role == "pm" && l.Request != nil {
			r.Signs = append(r.Signs, signatures(l)...)
		}
	}
	return r
}

// Hold refuses a plan that is not the one with a digest; "" is any.
func (r Review) Hold(digest string) error {
	if digest == "" || strings.EqualFold(digest, r.SHA256) {
		return nil
	}
	return fault.New(fault.Invalid, "plan_changed", "the plan is another one: its SHA-256 is %s", r.SHA256).
		WithFix("look at it anew with --dry-run, which prints the digest")
}

// signed are the members of a request by which the pm signs something.
type signed struct {
	Status   string `json:"status"`
	Accepts  string `json:"accept_fingerprint"`
	Approves []struct {
		Decision string `json:"decision"`
		Text     string `json:"text"`
	} `json:"approvals"`
	Deviations []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Text   string `json:"text"`
	} `json:"deviations"`
	Justification struct {
		Reason string `json:"reason"`
	} `json:"justification"`
}

// signatures returns what a line of the pm signs. A request of another shape is shown whole, as the service alone can
// tell what it means.
func signatures(l adoption.Line) (all []Signature) {
	sign := func(act, text string) { all = append(all, Signature{l.Number, l.Requirement, act, text}) }
	var s signed
	if err := jsonv2.Unmarshal(l.Request, &s); err != nil {
		sign("sends what cannot be read as a change", string(l.Request))
		return all
	}
	for _, a := range s.Approves {
		sign("approval: "+cmp.Or(a.Decision, "approved"), a.Text)
	}
	if s.Accepts != "" {
		sign("accepts its changed text", s.Accepts)
	}
	for _, d := range s.Deviations {
		sign(strings.TrimSpace("deviation "+d.ID+": "+d.Status), d.Text)
	}
	if s.Status == "done" {
		sign("moves it to done", s.Justification.Reason)
	}
	return all
}
