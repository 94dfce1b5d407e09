package boundarycmd

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func boundaryReplayCommand() *cobra.Command {
	var o boundaryOptions
	var policy string
	cmd := &cobra.Command{
		Use:   "replay [JOURNAL]",
		Short: "Judge past calls by another policy, and print what would change",
		Long: `Replay judges every call of a journal file, or of the whole journal of the project, again by --policy,
as in enforce, and counts what the policy would have made of them in its own mode, with the modes of its paths. Nothing
is changed.`,
		Example: `  orchestrator boundary replay --policy new.json`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.replayPolicy(policy)
			if err != nil {
				return err
			}
			r, err := o.replay(args, p)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), r, r.write)
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	cmd.Flags().StringVar(&policy, "policy", "", "policy file to judge by; by default the policy of the project")
	return cli.WithEnv(cmd)
}

func (o *boundaryOptions) replayPolicy(path string) (boundary.Policy, error) {
	if path != "" {
		p, err := folder.ReadPolicy(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fault.New(fault.NotFound, "policy_missing", "there is no policy %s", path).
				WithFix("name a file in the form of policy.json").Because(err)
		}
		return p, err
	}
	_, p, err := o.policy()
	return p, err
}

// replayed is what replay shows.
type replayed struct {
	Decisions int              `json:"decisions"`
	Malformed int              `json:"malformed_lines"`
	Changed   []report.Changed `json:"changed"`
	Mode      boundary.Mode    `json:"mode"` // of the policy

	Decided map[boundary.Decision]int `json:"decided"` // by the policy, in its own mode
}

func (o *boundaryOptions) replay(args []string, p boundary.Policy) (replayed, error) {
	var h *report.History
	var err error
	if len(args) == 1 {
		h, err = report.ReadFile(args[0])
	} else {
		h, err = o.history()
	}
	if err != nil {
		return replayed{}, err
	}
	return replayed{len(h.Decisions), h.Malformed, h.Replay(p), p.Mode, h.Decided(p)}, nil
}

func (r replayed) write(p *output.Printer) {
	for _, c := range r.Changed {
		p.Line("%s  %s  %s: %s instead of %s [%s] %s", output.Printable(c.ID), c.At.Format(time.DateTime), output.Printable(c.Tool),
			output.Printable(string(c.To)), output.Printable(string(c.From)), output.Printable(c.Rule),
			output.Printable(strings.Join(c.Files, ", ")))
	}
	if len(r.Decided) > 0 {
		p.Line("in its own mode, %s: %s", output.Printable(string(r.Mode)), decisionsOf(r.Decided))
	}
	p.Line("%d of %s would change; unreadable lines: %d", len(r.Changed),
		fault.Count(r.Decisions, "decision"), r.Malformed)
}
