package clientcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/rules/lifecycle"
)

// leadToPresentID makes a command that is refused because a requirement has another id now say how to type it again.
func leadToPresentID(cmd *cobra.Command) {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		moved := apiclient.RenamedError{}
		if !errors.As(err, &moved) {
			return err
		}
		told := *moved.Refusal
		return told.WithFix("use its present id: %s", retyped(cmd, args, moved.From, moved.To))
	}
}

// retyped returns a command line with another id. Arguments before it have had their turn.
func retyped(cmd *cobra.Command, args []string, from, to string) string {
	words := []string{}
	if i := slices.Index(args, from); i >= 0 {
		words = slices.Concat([]string{to}, args[i+1:])
	}
	return advice.Line(cmd.CommandPath(), append(words, setting.TypedFlags(cmd)...)...)
}

// renamingsOf returns the records that gave a requirement another id, as events about the id that it lost. They are
// about several requirements, and so not among the records of each.
func renamingsOf(ctx context.Context, c *apiclient.Client, id string) (all []event, err error) {
	var req lifecycle.Requirement
	if _, err := get(ctx, c, path(id, "?fields=former_ids"), &req); err != nil {
		return nil, err
	}
	for _, former := range req.FormerIDs {
		var page events
		if _, err := get(ctx, c, fmt.Sprintf("/audit?from=%d&limit=1", former.Record), &page); err != nil {
			return nil, err
		}
		for _, e := range page.Records {
			e.Subject = former.ID
			all = append(all, e)
		}
	}
	return all, nil
}

// add puts events among those of a page, the newest first; what is older than the page stays out.
func (p *events) add(others []event) {
	for _, e := range others {
		if n := len(p.Records); p.Next == "" || n > 0 && e.Seq > p.Records[n-1].Seq {
			p.Records = append(p.Records, e)
		}
	}
	slices.SortFunc(p.Records, func(a, b event) int { return cmp.Compare(b.Seq, a.Seq) })
}
