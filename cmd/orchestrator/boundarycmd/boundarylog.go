package boundarycmd

import (
	"context"
	"fmt"
	"io"
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

// following are the flags of boundary log.
type following struct {
	boundaryOptions
	since  string
	lines  int
	follow bool
}

func boundaryLogCommand() *cobra.Command {
	var o following
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Print the journal of the hook as lines for people, the newest last",
		Long: `Log prints a line for each call that was judged, with the tool, the files, the decision and its rule,
and for what people did: switches of the mode, bypasses, labels. With --follow it keeps
printing new lines until interrupted. It reads the files of the journal, and needs no service.`,
		Example: `  orchestrator boundary log -f
  orchestrator boundary log --since 24h --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("since") && !cmd.Flags().Changed("lines") {
				o.lines = 0
			}
			return o.run(cmd)
		},
	}
	o.rootFlag(cmd)
	sinceFlag(cmd, &o.since)
	cmd.Flags().IntVarP(&o.lines, "lines", "n", 20, "print so many of the newest lines first; 0 prints all")
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "keep printing new lines until interrupted")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write each line as JSON, as the journal has it")
	return cli.WithEnv(cmd)
}

func (o *following) run(cmd *cobra.Command) error {
	if o.lines < 0 {
		return fault.New(fault.Invalid, fault.CodeUsage, "%d lines cannot be printed", o.lines).
			WithFix("give --lines 0 for all lines, or a positive number")
	}
	from, err := sinceOf(o.since, time.Now())
	if err != nil {
		return err
	}
	dir, err := o.dir()
	if err != nil {
		return err
	}
	tail, lines, err := report.NewTail(dir, o.lines, from)
	for err == nil {
		if err = o.write(cmd.OutOrStdout(), lines); err != nil || !o.follow || !waited(cmd.Context()) {
			return err
		}
		lines, err = tail.Next()
	}
	return err
}

// waited waits for lines to come, and reports whether somebody still wants them.
func waited(ctx context.Context) bool {
	const interval = 250 * time.Millisecond
	select {
	case <-time.After(interval):
		return true
	case <-ctx.Done():
		return false
	}
}

func (o *following) write(out io.Writer, lines []folder.Line) error {
	p := output.NewPrinter(output.Colourful(out))
	for _, l := range lines {
		if o.asJSON {
			if err := output.WritePlainJSON(out, l); err != nil {
				return err
			}
			continue
		}
		p.Line("%s", logLine(p, report.EntryOf(l)))
	}
	_, err := io.WriteString(out, p.String())
	return err
}

// logLine shows an entry of the journal; nothing in it is trusted.
func logLine(p *output.Printer, e report.Entry) string {
	const session, decision = 8, 8
	colour := map[boundary.Decision]output.Colour{boundary.Allow: output.Green, boundary.Block: output.Red,
		boundary.Warn: output.Yellow, boundary.Ask: output.Yellow}[e.Decision]
	text := output.Printable(string(e.Decision))
	words := []string{e.At.UTC().Format(time.DateTime), padded(e.Client, session), padded(e.Session, session),
		p.Paint(colour, text) + strings.Repeat(" ", max(0, decision-output.Width(text))), output.Printable(e.Actor)}
	if e.What != "" {
		words = append(words, output.Printable(e.What))
	}
	if e.Rule != "" {
		words = append(words, "["+output.Printable(e.Rule)+"]", output.Printable(string(e.Mode)))
	}
	if e.Took != 0 {
		words = append(words, fmt.Sprintf("%.1f ms", e.Took.Seconds()*1000))
	}
	return strings.TrimRight(strings.Join(words, "  "), " ")
}

// padded cuts or fills a word to so many columns, so that those after it stand below each other.
func padded(word string, columns int) string {
	word = output.Cut(output.Printable(word), columns)
	return word + strings.Repeat(" ", columns-output.Width(word))
}
