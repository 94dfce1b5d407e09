package traces

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
)

// side is what the side column of the page of all runs shows.
type side struct {
	Schedules []schedule
	Usage     usage
}

// schedule is what is to be conducted later.
type schedule struct {
	ID      string    `json:"id"`
	Duties  []duty    `json:"obligations"`
	By      caller    `json:"by"`
	Every   int64     `json:"every_ms"`
	Next    time.Time `json:"next,omitzero"`
	Runs    int       `json:"runs"`
	Missed  int       `json:"missed"`
	Skipped int       `json:"skipped"`
	Last    *struct {
		At     time.Time `json:"at"`
		Run    string    `json:"run"`
		Status string    `json:"status"`
		Error  string    `json:"error"`
	} `json:"last"`
	Running *struct {
		At time.Time `json:"at"`
	} `json:"running"`
	Ended *struct {
		Why string `json:"why"`
	} `json:"ended"`
}

// usage is what agents used, by requirement, agent, who had them run, and client.
type usage struct {
	Rows  []used `json:"usage"`
	Total used   `json:"total"`
	Next  string `json:"next"`
}

// used is a sum of runs of agents.
type used struct {
	Requirement string   `json:"requirement"`
	Actor       string   `json:"actor"`
	Runs        int      `json:"runs"`
	Unreported  int      `json:"unreported"`
	Input       *int     `json:"input_tokens"`
	Output      *int     `json:"output_tokens"`
	Cost        *float64 `json:"cost_usd"`
}

// mostListed is how many schedules, and how many sums, the side column lists.
const mostListed = 10

// sideOf asks for what the side column shows. What is not answered is left out.
func sideOf(v *page.Visit) (s side) {
	limit := url.Values{"limit": {strconv.Itoa(mostListed)}}
	var all struct {
		Schedules []schedule `json:"schedules"`
	}
	_ = v.API.Get("/schedules", url.Values{"active": {"true"}, "limit": limit["limit"]}, &all)
	s.Schedules = all.Schedules
	_ = v.API.Get("/usage", limit, &s.Usage)
	return s
}

// Says returns how often a schedule is due.
func (s schedule) Says() string {
	text := "once"
	if s.Every > 0 {
		text = "every " + strings.TrimPrefix(words.For(time.Duration(s.Every)*time.Millisecond), "one ")
	}
	text += ", for " + s.By.Name
	switch s.Runs {
	case 0:
		text += "; never yet"
	case 1:
		text += "; it was due once"
	default:
		text += "; it was due " + words.Count(s.Runs) + " times"
	}
	if s.Missed > 0 {
		text += ", " + words.Count(s.Missed) + " missed"
	}
	if s.Skipped > 0 {
		text += ", " + words.Count(s.Skipped) + " skipped"
	}
	return text
}

// Duty returns what is to be conducted.
func (s schedule) Duty() duty {
	if len(s.Duties) == 0 {
		return duty{}
	}
	return s.Duties[0]
}

// Says returns what the runs of a sum used. What no client reported is left out, and is not zero.
func (u used) Says() string {
	text := words.Counted(u.Runs, "run", "runs")
	if u.Input != nil && u.Output != nil {
		text += ", " + words.Number(*u.Input) + " tokens read, " + words.Number(*u.Output) + " written"
	}
	if u.Cost != nil {
		text += fmt.Sprintf(", $ %.2f", *u.Cost)
	}
	if u.Unreported > 0 {
		text += "; " + words.Count(u.Unreported) + " reported nothing"
	}
	return text
}
