package tools

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/rules/lifecycle"
)

// read reads a path into v. A refusal is a result; it and an error leave v as it was.
func (s *Caller) read(ctx context.Context, req *mcp.CallToolRequest, path string, q url.Values, v any) (
	*mcp.CallToolResult, error) {
	got, refused, err := s.send(ctx, req, rest.Call{Method: http.MethodGet, Path: path, Query: q})
	if refused != nil || err != nil {
		return refused, err
	}
	return nil, got.Fill(v)
}

// Members of reviews that answers have without being asked for.
var (
	MembersOfProject = []string{"project", "workflow", "verdict", "reasons", "counts"}
	membersOfDossier = []string{"standing", "gates", "parts", "approvals", "deviations", "pm_notes"}
)

// review shows the review of a requirement, or what stands in the way of the project.
func (s *Caller) review(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult,
	error) {
	var a struct {
		ID     string
		Limit  uint64
		Fields []string
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	path, keep := "/project/review", MembersOfProject
	if a.ID != "" {
		path, keep = rest.Requirement(a.ID, "/review"), membersOfDossier
	}
	var whole Members
	if refused, err := s.read(ctx, req, path, nil, &whole); refused != nil || err != nil {
		return refused, err
	}
	kept, err := Only(whole, slices.Concat(keep, a.Fields))
	if err != nil {
		return nil, err
	}
	if a.ID != "" {
		return dossier(kept)
	}
	return openOf(kept, whole["requirements"], int(orElse(a.Limit, fewOpen)))
}

// Members are those of an object, by their names.
type Members map[string]jsontext.Value

// Only returns some members of an object.
func Only(whole Members, names []string) (Members, error) {
	kept := Members{}
	for _, name := range names {
		value, there := whole[name]
		if !there {
			return nil, fault.New(fault.Malformed, CodeArguments, "the review has no member %q", fault.Clip(name, 64)).
				WithFix("leave fields out, or name members that the answer of the API has")
		}
		kept[name] = value
	}
	return kept, nil
}

// dossier is the review of one requirement.
func dossier(kept Members) (*mcp.CallToolResult, error) {
	var standing struct {
		entry
		Missing []struct {
			lack
			To string
		}
	}
	if err := rest.Unmarshal(kept["standing"], &standing); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s.", standing.ID, standing.Status)
	waits(&b, standing.WaitingFor)
	lacks, order := map[string][]lack{}, []string{}
	for _, m := range standing.Missing {
		if lacks[m.To] = append(lacks[m.To], m.lack); len(lacks[m.To]) == 1 {
			order = append(order, m.To)
		}
	}
	for _, to := range order {
		fmt.Fprintf(&b, "\nFor %s: %s", to, lacking(lacks[to]))
	}
	return toldOf(kept, b.String())
}

// openOf is the review of the project: the members that were kept, and the first requirements that are open.
func openOf(kept Members, requirements jsontext.Value, limit int) (*mcp.CallToolResult, error) {
	type standing struct {
		ID         string   `json:"id"`
		Status     string   `json:"status"`
		Codes      []string `json:"codes"`
		WaitingFor []string `json:"waiting_for"`
		Next       string   `json:"next,omitempty"`
	}
	var all []struct {
		standing
		Done bool `json:"ok"`
	}
	if err := rest.Unmarshal(requirements, &all); err != nil {
		return nil, err
	}
	open, total := []standing{}, 0
	for _, r := range all {
		if r.Done {
			continue
		}
		if total++; total <= limit {
			open = append(open, r.standing)
		}
	}
	listed, err := jsonv2.Marshal(open)
	if err != nil {
		return nil, err
	}
	kept["open"], kept["open_total"] = listed, jsontext.Value(strconv.Itoa(total))
	var said struct {
		Verdict string
		Reasons []string
	}
	_ = rest.Unmarshal(kept["verdict"], &said.Verdict)
	_ = rest.Unmarshal(kept["reasons"], &said.Reasons)
	var b strings.Builder
	fmt.Fprintf(&b, "Verdict: %s. %s", said.Verdict, strings.Join(said.Reasons, "; "))
	for _, r := range open {
		entry{ID: r.ID, Status: r.Status, WaitingFor: r.WaitingFor}.line(&b)
	}
	if total > len(open) {
		fmt.Fprintf(&b, "\nand %d more", total-len(open))
	}
	return toldOf(kept, b.String())
}

// page is a page of requirements.
type page struct {
	Total        int              `json:"total"`
	AsOf         uint64           `json:"as_of"`
	Requirements []jsontext.Value `json:"requirements"`
	After        string           `json:"after,omitempty"` // the last id, where there are more
	Next         *string          `json:"next,omitempty"`  // where the API has them
}

func (l page) told() (*mcp.CallToolResult, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d:", len(l.Requirements), l.Total)
	var last entry
	for _, raw := range l.Requirements {
		last = entry{}
		if err := rest.Unmarshal(raw, &last); err != nil {
			return nil, err
		}
		last.line(&b)
	}
	if l.Next != nil {
		l.After, l.Next = last.ID, nil
		fmt.Fprintf(&b, "\nThere are more: call again with after %q.", l.After)
	}
	return toldOf(l, b.String())
}

// record is a record of the log, as far as history shows it.
type record struct {
	Seq   uint64    `json:"seq"`
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"`
	Actor struct {
		Name string `json:"name"`
		Role string `json:"role"`
	} `json:"actor"`
	Data struct {
		Change  jsontext.Value `json:"change,omitzero"`
		Field   string         `json:"field,omitempty"`
		Refusal *struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		} `json:"refusal,omitempty"`
	} `json:"data"`
}

