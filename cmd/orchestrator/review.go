package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/review/render"
)

var reviewFormats = []string{"table", "markdown", "json"}

func reviewCommand() *cobra.Command {
	var o cli.Service
	var format string
	var narrow narrowing
	cmd := &cobra.Command{
		Use:   "review [ID]",
		Short: "Show the review of the project, or of one requirement",
		Long: `Review asks a running service. Without ID it shows the whole project: a verdict with its reasons; each
requirement with what it lacks, what is stale, suspect or blocked, and whose turn it is; and findings on the project:
the last import, what it did not read, documents that drifted, dead ends, who approves whom, open deviations, refused
attempts.

With ID it shows the dossier of one requirement: its text and how that changed, every gate with its verdict, what each
role may do next, what was built, tested and approved and on which text, and the history, with its evidence looked up
again.

Without a service, as in a clone, the review of the project is made from project_status.json, and says what could not be
checked; it is not filtered or sorted.

The verdicts are ready; not_ready, when a requirement is open: neither done nor deferred; and inconsistent, when what is shown
contradicts itself or cannot be trusted. The exit code does not depend on the verdict: use orchestrator gate for that.`,
		Example: `  orchestrator review                                  # the project, as a table
  orchestrator review REQ-001                          # one requirement
  orchestrator review --waiting-for pm --sort age --order desc   # what the pm has left longest
  orchestrator review --format markdown > review.md    # to paste into an issue
  orchestrator review --format json | jq .verdict`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completion.FirstID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return reviewProject(cmd, o, narrow, format)
			}
			if narrow.path() != "/project/review" {
				return fault.New(fault.Invalid, fault.CodeUsage, "the review of one requirement is not filtered or sorted").
					WithFix("leave ID out, or the flags")
			}
			_, err := apiclient.Reading(args[0], output.Renamed(cmd.ErrOrStderr()), func(id string) (any, error) {
				return nil, showReview[render.Dossier](cmd.Context(), cmd.OutOrStdout(), o,
					"/requirements/"+pathEscape(id)+"/review", format)
			})
			return err
		},
	}
	cli.ServiceFlags(cmd, &o)
	cli.TimeoutFlag(cmd, &o)
	cli.FormatFlag(cmd, &format, reviewFormats)
	narrow.flags(cmd)
	return cli.WithEnv(cmd)
}

// reviewProject shows the review of the service, or where none runs that of the export.
func reviewProject(cmd *cobra.Command, o cli.Service, narrow narrowing, format string) error {
	err := showReview[render.Project](cmd.Context(), cmd.OutOrStdout(), o, narrow.path(), format)
	if err == nil || narrow.path() != "/project/review" {
		return err
	}
	path, err := exported.Path(cmd, err)
	if err != nil {
		return err
	}
	found, err := exportfile.Review(cmd.Context(), path)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "no service runs here: this is from %s alone, as of record %d of the log\n",
		output.Printable(path), found.Log.Size)
	if format == "json" {
		return output.WriteJSON(cmd.OutOrStdout(), found)
	}
	return writeReview(cmd.OutOrStdout(), render.Project{Project: found}, nil, format)
}

// narrowing says which requirements the review of a project lists, and in which order: the parameters of its path.
type narrowing struct{ status, waitingFor, olderThan, sort, order string }

func (n *narrowing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&n.status, "status", "", "list only requirements in this `status`")
	f.StringVar(&n.waitingFor, "waiting-for", "",
		"list only requirements that wait for this `party`: a role, operator or document")
	f.StringVar(&n.olderThan, "older-than", "",
		"list only requirements that have been in their status for this `time`, such as 72h or 3d")
	f.StringVar(&n.sort, "sort", "", "`what` to sort by: document, id, status, age or changed (default document)")
	f.StringVar(&n.order, "order", "", "`direction` to sort in: asc or desc (default asc)")
	_ = cmd.RegisterFlagCompletionFunc("status", completion.Statuses) // the flags exist
	_ = cmd.RegisterFlagCompletionFunc("waiting-for", completion.Roles)
}

// path returns the path of the review. What cannot be used the service refuses, with what could be.
func (n *narrowing) path() string {
	values := url.Values{}
	for name, value := range map[string]string{"status": n.status, "waiting_for": n.waitingFor, "older_than": n.olderThan,
		"sort": n.sort, "order": n.order} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return "/project/review"
	}
	return "/project/review?" + values.Encode()
}

// sheet is a review, of a project or of a requirement.
type sheet interface {
	Table(io.Writer, render.Style) error
	Markdown(io.Writer) error
	Whole() bool
}

// askReview asks the service for a review, and returns it with its JSON.
func askReview[T sheet](ctx context.Context, o cli.Service, path string) (found T, raw []byte, err error) {
	if o.Timeout <= 0 {
		return found, nil, fault.New(fault.Invalid, fault.CodeUsage, "%v is not a time to wait for an answer", o.Timeout).
			WithFix("give --timeout a time such as 15s")
	}
	c, err := o.Connect()
	if err != nil {
		return found, nil, err
	}
	if raw, err = c.GetJSON(ctx, path, &found); err == nil && !found.Whole() {
		err = c.Stranger("JSON that is no review")
	}
	return found, raw, err
}

// showReview asks for a review and writes it. JSON is passed on as the service wrote it.
func showReview[T sheet](ctx context.Context, out io.Writer, o cli.Service, path, format string) error {
	if !slices.Contains(reviewFormats, format) {
		return cli.UnknownFormat(format, reviewFormats)
	}
	found, raw, err := askReview[T](ctx, o, path)
	if err != nil {
		return err
	}
	return writeReview(out, found, raw, format)
}

// writeReview writes a review; raw is its JSON.
func writeReview(out io.Writer, found sheet, raw []byte, format string) error {
	switch format {
	case "json":
		_, err := fmt.Fprintln(out, strings.TrimSpace(string(raw)))
		return err
	case "markdown":
		return found.Markdown(out)
	}
	return found.Table(out, styleOf(out))
}

// styleOf returns how tables look on out: as wide as a terminal, with colours where its owner wants them.
func styleOf(out io.Writer) render.Style {
	style := render.Style{Color: output.Colourful(out)}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		style.Width, _, _ = term.GetSize(int(f.Fd()))
	}
	return style
}
