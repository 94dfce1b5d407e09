package conductor

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/runner"
)

// effect is what a tool asserts, besides its result.
type effect struct {
	Subject, Predicate string
	Object             any
	Single             bool // it takes the place of what was held
}

// call is what outside tools read: on standard input, or as the body of a request.
type call struct {
	Run        string              `json:"run"`
	Obligation planning.Obligation `json:"obligation"`
	Inputs     map[string]any      `json:"inputs"`
	Caller     Caller              `json:"caller"`

	Prompt       string `json:"prompt,omitempty"`      // of an agent
	Orchestrator *reach `json:"orchestrator,omitzero"` // of an agent that is called by HTTP; programs have it in their environment
}

// means runs a tool by its means. id is the run's, which an outside tool may use to do nothing twice.
func (r *run) means(ctx context.Context, c planning.Contract, o planning.Obligation, inputs map[string]any,
	id string) (map[string]any, []effect, error) {
	limit := time.Duration(c.TimeoutMS) * time.Millisecond
	if c.Implementation.Means == planning.Builtin {
		bounded, stop := context.WithTimeout(ctx, limit)
		defer stop()
		return r.builtin(bounded, c, asking{r, o, inputs, id})
	}
	room := r.slots
	if c.Role != "" {
		room = r.places
	}
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	asked := call{Run: r.request.ID + "/" + id, Obligation: o, Inputs: inputs, Caller: r.request.Caller}
	if c.Role != "" {
		result, err := r.act(ctx, c, asked, limit)
		return result, nil, err
	}
	raw, err := r.outside(ctx, c.Implementation, limit, asked, nil)
	if err != nil {
		return nil, nil, err
	}
	result, err := resultIn(raw, secret.Mask)
	return result, nil, err
}

// builtin runs a tool of the box.
func (r *run) builtin(ctx context.Context, c planning.Contract, a asking) (map[string]any, []effect, error) {
	if known, is := r.knowing[c.Implementation.Name]; is {
		return guarded(func() (map[string]any, []effect, error) { return known.run(ctx, a) })
	}
	tool, is := r.box[c.Implementation.Name]
	if !is {
		return nil, nil, fault.New(fault.Invalid, runner.CodeMissing, "there is no tool %q in the box",
			c.Implementation.Name).WithFix("orchestrator tools list names them; mend the contract")
	}
	return guarded(func() (map[string]any, []effect, error) {
		result, err := tool.Run(ctx, tools.In{Payload: a.obligation.Payload, Input: a.inputs, Now: r.Clock()})
		return result, nil, err
	})
}

// guarded makes a panic a failure of the tool, and of nothing else.
func guarded(run func() (map[string]any, []effect, error)) (result map[string]any, effects []effect, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, effects, err = nil, nil, fault.New(fault.Internal, "tool_defect", "the tool met a defect: %v", p).
				WithFix("report it, with the trace")
		}
	}()
	return run()
}

// outside runs a tool that is no part of the program. env is what it is given besides what its contract declares.
func (r *run) outside(ctx context.Context, i planning.Implementation, limit time.Duration, asked call,
	env []string) ([]byte, error) {
	program := runner.Exec{Argv: r.program(i.Argv), Env: append(declared(i.Env), env...),
		Dir: filepath.Join(r.Root, i.Dir), SHA256: i.SHA256, Timeout: limit}
	if i.Means == planning.MCP {
		result, err := runner.MCP{Exec: program, Tool: i.Name}.Run(ctx, asked.Inputs)
		return result.Stdout, hidden(err, program.Env)
	}
	body, err := ledger.Encode(asked)
	if err != nil {
		return nil, err
	}
	if i.Means == planning.HTTP {
		result, err := runner.HTTP{URL: i.URL, Method: i.Method, Hosts: i.Hosts, Timeout: limit,
			AllowLoopback: loopback(i.URL)}.Run(ctx, body)
		return result.Stdout, hidden(err, env)
	}
	if i.Stdin == planning.StdinPrompt {
		body = []byte(asked.Prompt)
	}
	result, err := program.Run(ctx, body)
	return result.Stdout, hidden(err, program.Env)
}

// loopback tells whether a contract names this machine itself; a name that only resolves to it is refused.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// program is a command line whose program, where it is named by a relative path, lies in the project.
func (r *run) program(argv []string) []string {
	if len(argv) == 0 || filepath.IsAbs(argv[0]) || !strings.Contains(argv[0], "/") {
		return argv
	}
	return append([]string{filepath.Join(r.Root, argv[0])}, argv[1:]...)
}

// hidden keeps the values of variables that a tool was given out of what is said of its failure.
func hidden(err error, env []string) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	const short = 6 // such a value says nothing, and may stand anywhere
	told := *f
	for _, pair := range env {
		if name, value, _ := strings.Cut(pair, "="); len(value) >= short {
			told.Detail = strings.ReplaceAll(told.Detail, value, "<"+name+">")
		}
	}
	return &told
}

// declared are the variables of the service's environment that a contract passes on.
func declared(names []string) (env []string) {
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
