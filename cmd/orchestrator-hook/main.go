// Command orchestrator-hook is what an agent client calls before and after a tool: orchestrator-hook CLIENT [--root
// DIR]. It is the same as orchestrator hook, in a program that starts many times as fast.
package main

import (
	"os"
	"time"

	"orchestrator/internal/boundary/hook"
)

func main() { os.Exit(hook.Main(os.Args[1:], time.Now(), hook.Deadline)) }