func (r record) line(b *strings.Builder) {
	fmt.Fprintf(b, "\n#%d %s %s by %s (%s)", r.Seq, r.At.UTC().Format(time.DateTime), r.Kind, r.Actor.Name,
		r.Actor.Role)
	switch {
	case r.Data.Refusal != nil:
		fmt.Fprintf(b, ": %s, %s", r.Data.Refusal.Code, cut(r.Data.Refusal.Detail))
	case r.Data.Change != nil:
		fmt.Fprintf(b, ": %s", short(r.Data.Change))
	}
}

func (s *Caller) history(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult,
	error) {
	var a struct {
		ID            string
		Limit, Before uint64
		Whole         bool
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	q := url.Values{}
	set(q, "limit", orElse(a.Limit, fewRecords))
	set(q, "before", a.Before)
	c := rest.Call{Method: http.MethodGet, Path: rest.Requirement(a.ID, "/history"), Query: q}
	if a.Whole {
		return passOn(ctx, s, req, c, history.text)
	}
	var h history
	if refused, err := s.read(ctx, req, c.Path, q, &h); refused != nil || err != nil {
		return refused, err
	}
	text := h.text()
	h.Before, h.Next = h.older(), nil
	return toldOf(h, text)
}

// history is a page of records.
type history struct {
	Size    uint64   `json:"size"`
	Total   uint64   `json:"total"`
	Records []record `json:"records"`
	Before  uint64   `json:"before,omitzero"` // number of the oldest record, where there are older ones
	Next    *string  `json:"next,omitempty"`  // where the API has those
}

func (h history) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Records: %d of %d", len(h.Records), h.Total)
	for _, r := range h.Records {
		r.line(&b)
	}
	if before := h.older(); before > 0 {
		fmt.Fprintf(&b, "\nThere are older ones: call again with before %d.", before)
	}
	return b.String()
}

// older returns the number of the oldest record, if there are older ones.
func (h history) older() uint64 {
	if n := len(h.Records); h.Next != nil && n > 0 {
		return h.Records[n-1].Seq
	}
	return 0
}

// identity is whose token it is, and what it may do.
type identity struct {
	Name        string   `json:"name"`
	Role        string   `json:"role"`
	Requirement string   `json:"requirement,omitempty"` // that it is bound to
	Workflow    string   `json:"workflow"`
	Fields      []string `json:"fields"`
	Moves       []move   `json:"moves"`
}

type move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func (s *Caller) whoami(ctx context.Context, req *mcp.CallToolRequest, _ jsontext.Value) (*mcp.CallToolResult, error) {
	var front struct {
		Caller struct{ Name, Role, Requirement string }
	}
	if refused, err := s.read(ctx, req, "/", nil, &front); refused != nil || err != nil {
		return refused, err
	}
	var workflow struct {
		Name        string
		Transitions []struct{ From, To, By string }
	}
	if refused, err := s.read(ctx, req, "/workflow", nil, &workflow); refused != nil || err != nil {
		return refused, err
	}
	who := identity{Name: front.Caller.Name, Role: front.Caller.Role, Requirement: front.Caller.Requirement,
		Workflow: workflow.Name, Moves: []move{},
		Fields: append([]string{}, lifecycle.FieldsOf(lifecycle.Role(front.Caller.Role))...)}
	for _, t := range workflow.Transitions {
		if t.By == who.Role {
			who.Moves = append(who.Moves, move{t.From, t.To})
		}
	}
	return toldOf(who, who.text())
}

func (i identity) text() string {
	bound := ""
	if i.Requirement != "" {
		bound = " for " + i.Requirement + " alone"
	}
	fields := "no field"
	if len(i.Fields) > 0 {
		fields = strings.Join(i.Fields, ", ")
	}
	return fmt.Sprintf("You are %s, role %s%s. You may set %s, and make %d moves of the workflow %s.", i.Name, i.Role,
		bound, fields, len(i.Moves), i.Workflow)
}

// with returns an object with the members of another one besides.
func with(object jsontext.Value, more any) (jsontext.Value, error) {
	var all map[string]jsontext.Value
	if err := rest.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	added, err := jsonv2.Marshal(more)
	if err == nil {
		err = rest.Unmarshal(added, &all)
	}
	if err != nil {
		return nil, err
	}
	return jsonv2.Marshal(all, jsonv2.Deterministic(true))
}
