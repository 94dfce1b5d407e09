package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/durable"
)

// Limits that tests alone change: on a busy machine a process may wait longer than that for a processor.
var (
	hookDeadline   = hook.Deadline
	doctorPatience time.Duration // 0 leaves it to the doctor
)

// hookCommand is the hook in the whole program; orchestrator-hook is the same, and starts faster. Nothing is parsed by
// cobra: a failure to understand the command line must block, and cobra's exits with 1.
func hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT [--root DIR]",
		Short: "Judge a call of an agent client's tool; the client runs this",
		Long: `Hook reads one call from standard input, judges it by the policy of the project, notes the decision in the journal and answers in the client's
form. It needs no service. Exit codes: 0 go on, 2 blocked; never another one.

Clients: ` + strings.Join(agentclient.Names(), ", ") + `. orchestrator boundary install CLIENT registers it.`,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			if code := hook.Main(args, time.Now(), hookDeadline); code != 0 {
				os.Exit(code)
			}
			return nil
		},
	}
}

func boundaryExplainCommand() *cobra.Command {
	var o boundaryOptions
	var client string
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Judge a call from a file as the client would send it, and print every rule that was looked at",
		Long: `Explain reads what a client sends to its hook before a tool, judges it by the policy of the project as if it were enforced, and prints
every rule that was looked at in order. Nothing is recorded. FILE - is standard input.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, p, err := o.policy()
			if err != nil {
				return err
			}
			raw, err := readCall(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			v, call, err := hook.Explain(client, raw, dir, p)
			if err != nil {
				return fault.New(fault.Invalid, "call_unreadable",
					"the call cannot be read: in enforce it would be blocked").
					WithFix("give what %s sends before a tool, or name another --client", client).Because(err)
			}
			return o.show(cmd.OutOrStdout(), v, func(rp *reportPrinter) { writeExplained(rp, &p, call, v) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	cmd.Flags().StringVar(&client, "client", "claude",
		"whose form the call has: "+strings.Join(agentclient.Names(), ", "))
	return withEnv(cmd)
}

func readCall(in io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(in, hook.MaxInput))
	}
	raw, err := durable.ReadRegular(path, hook.MaxInput)
	if err != nil {
		return nil, fault.New(fault.NotFound, "call_missing", "the call %s cannot be read", path).
			WithFix("name a file that holds one call as JSON").Because(err)
	}
	return raw, nil
}

func writeExplained(p *reportPrinter, policy *boundary.Policy, c boundary.Call, v boundary.Verdict) {
	p.line("%s by rule %s: the call %s", printable(string(v.Would)), printable(v.Rule), printable(string(v.Class)))
	for _, s := range v.Steps {
		mark := " "
		if s.Matched {
			mark = "*"
		}
		p.line("  %s %-20s %s", mark, printable(s.Rule), printable(s.Note))
	}
	for _, part := range c.Parts {
		p.line("  %s: %s %s", printable(strings.Join(part.Words, " ")), printable(string(part.Class)),
			printable(part.Why))
	}
	if v.Violation() {
		p.line("")
		for said := range strings.SplitSeq(boundary.Message(policy, c, v), "\n") {
			p.line("%s", printable(said))
		}
	}
}

func boundaryReplayCommand() *cobra.Command {
	var o boundaryOptions
	var policy string
	cmd := &cobra.Command{
		Use:   "replay [JOURNAL]",
		Short: "Judge past calls by another policy, and print what would change",
		Long: `Replay judges every decision of a journal file, or of the whole journal of the project, again under --policy,
as if it were enforced. Nothing is changed.`,
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
	cmd.Flags().StringVar(&policy, "policy", "", "the policy to judge by; without it the project's own, as it is now")
	return withEnv(cmd)
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
	return replayed{len(h.Decisions), h.Malformed, h.Replay(p)}, nil
}

func (r replayed) write(p *reportPrinter) {
	for _, c := range r.Changed {
		p.line("%s  %s  %s: %s instead of %s [%s] %s", printable(c.ID), c.At.Format(time.DateTime), printable(c.Tool),
			printable(string(c.To)), printable(string(c.From)), printable(c.Rule),
			printable(strings.Join(c.Files, ", ")))
	}
	p.line("%d of %d decisions would change; %d lines cannot be read", len(r.Changed), r.Decisions, r.Malformed)
}

func boundaryImportCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read an older journal, delegation_audit.jsonl, report on it and keep its calls",
		Long: `Import reads lines with timestamp, file, tool and source (main or agent), reports the violations in them, and adds
the calls to the journal of the project once. They are shown apart: readiness is measured by what this hook decided. Lines that cannot be read are counted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			f, err := durable.OpenRegular(args[0])
			if err != nil {
				return fault.New(fault.NotFound, "journal_missing", "the journal %s cannot be read", args[0]).
					WithFix("name a file with one JSON object a line").Because(err)
			}
			defer f.Close()
			lines, malformed, err := report.ReadOlder(f)
			if err != nil {
				return err
			}
			added, err := report.ImportOlder(dir, lines)
			if err != nil {
				return err
			}
			if err := report.WriteOlderReport(cmd.OutOrStdout(), lines); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d calls read, %d of them new; %d lines cannot be read\n", len(lines),
				added, malformed)
			return nil
		},
	}
	o.rootFlag(cmd)
	return withEnv(cmd)
}

func boundaryExportCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the journal in the form of the older one, delegation_audit.jsonl",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := o.history()
			if err != nil {
				return err
			}
			return h.WriteOlder(cmd.OutOrStdout())
		},
	}
	o.rootFlag(cmd)
	return withEnv(cmd)
}
