package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"orchestrator/cmd/checkclients/check"
	"orchestrator/cmd/checkclients/client"
)

// column is what was found of one client.
type column struct {
	Client   string          `json:"client"`
	Version  string          `json:"version"`
	Findings []check.Finding `json:"checks"`
	Unknown  []check.Unknown `json:"unknown,omitempty"`
	Odd      []string        `json:"unexpected_requests,omitempty"`
	Why      string          `json:"not_run,omitempty"` // nothing was checked
	Broken   []string        `json:"broken,omitempty"`  // what kept a session from being run, or its calls from being kept
}

func (c *column) title() string { return c.Client + " " + c.Version }

func (c *column) find(name string) check.Finding {
	for _, f := range c.Findings {
		if f.Check == name {
			return f
		}
	}
	return check.Finding{Check: name, State: check.NotRun, Why: c.Why}
}

// add notes what a session showed besides the checks.
func (c *column) add(ctx context.Context, bed *check.Bed, row *client.Client, s *check.Session) {
	unknown, err := bed.UnknownTools(ctx, row, s)
	if err != nil {
		c.Odd = append(c.Odd, err.Error())
	}
	for _, u := range unknown {
		if !slices.Contains(c.Unknown, u) {
			c.Unknown = append(c.Unknown, u)
		}
	}
	for _, odd := range s.Odd {
		if !slices.Contains(c.Odd, odd) {
			c.Odd = append(c.Odd, odd)
		}
	}
}

// failed reports whether a check failed, or something was not checked for another reason than that a client does not
// offer a tool.
func failed(columns []column) bool {
	for _, c := range columns {
		if c.Why != "" || len(c.Broken) > 0 {
			return true
		}
		for _, f := range c.Findings {
			if f.State == check.Failed {
				return true
			}
		}
	}
	return false
}

func writeJSON(w io.Writer, columns []column) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(columns)
}

// writeTable prints a row for each check and a column for each client, and below it what there is to say.
func writeTable(w io.Writer, names []string, columns []column) {
	widest := 0
	for _, name := range names {
		widest = max(widest, len(name))
	}
	heads := [2]string{}
	for _, c := range columns {
		heads[0] += "  " + pad(c.Client, columnWidth(c))
		heads[1] += "  " + pad(c.Version, columnWidth(c))
	}
	for _, head := range heads {
		fmt.Fprintln(w, strings.TrimRight(pad("", widest)+head, " "))
	}
	for _, name := range names {
		line := pad(name, widest)
		for _, c := range columns {
			line += "  " + pad(string(c.find(name).State), columnWidth(c))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, c := range columns {
		writeNotes(w, &c)
	}
}

func columnWidth(c column) int { return max(len(c.Client), len(c.Version), len(check.NotOffered)) }

func pad(text string, width int) string { return text + strings.Repeat(" ", max(0, width-len(text))) }

// writeNotes prints why a check did not pass, and what the program does not know.
func writeNotes(w io.Writer, c *column) {
	fmt.Fprintln(w)
	if c.Why != "" {
		fmt.Fprintf(w, "%s: not run: %s\n", c.title(), c.Why)
		return
	}
	for _, broken := range c.Broken {
		fmt.Fprintf(w, "%s: %s\n", c.title(), broken)
	}
	for _, f := range c.Findings {
		if f.Why != "" {
			fmt.Fprintf(w, "%s: %s: %s: %s\n", c.title(), f.State, f.Check, f.Why)
		}
	}
	for _, u := range c.Unknown {
		if u.Field == "" {
			fmt.Fprintf(w, "%s: unknown tool: %s (%s)\n", c.title(), u.Tool, u.Class)
		} else {
			fmt.Fprintf(w, "%s: unknown field: %s of %s\n", c.title(), u.Field, u.Tool)
		}
	}
	for _, odd := range c.Odd {
		fmt.Fprintf(w, "%s: unexpected request: %s\n", c.title(), odd)
	}
	fmt.Fprintf(w, "%s: %s\n", c.title(), count(c.Findings))
}

func count(findings []check.Finding) string {
	n := map[check.State]int{}
	for _, f := range findings {
		n[f.State]++
	}
	return fmt.Sprintf("%d ok, %d FAILED, %d known gaps, %d not run",
		n[check.OK], n[check.Failed], n[check.Gap], n[check.NotRun])
}
