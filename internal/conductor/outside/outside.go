// Package outside runs tools outside of the process: programs, HTTP services and MCP servers.
package outside

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/outbound"
	"orchestrator/internal/system/runner"
)

// Call is the input of a tool: on standard input, or as the body of a request.
type Call struct {
	Run        string              `json:"run"`
	Obligation planning.Obligation `json:"obligation"`
	Inputs     map[string]any      `json:"inputs"`
	Caller     audit.Actor         `json:"caller"`

	Prompt       string    `json:"prompt,omitempty"`      // of an agent
	Orchestrator *Endpoint `json:"orchestrator,omitzero"` // of an agent that is called by HTTP; programs have it in their environment
	Tree         Tree      `json:"-"`                     // that an agent works in
	Agent        string    `json:"-"`                     // its name
}

// Tree is the working tree that agents for a requirement work in; its zero value is the folder of the project.
type Tree struct {
	Dir    string
	Branch string
	Mark   string                    // tells what is committed in this run from what others commit
	Settle func(ctx context.Context) // is called when the agent has ended, before its work is judged; nil does nothing
}

// env returns what an agent that commits in a tree is named by, so that it need not configure git.
func (t Tree) env(name string) []string {
	if t.Dir == "" {
		return nil
	}
	const host = "@orchestrator.invalid"
	return []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + name + host,
		"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + name + "+" + t.Mark + host}
}

// Endpoint tells an agent that is called by HTTP how to reach the service. Programs have it in their environment.
type Endpoint struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// Run runs a tool, and returns what it answered. root is the folder of the project; env is what a tool is given besides
// what its contract declares.
func Run(ctx context.Context, root string, i planning.Implementation, limit time.Duration, asked Call,
	env []string) ([]byte, error) {
	env = append(env, asked.Tree.env(asked.Agent)...)
	program := runner.Exec{Argv: resolveProgram(root, i.Argv), Env: append(passedEnv(i.Env), env...),
		Dir: filepath.Join(cmp.Or(asked.Tree.Dir, root), i.Dir), SHA256: i.SHA256, Timeout: limit}
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
			AllowLoopback: outbound.NamesLoopback(i.URL)}.Run(ctx, body)
		return result.Stdout, hideEnv(err, env)
	}
	if i.Stdin == planning.StdinPrompt {
		body = []byte(asked.Prompt)
	}
	result, err := program.Run(ctx, body)
	return result.Stdout, hideEnv(err, program.Env)
}

// resolveProgram makes the program of a command line absolute, where it is a path relative to the project.
func resolveProgram(root string, argv []string) []string {
	if len(argv) == 0 || filepath.IsAbs(argv[0]) || !strings.Contains(argv[0], "/") {
		return argv
	}
	return append([]string{filepath.Join(root, argv[0])}, argv[1:]...)
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
