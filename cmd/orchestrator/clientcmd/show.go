package clientcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

func showCommand() *cobra.Command {
	var a asking
	return a.command(&cobra.Command{
		Use:   "show ID",
		Short: "Show one requirement: text, status, evidence, and who is next",
		Long: `Show prints a requirement for people, with its evidence looked up again. With --json it prints the
requirement as GET /requirements/{id} answers it. Without a service, as in a clone, it reads
project_status.json.`,
		Example: `  orchestrator show REQ-001
  orchestrator show REQ-001 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd, args[0]) },
	}, true)
}

// sheet is what is known of a requirement for people.
type sheet struct {
	Dossier review.Dossier
	View    guidance.View
	raw     []byte // of a refusal
}

func (a *asking) show(cmd *cobra.Command, id string) error {
	c, err := a.connect()
	if err != nil {
		return a.offlineShow(cmd, id, err)
	}
	if a.asJSON {
		var ignored any
		raw, err := apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) ([]byte, error) {
			return get(cmd.Context(), c, path(id, ""), &ignored)
		})
		if err != nil && len(raw) == 0 {
			return a.offlineShow(cmd, id, err)
		} else if err != nil {
			return a.refusedAs(cmd, id, raw, err)
		}
		return passOn(cmd.OutOrStdout(), raw)
	}
	found, err := apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) (sheet, error) {
		return lookAt(cmd.Context(), c, id)
	})
	if err != nil && len(found.raw) == 0 {
		return a.offlineShow(cmd, id, err)
	} else if err != nil {
		return advised(id, err)
	}
	p, columns := printer(cmd.OutOrStdout())
	found.write(p, columns)
	_, err = fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

// lookAt has the evidence of a requirement looked up again, and asks what can be done with it.
func lookAt(ctx context.Context, c *apiclient.Client, id string) (sheet, error) {
	return apiclient.ByID(id, func(id string) (s sheet, err error) {
		if s.raw, err = get(ctx, c, path(id, "/review"), &s.Dossier); err == nil {
			s.raw, err = get(ctx, c, path(id, "/next"), &s.View)
		}
		return s, err
	})
}

func (a *asking) offlineShow(cmd *cobra.Command, id string, asked error) error {
	status, err := exported.Status(cmd, asked)
	if err != nil {
		return err
	}
	e, err := entryOf(status, id, output.Renamed(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), e.Raw)
	}
	var req lifecycle.Requirement
	if err := jsonv2.Unmarshal(e.Raw, &req); err != nil {
		return err
	}
	p, columns := printer(cmd.OutOrStdout())
	writeDefinition(p, columns, req.Definition)
	p.Line("status    %s, revision %d", req.Status, req.Revision)
	_, err = fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

// entryOf finds what a name stands for: a requirement, or the one that had this id.
func entryOf(status exportfile.Status, name string, told func(from, to string)) (*exportfile.Entry, error) {
	meant := status.Meant(name)
	if len(meant) == 1 {
		return status.Find(meant[0]), nil
	}
	if e := status.Find(name); e != nil {
		told(name, e.ID)
		return e, nil
	}
	return nil, noneOrSeveral(name, meant)
}

// noneOrSeveral refuses an id that stands for no requirement of the export, or for several.
func noneOrSeveral(id string, meant []string) error {
	if len(meant) == 0 {
		return fault.New(fault.NotFound, "requirement_not_found", "the export has no requirement %q", id).
			WithFix("orchestrator list lists the ids; they are compared letter by letter")
	}
	f := fault.New(fault.NotFound, "requirement_not_found", "%q is the short form of %d requirements", id, len(meant)).
		WithFix("give the whole id")
	f.IDs = meant[:min(len(meant), 10)]
	return advised(id, f)
}

func writeDefinition(p *output.Printer, columns int, d lifecycle.Definition) {
	paragraph(p, columns, "", d.ID+": "+d.Title)
	if d.Text != d.Title {
		paragraph(p, columns, "  ", d.Text)
	}
	for _, c := range d.Acceptance {
		paragraph(p, columns, "  ", "- "+c.Text)
	}
	p.Line("\nplace     %s:%d, %s", output.Printable(d.Source.Path), d.Source.Line,
		output.Printable(strings.Join(d.Source.Section, " > ")))
}

func (s sheet) write(p *output.Printer, columns int) {
	writeDefinition(p, columns, s.Dossier.Definition)
	for _, f := range s.Dossier.FormerIDs {
		p.Line("formerly  %s, until record %d", output.Printable(f.ID), f.Record)
	}
	standing := s.Dossier.Standing
	p.Line("status    %s since %s, revision %d", p.Paint(output.Green, string(standing.Status)), day(standing.Since),
		s.Dossier.Revision)
	if s.View.Complete {
		p.Line("document  %s", finished.Words)
	}
	for _, c := range s.View.Claims {
		p.Line("claimed   %s by %s until %s", c.Field, output.Printable(c.By.Name),
			c.Until.Format("2006-01-02 15:04 MST"))
	}
	for _, o := range s.View.AgainstDone {
		paragraph(p, columns, "", p.Paint(output.Yellow, "against done: ")+advice.Objection(s.View.ID, o))
	}
	s.writeGates(p, columns)
	s.writeEvidence(p, columns)
	s.writeProposed(p, columns)
	p.Line("")
	s.writeMoves(p)
}

// writeProposed writes what open changes would do to it.
func (s sheet) writeProposed(p *output.Printer, columns int) {
	if len(s.Dossier.Proposed) == 0 {
		return
	}
	p.Line("\nopen changes")
	for _, o := range s.Dossier.Proposed {
		paragraph(p, columns, "  ", o.String()+strings.TrimSuffix(" ("+output.At(o.Path, o.Line), ": ")+")")
		for _, conflict := range o.Conflicts {
			paragraph(p, columns, "    ", p.Paint(output.Yellow, "conflict: ")+conflict)
		}
	}
}

// writeGates writes what is lacking on the way to done.
func (s sheet) writeGates(p *output.Printer, columns int) {
	var rows [][]string
	for _, g := range s.Dossier.Gates {
		row := []string{string(g.To), string(g.Supplier), g.Detail}
		if n := len(rows); !g.Met && (n == 0 || !slices.Equal(row, rows[n-1])) { // two gates may lack the same
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		p.Line("\nlacking")
		p.Whole(columns, []string{"FOR", "BY", "WHAT"}, rows)
	}
}

// writeEvidence writes the evidence of the parts and of the last move, with what looking it up came to.
func (s sheet) writeEvidence(p *output.Printer, columns int) {
	var rows [][]string
	add := func(part string, all []review.Cited) {
		for _, c := range all {
			verdict := c.Recheck.Verdict
			if c.Recheck.Detail != "" {
				verdict += ": " + c.Recheck.Detail
			}
			rows = append(rows, []string{part, proposal.Words(c.Evidence), verdict})
		}
	}
	for _, part := range s.Dossier.Parts {
		add(part.Name, part.Evidence)
	}
	if n := len(s.Dossier.History); n > 0 {
		add("status", s.Dossier.History[n-1].Evidence)
	}
	if len(rows) > 0 {
		p.Line("\nevidence, looked up now")
		p.Whole(columns, []string{"OF", "EVIDENCE", "VERDICT"}, rows)
	}
}

// writeMoves writes whom the requirement waits for, and what whoever asks can send.
func (s sheet) writeMoves(p *output.Printer) {
	var waiting []string
	for _, w := range s.View.WaitingFor {
		waiting = append(waiting, string(w))
	}
	if len(waiting) > 0 {
		p.Line("waits for %s", strings.Join(waiting, ", "))
	}
	if len(s.View.Moves)+len(s.View.Fields) == 0 {
		for _, role := range waiting {
			if command := advice.Next(s.View.ID, role); command != "" {
				p.Line("  %s", output.Printable(command))
			}
		}
	}
	for _, f := range s.View.Fields {
		if f.Due {
			p.Line("  supply %s: %s", f.Field, output.Printable(advice.Body(s.View.ID, *f.Example)))
		}
	}
	if command := advice.WayOut(s.View.AgainstDone); command != "" {
		p.Line("  to have it come back, by the pm: %s", command)
	}
	for _, m := range s.View.Moves {
		p.Line("  to %s: %s", m.To, output.Printable(advice.Body(s.View.ID, *m.Example)))
		for _, l := range m.Lacks {
			p.Line("    lacks %s (%s)", output.Printable(l.Detail), l.By)
		}
	}
}
