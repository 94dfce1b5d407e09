package tools

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
)

const (
	toolChange = "change"
	toolAttach = "attach_report"
)

// handlers make the calls of each tool. Arguments were held against its schema.
var handlers = map[string]func(*Caller, context.Context, *mcp.CallToolRequest, jsontext.Value) (*mcp.CallToolResult,
	error){
	"next": (*Caller).next, "requirement": (*Caller).requirement, "list": (*Caller).list,
	toolChange: (*Caller).change, toolAttach: (*Caller).attachReport, "review": (*Caller).review,
	"history": (*Caller).history, "claim": (*Caller).claim, "ask": (*Caller).ask, "whoami": (*Caller).whoami,
}

// Members that answers have where the caller names none.
const (
	fieldsOfRequirement = "id,title,text,acceptance,status,revision,suspect,pm_notes,deviations," +
		"design_spec,implementation,test"
	fieldsOfList = "id,title,status,revision,waiting_for"
	FieldsOfNext = "id,status,revision,waiting_for,fields,moves,against_done,claims"
)

// Members that the texts of answers tell.
const (
	toldOfRequirement = "id,status,revision"
	toldOfAgenda      = "first,mine,total,waiting"
)

// How many entries answers have where the caller says nothing.
const (
	fewOnAgenda = 5
	fewListed   = 20
	fewOpen     = 10
	fewRecords  = 10
)

// set sets parameters of a query from arguments; zero values are left out.
func set(q url.Values, name string, value any) {
	switch v := value.(type) {
	case string:
		if v != "" {
			q.Set(name, v)
		}
	case uint64:
		if v != 0 {
			q.Set(name, strconv.FormatUint(v, 10))
		}
	case bool:
		if v {
			q.Set(name, "true")
		}
	case *bool:
		if v != nil {
			q.Set(name, strconv.FormatBool(*v))
		}
	}
}

// shown returns the members to ask the API for: those that were named and those that the text tells, or the usual ones.
func shown(named []string, told, usual string) string {
	switch {
	case len(named) == 0:
		return usual
	case slices.Equal(named, []string{"all"}):
		return ""
	}
	all := strings.Split(told, ",")
	for _, name := range named {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ",")
}

