package clientcmd

import (
	"net/url"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/rules/lifecycle"
)

// listing says which requirements are listed.
type listing struct {
	asking
	status, role, text, waitingFor string
	suspect                        bool
	limit                          int
}

func listCommand() *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List requirements, with their status and whom they wait for",
		Long: `List shows a line for each requirement, in the order of the documents. Filters combine with "and".
Without a service, as in a clone, it reads project_status.json, which says nothing of whom a
requirement waits for. --json prints the requirements of all pages as one answer of the service.`,
		Example: `  orchestrator list
  orchestrator list --waiting-for pm
  orchestrator list --status planned --text login`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&l.status, "status", "", "list only requirements in this `status`")
	f.StringVar(&l.role, "role", "", "list only requirements that wait for this `role`, as --waiting-for does")
	f.StringVar(&l.waitingFor, "waiting-for", "",
		"list only requirements that wait for this `party`: a role, operator or document")
	f.StringVar(&l.text, "text", "", "list only requirements with this `text` in id, title or text")
	f.BoolVar(&l.suspect, "suspect", false, "list only requirements whose text changed after work began")
	f.IntVar(&l.limit, "limit", 0, "list at most this `number` of requirements (default all)")
	_ = cmd.RegisterFlagCompletionFunc("status", completion.Statuses)
	_ = cmd.RegisterFlagCompletionFunc("role", completion.Roles)
	_ = cmd.RegisterFlagCompletionFunc("waiting-for", completion.Roles)
	return l.command(cmd, false)
}

func (l *listing) path() string {
	q := url.Values{}
	for name, value := range map[string]string{"status": l.status, "waiting_for": l.waitingFor, "q": l.text} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if l.suspect {
		q.Set("suspect", "true")
	}
	return "/requirements?" + q.Encode()
}

func (l *listing) run(cmd *cobra.Command) error {
	var found struct {
		Total        int            `json:"total"`
		Requirements []sheet.Listed `json:"requirements"`
	}
	if err := l.check(); err != nil {
		return err
	}
	var raw []byte
	c, err := l.connect()
	if err == nil {
		raw, err = l.pages(cmd, c, "", "requirements", l.limit, func(string) string { return l.path() })
	}
	if err == nil {
		err = jsonv2.Unmarshal(raw, &found)
	}
	if err != nil {
		return l.offline(cmd, raw, err)
	}
	if l.asJSON {
		return passOn(cmd.OutOrStdout(), raw)
	}
	return sheet.WriteList(cmd.OutOrStdout(), found.Requirements, found.Total)
}

// offline lists the requirements of the export.
func (l *listing) offline(cmd *cobra.Command, raw []byte, asked error) error {
	if len(raw) > 0 {
		return l.refusedAs(cmd, "", raw, asked)
	}
	status, err := exported.Status(cmd, asked)
	if err == nil {
		err = l.answerable()
	}
	if err != nil {
		return err
	}
	rows, kept, err := l.of(status.Requirements)
	if err != nil {
		return err
	}
	total := len(rows)
	if l.limit > 0 && l.limit < total {
		rows, kept = rows[:l.limit], kept[:l.limit]
	}
	if l.asJSON {
		return output.WriteJSON(cmd.OutOrStdout(), map[string]any{"total": total, "requirements": kept})
	}
	return sheet.WriteList(cmd.OutOrStdout(), rows, total)
}

// of returns the requirements of an export that are listed, as lines and as they stand there.
func (l *listing) of(all []exportfile.Entry) (rows []sheet.Listed, kept []jsontext.Value, err error) {
	for _, e := range all {
		var req lifecycle.Requirement
		if err := jsonv2.Unmarshal(e.Raw, &req); err != nil {
			return nil, nil, err
		}
		row := sheet.Listed{ID: req.ID, Title: req.Title, Status: string(req.Status), Suspect: req.Suspect,
			Stale: len(req.Stale) > 0, Retired: req.Retired, Complete: finished.ByDocument(req)}
		if l.selects(req) {
			rows, kept = append(rows, row), append(kept, e.Raw)
		}
	}
	return rows, kept, nil
}
