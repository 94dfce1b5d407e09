package sheet

import (
	"fmt"
	"io"
	"strings"
	"time"

	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/finished"
)

// Listed is a requirement in a list.
type Listed struct {
	ID         string    `json:"id"`
	Title      string    `json:"title"`
	Status     string    `json:"status"`
	Suspect    bool      `json:"suspect"`
	Stale      bool      `json:"stale"`
	Retired    bool      `json:"retired"`
	Complete   bool      `json:"complete_in_document"`
	Since      time.Time `json:"since"`
	WaitingFor []string  `json:"waiting_for"`
}

// WriteList prints requirements, and how many there are in all.
func WriteList(out io.Writer, found []Listed, total int) error {
	p, columns := Printer(out)
	var rows [][]string
	complete := false
	for _, r := range found {
		complete = complete || r.Complete
		status := advice.Marked(r.Status, r.Suspect, r.Stale, r.Retired, r.Complete)
		rows = append(rows, []string{r.ID, status, strings.Join(r.WaitingFor, ", "), r.Title})
	}
	if len(rows) > 0 {
		p.Table(columns, []string{"ID", "STATUS", "WAITS FOR", "TITLE"}, rows)
	}
	if complete {
		p.Line("* %s: orchestrator adopt plans its way to done", finished.Words)
	}
	if len(rows) < total {
		p.Line("%d of %d; a higher --limit lists more", len(rows), total)
	}
	if total == 0 {
		p.Line("no requirement matches")
	}
	_, err := fmt.Fprint(out, p.String())
	return err
}