// next shows the agenda, or what can be done with one requirement.
func (s *Caller) next(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult, error) {
	var a struct {
		ID, Version, Wait string
		Limit             uint64
		Fields            []string
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	if a.Wait != "" && a.Version == "" {
		return nil, fault.New(fault.Malformed, CodeArguments, "wait needs the version of an earlier answer").
			WithFix("call next without wait first, and send its version with wait")
	}
	c := rest.Call{Method: http.MethodGet, Path: "/next", Query: url.Values{}, Header: http.Header{}}
	if a.ID == "" {
		set(c.Query, "limit", orElse(a.Limit, fewOnAgenda))
		set(c.Query, "fields", shown(a.Fields, toldOfAgenda, ""))
	} else {
		c.Path = rest.Requirement(a.ID, "/next")
		set(c.Query, "fields", shown(a.Fields, toldOfRequirement, FieldsOfNext))
	}
	if a.Version != "" {
		c.Header.Set("If-None-Match", a.Version)
		set(c.Query, "wait", a.Wait)
	}
	got, refused, err := s.send(ctx, req, c)
	switch {
	case refused != nil || err != nil:
		return refused, err
	case got.Status == http.StatusNotModified:
		return toldOf(waited{a.Version, true}, "Nothing has changed.")
	}
	return s.nextText(a.ID, got)
}

// waited are the members that an answer of next has besides those of the API.
type waited struct {
	Version   string `json:"version"`
	Unchanged bool   `json:"unchanged,omitzero"`
}

func (s *Caller) requirement(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult,
	error) {
	var a struct {
		ID     string
		Fields []string
		Since  uint64
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	q := url.Values{}
	set(q, "fields", shown(a.Fields, toldOfRequirement, fieldsOfRequirement))
	set(q, "since", a.Since)
	return passOn(ctx, s, req, rest.Call{Method: http.MethodGet, Path: rest.Requirement(a.ID, ""), Query: q},
		requirementText)
}

func (s *Caller) list(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult, error) {
	var a struct {
		Status, Q, After string
		WaitingFor       string `json:"waiting_for"`
		Stale, Suspect   *bool
		Limit, Since     uint64
		Fields           []string
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	q := url.Values{}
	for name, value := range map[string]any{"limit": orElse(a.Limit, fewListed), "status": a.Status,
		"waiting_for": a.WaitingFor, "q": a.Q, "after": a.After,
		"stale": a.Stale, "suspect": a.Suspect, "since": a.Since, "fields": shown(a.Fields, "id", fieldsOfList)} {
		set(q, name, value)
	}
	var got page
	if refused, err := s.read(ctx, req, "/requirements", q, &got); refused != nil || err != nil {
		return refused, err
	}
	return got.told()
}

// envelope returns the arguments of change without those that are of the API: the body of the request.
func envelope(value any) any {
	arguments, is := value.(map[string]any)
	if !is {
		return value
	}
	own := map[string]any{}
	for _, name := range enveloped {
		if v, there := arguments[name]; there {
			own[name] = v
		}
	}
	return own
}

var enveloped = []string{"id", "revision", "dry_run", "idempotency_key"}

// changeIn returns the arguments of change that are of the API.
func changeIn(raw jsontext.Value) ([]byte, error) {
	var all map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for _, name := range enveloped {
		delete(all, name)
	}
	return jsonv2.Marshal(all, jsonv2.Deterministic(true))
}

func (s *Caller) change(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult,
	error) {
	var a struct {
		ID       string `json:"id"`
		Revision uint64 `json:"revision"`
		DryRun   bool   `json:"dry_run"`
		Key      string `json:"idempotency_key"`
	}
	body, err := changeIn(raw)
	if err == nil {
		err = jsonv2.Unmarshal(raw, &a)
	}
	if err != nil {
		return nil, err
	}
	c := rest.Call{Method: http.MethodPatch, Path: rest.Requirement(a.ID, ""), Body: body, Query: url.Values{},
		Header: http.Header{"Content-Type": {"application/json"}, "Prefer": {"return=minimal"}}}
	if a.Revision > 0 {
		c.Header.Set("If-Match", strconv.Quote(strconv.FormatUint(a.Revision, 10)))
	}
	if a.Key != "" {
		c.Header.Set("Idempotency-Key", a.Key)
	}
	set(c.Query, "dry_run", a.DryRun)
	return passOn(ctx, s, req, c, func(o outcome) string { return o.text(a.DryRun) })
}

func (s *Caller) attachReport(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult,
	error) {
	var a struct {
		ID, Report, Path, Commit, Tests string
		DryRun                          bool `json:"dry_run"`
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	content := []byte(a.Report)
	if (a.Path == "") == (a.Report == "") {
		return nil, fault.New(fault.Malformed, CodeArguments, "attach_report takes either a report or the path of one").
			WithFix("send path, where the report lies in a file, and report otherwise")
	}
	if a.Path != "" {
		var err error
		if content, err = s.Report(ctx, a.Path); err != nil {
			return nil, err
		}
	}
	q := url.Values{}
	set(q, "commit", a.Commit)
	set(q, "tests", a.Tests)
	set(q, "dry_run", a.DryRun)
	return passOn(ctx, s, req, rest.Call{Method: http.MethodPost, Path: rest.Requirement(a.ID, "/test-report"),
		Query: q, Body: content,
		Header: http.Header{"Content-Type": {"application/octet-stream"}, "Prefer": {"return=minimal"}}},
		func(got attached) string { return got.text(a.DryRun) })
}

// claim claims the field of the role, or gives it back.
func (s *Caller) claim(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult, error) {
	var a struct {
		ID, Field, For string
		Release        bool
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	if !a.Release {
		body, err := jsonv2.Marshal(claimed{a.Field, a.For})
		if err != nil {
			return nil, err
		}
		return passOn(ctx, s, req, rest.Call{Method: http.MethodPost, Path: rest.Requirement(a.ID, "/claim"),
			Body:   body,
			Header: http.Header{"Content-Type": {"application/json"}}}, claimText)
	}
	c := rest.Call{Method: http.MethodDelete, Path: rest.Requirement(a.ID, "/claim")}
	if _, refused, err := s.send(ctx, req, c); refused != nil || err != nil {
		return refused, err
	}
	return toldOf(released{a.ID, true}, fmt.Sprintf("You hold no claim on %s.", a.ID))
}

// claimed is a claim, as the API takes it.
type claimed struct {
	Field string `json:"field,omitempty"`
	For   string `json:"for,omitempty"`
}

// released answers a claim that was given back.
type released struct {
	Requirement string `json:"requirement"`
	Released    bool   `json:"released"`
}

func orElse(n, otherwise uint64) uint64 {
	if n == 0 {
		return otherwise
	}
	return n
}

// send makes a call. What the API refuses is the result of the tool.
func (s *Caller) send(ctx context.Context, req *mcp.CallToolRequest, c rest.Call) (got rest.Answer,
	refused *mcp.CallToolResult, err error) {
	got, err = s.API.Send(ctx, req.Params.Meta, c)
	if err == nil && got.Refused() {
		refused = refusal(got.Body)
	}
	return got, refused, err
}

// passOn makes a call, and returns what the API answered with a text that is made of it.
func passOn[T any](ctx context.Context, s *Caller, req *mcp.CallToolRequest, c rest.Call,
	text func(T) string) (*mcp.CallToolResult, error) {
	got, refused, err := s.send(ctx, req, c)
	if refused != nil || err != nil {
		return refused, err
	}
	var v T
	if err := got.Fill(&v); err != nil {
		return nil, err
	}
	return told(got.Body, text(v)), nil
}
