package clientcmd

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/exported"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

func showCommand() *cobra.Command {
	var a asking
	return a.command(&cobra.Command{
		Use:   "show ID",
		Short: "Show one requirement: text, status, evidence, and who is next",
		Long: `Show prints a requirement for people: what each role wrote, and its evidence, looked up again.
With --json it prints the requirement as GET /requirements/{id} answers it. Without a service, as in
a clone, it reads project_status.json.`,
		Example: `  orchestrator show REQ-001
  orchestrator show REQ-001 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd, args[0]) },
	}, true)
}

// found is a requirement as it is shown.
type found struct {
	sheet.Sheet

	raw []byte // of a refusal
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
	found, err := apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) (found, error) {
		return lookAt(cmd.Context(), c, id)
	})
	if err != nil && len(found.raw) == 0 {
		return a.offlineShow(cmd, id, err)
	} else if err != nil {
		return advised(id, err)
	}
	p, columns := sheet.Printer(cmd.OutOrStdout())
	found.Write(p, columns)
	_, err = fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

// lookAt has the evidence of a requirement looked up again, and asks what can be done with it.
func lookAt(ctx context.Context, c *apiclient.Client, id string) (found, error) {
	return apiclient.ByID(id, func(id string) (s found, err error) {
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
	workflow, err := lifecycle.ParseWorkflow(status.Workflow)
	if err != nil {
		return err
	}
	p, columns := sheet.Printer(cmd.OutOrStdout())
	sheet.Definition(p, columns, req.Definition)
	p.Line("status    %s, revision %d", req.Status, req.Revision)
	sheet.Sheet{Dossier: review.One(workflow, req, review.Seen{})}.Written(p, columns)
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
