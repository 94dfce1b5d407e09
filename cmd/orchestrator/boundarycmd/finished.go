package boundarycmd

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/boundary/finish"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/operator/unfinished"
	"orchestrator/internal/rules/boundary"
)

// FinishPatience is how long the service may take to say what a session has left undone; tests alone change it.
var FinishPatience = finish.Patience

// finished answers a client at the end of a turn, and returns the exit code. Nothing that goes wrong is said: nobody
// waits for it.
func finished(ctx context.Context, args []string) int {
	client, root, err := hook.Arguments(args)
	if err != nil {
		return 0
	}
	in := finish.Input{Client: client, Root: root, Stdin: os.Stdin, Getenv: os.Getenv, Lacking: lacking,
		Patience: FinishPatience, Within: FinishPatience + finish.Within - finish.Patience}
	in.Cwd, _ = os.Getwd()
	a := finish.Run(ctx, in)
	if _, err := os.Stdout.Write(a.Stdout); err != nil {
		return 0 // an answer that nobody can read is none
	}
	_, _ = os.Stderr.Write(a.Stderr)
	return a.Exit
}

// lacking asks the service of a project, with the token that the environment names, what its holder has left undone.
// Address and token are found as other commands find them, from the project's folder.
func lacking(ctx context.Context, root string) (lacks []boundary.Lack, err error) {
	if err := os.Chdir(root); err != nil {
		return nil, err
	}
	var o cli.Service
	flags := &cobra.Command{Use: "finished"}
	flags.SetContext(ctx)
	cli.ServiceFlags(flags, &o)
	if err := cli.WithEnv(flags).PreRunE(flags, nil); err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	o.Timeout = max(time.Until(deadline), time.Millisecond)
	c, err := o.Connect()
	if err != nil {
		return nil, err
	}
	err = unfinished.Visit(ctx, c, func(id, status string, do []string) {
		lacks = append(lacks, boundary.Lack{Requirement: id, Status: status, Do: do})
	})
	return lacks, err
}
