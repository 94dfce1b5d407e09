package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// document is a contract in the form of its file, where consumes is an object.
type document struct {
	planning.Contract
	Consumes map[string]slot `json:"consumes"`
}

type slot struct {
	Schema   map[string]any `json:"schema"`
	Required *bool          `json:"required,omitempty"` // true when left out
}

// fileForm returns a built-in contract in the form of a file.
func fileForm(c planning.Contract) (any, error) {
	d := document{Contract: c, Consumes: map[string]slot{}}
	for _, in := range c.Consumes {
		if _, twice := d.Consumes[in.Name]; twice {
			return nil, fmt.Errorf("the input %s stands twice", in.Name)
		}
		d.Consumes[in.Name] = slot{Schema: in.Schema, Required: &in.Required}
	}
	written, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return strictjson.ParseUncounted(written)
}

// check checks one contract by itself. It returns the tool, or nil and what is wrong.
func check(s source, builtins map[string]bool) (*Tool, []fault.Field) {
	if found := schemas.Violations(schemas.Tool, s.value); len(found) > 0 {
		return nil, placed(s, "", found)
	}
	d, err := decode(s.value)
	if err != nil {
		return nil, []fault.Field{s.wrong("", "type", "cannot be read: %v", err)}
	}
	if d.Implementation.Steps, err = exactSteps(d.Implementation.Steps, stepsOf(s)); err != nil {
		return nil, []fault.Field{s.wrong("/implementation/steps", "type", "cannot be read: %v", err)}
	}
	t := &Tool{contract: d.contract(), inputs: map[string]*schemas.Schema{}}
	var wrong []fault.Field
	for _, in := range t.contract.Consumes {
		compiled, found := schemas.Compile(in.Schema)
		t.inputs[in.Name], wrong = compiled, append(wrong, placed(s, "/consumes/"+in.Name+"/schema", found)...)
	}
	compiled, found := schemas.Compile(t.contract.Produces)
	t.result, wrong = compiled, append(wrong, placed(s, "/produces", found)...)
	before, bad := t.conditions(s, "/preconditions", t.contract.Preconditions, false)
	t.before, wrong = before, append(wrong, bad...)
	after, bad := t.conditions(s, "/postconditions", t.contract.Postconditions, true)
	t.after, wrong = after, append(wrong, bad...)
	wrong = append(wrong, agent(s, t.contract)...)
	wrong = append(wrong, roles(s, t.contract)...)
	wrong = append(wrong, plan(s, t.contract)...)
	if t.contract.About != "" && t.inputs[t.contract.About] == nil {
		wrong = append(wrong, s.wrong("/about", "about", "consumes has no input %s", t.contract.About))
	}
	return t, append(wrong, implementation(s, t.contract.Implementation, builtins)...)
}

// agent checks what the schema cannot express about the role of a tool.
func agent(s source, c planning.Contract) (wrong []fault.Field) {
	i := c.Implementation
	if c.Role != "" && i.Means == planning.Builtin {
		wrong = append(wrong, s.wrong("/role", "role",
			"a tool of the box acts in the role of who asks, and in no other"))
	}
	if c.Role == "" && i.Stdin == planning.StdinPrompt {
		wrong = append(wrong, s.wrong("/implementation/stdin", "stdin",
			"only agents have a prompt: give the contract a role"))
	}
	if c.Role == "" {
		return wrong
	}
	for n, name := range i.Env {
		if name == planning.EnvURL || name == planning.EnvToken {
			wrong = append(wrong, s.wrong("/implementation/env/"+strconv.Itoa(n), "env",
				"an agent is given %s by the service", name))
		}
	}
	return wrong
}

// roles checks what the schema cannot express about who may have a tool run: each role that is named may.
func roles(s source, c planning.Contract) (wrong []fault.Field) {
	for _, role := range c.Roles {
		if why := c.Refuses(role, planning.Obligation{Type: planning.Report}); why != "" {
			why, _, _ = strings.Cut(why, ": use ")
			wrong = append(wrong, s.wrong("/roles", "roles", "it cannot be for %s: %s", role, why))
		}
	}
	return wrong
}

// placed moves fields of a value to the pointer of the contract where the value stands.
func placed(s source, pointer string, found []fault.Field) []fault.Field {
	out := make([]fault.Field, 0, len(found))
	for _, f := range found {
		out = append(out, s.wrong(pointer+f.Pointer, f.Code, "%s", f.Detail))
	}
	return out
}

func decode(value any) (document, error) {
	var d document
	written, err := json.Marshal(value)
	if err != nil {
		return d, err
	}
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.UseNumber() // in schemas
	err = decoder.Decode(&d)
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return d, fmt.Errorf("%s is not written as a whole number", wrong.Field)
	}
	return d, err
}

func (d document) contract() planning.Contract {
	c := d.Contract
	c.Consumes = make([]planning.Input, 0, len(d.Consumes))
	for _, name := range slices.Sorted(maps.Keys(d.Consumes)) {
		in := d.Consumes[name]
		c.Consumes = append(c.Consumes, planning.Input{Name: name, Schema: in.Schema,
			Required: in.Required == nil || *in.Required})
	}
	slices.Sort(c.Roles) // their order means nothing
	return c
}

// conditions compiles the conditions of a member, and holds the inputs that they name against those that there are.
func (t *Tool) conditions(s source, member string, texts []string, after bool) (all []*Condition, wrong []fault.Field) {
	for i, text := range texts {
		at := member + "/" + strconv.Itoa(i)
		c, err := compile(text, after)
		if err != nil {
			wrong = append(wrong, s.wrong(at, "condition", "%v", err))
			continue
		}
		for _, name := range c.inputs {
			if _, known := t.inputs[name]; !known {
				wrong = append(wrong, s.wrong(at, "condition", "there is no input %s in consumes",
					fault.Clip(name, 64)))
			}
		}
		all = append(all, c)
	}
	return all, wrong
}

// implementation checks what the schema cannot express about how a tool is run.
func implementation(s source, i planning.Implementation, builtins map[string]bool) (wrong []fault.Field) {
	refuse := func(member, format string, args ...any) {
		wrong = append(wrong, s.wrong("/implementation/"+member, "implementation", format, args...))
	}
	if i.Means == planning.Builtin && !builtins[i.Name] {
		refuse("name", "there is no built-in tool %s", i.Name)
	}
	if i.Dir != "" && !filepath.IsLocal(i.Dir) {
		refuse("dir", "the folder is not inside the project")
	}
	for n, host := range i.Hosts {
		if port, err := strconv.Atoi(host[strings.LastIndexByte(host, ':')+1:]); err != nil || port > 65535 {
			refuse("hosts/"+strconv.Itoa(n), "there is no such port")
		}
	}
	if i.Means != planning.HTTP {
		return wrong
	}
	own, err := dialled(i.URL)
	if err != nil {
		refuse("url", "%v", err)
	} else if len(i.Hosts) > 0 && !slices.ContainsFunc(i.Hosts, func(h string) bool {
		return strings.EqualFold(h, own)
	}) {
		refuse("hosts", "%s, where the URL goes, is not among the hosts", own)
	}
	return wrong
}

// dialled returns the host:port that a URL leads to.
func dialled(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return "", errors.New("this is not a URL with a host and without user information")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", errors.New("there is no such port")
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port, nil
}
