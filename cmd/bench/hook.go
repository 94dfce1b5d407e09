package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"orchestrator/cmd/bench/guard"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/child"
)

// perHookRound is how often each program is run in a round.
const perHookRound = 60

// hookCall is a call as Claude Code sends it: 200 characters of shell.
const hookCall = `{"hook_event_name":"PreToolUse","session_id":"0b1c2d3e","transcript_path":"/tmp/t.jsonl","cwd":%q,` +
	`"tool_name":"Bash","tool_use_id":"toolu_01","tool_input":{"command":%q,"description":"Looks around"}}`

const hookCommand = `cd internal && git log --oneline -20 -- ledger | head -5; grep -rn "func Open" --include='*.go' . | sort | uniq -c | sort -rn | head -20` +
	` && for f in *.go; do wc -l "$f"; done; sed -i 's/a/b/' ledger/tx.go`

// script is the same work in Python: read the call and the policy, look at the tool and the paths, note a line, answer.
const script = `import json, os, re, shlex, sys, time, uuid
call = json.load(sys.stdin)
root = call["cwd"]
folder = os.path.join(root, ".orchestrator", "boundary")
with open(os.path.join(folder, "policy.json")) as f:
    policy = json.load(f)
tool, given = call["tool_name"], call.get("tool_input") or {}
agent = bool(call.get("agent_id"))
writes = tool in policy["blocked_tools"]
if tool == "Bash":
    words = shlex.split(given["command"], comments=True)
    writes = any(re.fullmatch(r">{1,2}|tee|sed|rm|mv|cp|dd", w) for w in words)
block = writes and not agent and policy["mode"] == "enforce"
line = {"id": uuid.uuid4().hex[:16], "at": time.time(), "kind": "decision", "tool": tool, "session": call["session_id"], "block": block}
with open(os.path.join(folder, "journal", "script.jsonl"), "a") as f:
    f.write(json.dumps(line) + "\n")
if block:
    sys.stderr.write("blocked: delegate it\n")
    sys.exit(2)
`

// hooks measures a call of the hook from end to end, beside the start of a program that does nothing, and a script in
// Python that does the same; and the judgement alone.
// Implements: ORC-226
func (b *bench) hooks(ctx context.Context) ([]row, error) {
	dir, err := b.hookProject(ctx)
	if err != nil {
		return nil, err
	}
	programs := []struct {
		name    string
		command []string
		exit    int
		took    []float64
	}{
		{"empty", []string{filepath.Join(dir, "empty")}, 0, nil},
		{"hook", []string{filepath.Join(dir, "orchestrator-hook"), "claude"}, 2, nil},
		{"python", []string{"python3", filepath.Join(dir, "hook.py")}, 2, nil},
	}
	if _, err := exec.LookPath("python3"); err != nil {
		say("there is no python3; the script is not measured")
		programs = programs[:2]
	}
	call := fmt.Appendf(nil, hookCall, dir, hookCommand)
	for round := range b.rounds {
		took := make([][]float64, len(programs))
		for range perHookRound {
			for i, p := range programs {
				ms, err := runOnce(ctx, dir, call, p.exit, p.command...)
				if err != nil {
					return nil, err
				}
				took[i] = append(took[i], ms)
			}
		}
		for i := range programs {
			programs[i].took = append(programs[i].took, median(took[i]))
		}
		say("round %d/%d  an empty program %.3f ms, the hook %.3f ms", round+1, b.rounds, programs[0].took[round],
			programs[1].took[round])
	}
	empty := programs[0].took
	rows := []row{newRow("one call of the hook against the start of an empty program", "ms", empty, programs[1].took,
		pairwise(programs[1].took, empty), atMost(1.6))}
	if len(programs) > 2 {
		rows = append(rows, newRow("the same work in Python against the start of an empty program", "ms", empty,
			programs[2].took, pairwise(programs[2].took, empty), nil))
	}
	return append(rows, b.judging()...), nil
}

// hookProject returns a folder with an enforced boundary and the programs.
func (b *bench) hookProject(ctx context.Context) (string, error) {
	dir, err := b.folderOf("hook", map[string][]byte{
		"hook.py": []byte(script), "main.go": []byte("package main\n\nfunc main() {}\n"),
	})
	if err != nil {
		return "", err
	}
	ledger := filepath.Join(dir, "internal", "ledger") // what the command edits is there
	if err := errors.Join(os.MkdirAll(ledger, 0o700),
		os.WriteFile(filepath.Join(ledger, "tx.go"), []byte("package ledger\n"), 0o600)); err != nil {
		return "", err
	}
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	if _, err := folder.In(dir).Make(policy); err != nil {
		return "", err
	}
	for name, source := range map[string]string{"empty": filepath.Join(dir, "main.go"),
		"orchestrator-hook": "orchestrator/cmd/orchestrator-hook"} {
		if err := child.Build(ctx, source, filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runOnce runs a program with a call, and wants an exit code. It returns milliseconds.
func runOnce(ctx context.Context, dir string, call []byte, exit int, command ...string) (float64, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(call), &out, &out
	cmd.Env = append(os.Environ(), boundary.BypassVariable+"=", "CLAUDE_PROJECT_DIR="+dir)
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun).Seconds() * 1000
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		return 0, fmt.Errorf("%s did not exit with %d: %w: %s", filepath.Base(command[0]), exit, err, &out)
	}
	return took, nil
}

// judging returns how long reading and judging the command takes, beside the time that the parser alone takes.
func (b *bench) judging() []row {
	took := guard.Judging(hookCommand, b.rounds)
	name := fmt.Sprintf("reading and judging a shell command of %d characters", len(hookCommand))
	return []row{
		newRow("judging alone, when it has been read", "us", nil, took.Judged, nil, atMost(20)),
		newRow(name, "us", nil, took.Read, nil, atMost(20)),
		newRow(name+" against its parser alone", "us", took.Parsed, took.Read, pairwise(took.Read, took.Parsed),
			atMost(2.5)),
	}
}
