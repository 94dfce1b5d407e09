package conductor

import (
	"context"
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

// effect is an assertion that a tool makes besides its result.
type effect struct {
	Subject, Predicate string
	Object             any
	Single             bool // it takes the place of what was held
}

// externalCall is the input of an external tool: on standard input, or as the body of a request.
type externalCall struct {
	Run        string              `json:"run"`
	Obligation planning.Obligation `json:"obligation"`
	Inputs     map[string]any      `json:"inputs"`
	Caller     Caller              `json:"caller"`

	Prompt       string    `json:"prompt,omitempty"`      // of an agent
	Orchestrator *endpoint `json:"orchestrator,omitzero"` // of an agent that is called by HTTP; programs have it in their environment
}

// dispatch runs a tool by its implementation kind. id is the run's, by which an external tool can tell that it ran
// before.
func (r *run) dispatch(ctx context.Context, c planning.Contract, o planning.Obligation, inputs map[string]any,
	id string) (map[string]any, []effect, error) {
	limit := time.Duration(c.TimeoutMS) * time.Millisecond
	if c.Implementation.Means == planning.Builtin {
		bounded, stop := context.WithTimeout(ctx, limit)
		defer stop()
		return r.runBuiltin(bounded, c, toolCall{r, o, inputs, id})
	}
	room := r.toolSlots
	if c.Role != "" {
		room = r.agentSlots
	}
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	asked := externalCall{Run: r.request.ID + "/" + id, Obligation: o, Inputs: inputs, Caller: r.request.Caller}
	if c.Role != "" {
		result, err := r.act(ctx, c, asked, limit)
		return result, nil, err
	}
	raw, err := r.runExternal(ctx, c.Implementation, limit, asked, nil)
	if err != nil {
		return nil, nil, err
	}
	result, err := parseResult(raw, secret.Mask)
	return result, nil, err
}

// runBuiltin runs a built-in tool.
func (r *run) runBuiltin(ctx context.Context, c planning.Contract, a toolCall) (map[string]any, []effect, error) {
	if known, is := r.stateTools[c.Implementation.Name]; is {
		return recoverPanic(func() (map[string]any, []effect, error) { return known.run(ctx, a) })
	}
	tool, is := r.box[c.Implementation.Name]
	if !is {
		return nil, nil, fault.New(fault.NotFound, runner.CodeMissing, "there is no built-in tool %q",
			c.Implementation.Name).WithFix("orchestrator tools list names them; correct the contract")
	}
	return recoverPanic(func() (map[string]any, []effect, error) {
		result, err := tool.Run(ctx, tools.In{Payload: a.obligation.Payload, Input: a.inputs, Now: r.Clock()})
		return result, nil, err
	})
}

// recoverPanic turns a panic into a failure of the tool alone.
func recoverPanic(run func() (map[string]any, []effect, error)) (result map[string]any, effects []effect, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, effects, err = nil, nil, fault.New(fault.Internal, "tool_defect", "the tool panicked: %v", p).
				WithFix("report it, with the trace")
		}
	}()
	return run()
}

// runExternal runs a tool outside of the process. env is what it is given besides what its contract declares.
func (r *run) runExternal(ctx context.Context, i planning.Implementation, limit time.Duration, asked externalCall,
	env []string) ([]byte, error) {
	program := runner.Exec{Argv: r.resolveProgram(i.Argv), Env: append(passedEnv(i.Env), env...),
		Dir: filepath.Join(r.Root, i.Dir), SHA256: i.SHA256, Timeout: limit}
	if i.Means == planning.MCP {
		arguments, err := ledger.Encode(asked.Inputs)
		if err != nil {
			return nil, err
		}
		result, err := runner.MCP{Exec: program, Tool: i.Name}.Run(ctx, arguments)
		return result.Stdout, hideEnv(err, program.Env)
	}
	body, err := ledger.Encode(asked)
	if err != nil {
		return nil, err
	}
	if i.Means == planning.HTTP {
		result, err := runner.HTTP{URL: i.URL, Method: i.Method, Hosts: i.Hosts, Timeout: limit,
			AllowLoopback: runner.NamesLoopback(i.URL)}.Run(ctx, body)
		return result.Stdout, hideEnv(err, env)
	}
	if i.Stdin == planning.StdinPrompt {
		body = []byte(asked.Prompt)
	}
	result, err := program.Run(ctx, body)
	return result.Stdout, hideEnv(err, program.Env)
}

// resolveProgram makes the program of a command line absolute, where it is a path relative to the project.
func (r *run) resolveProgram(argv []string) []string {
	if len(argv) == 0 || filepath.IsAbs(argv[0]) || !strings.Contains(argv[0], "/") {
		return argv
	}
	return append([]string{filepath.Join(r.Root, argv[0])}, argv[1:]...)
}

// hideEnv replaces the values of variables that a tool was given in the detail of its failure.
func hideEnv(err error, env []string) error {
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

// passedEnv returns the variables of the service's environment that a contract passes on.
func passedEnv(names []string) (env []string) {
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
