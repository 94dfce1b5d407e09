package clientcmd

import (
	"fmt"
	"net/url"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/rules/lifecycle"
)

// claiming are the flags of claim.
type claiming struct {
	asking
	lasts          string
	field          string
	release, renew bool
}

func claimCommand() *cobra.Command {
	var o claiming
	o.Role = "coder"
	cmd := &cobra.Command{
		Use:   "claim ID",
		Short: "Keep the field of a role to yourself while you work on it",
		Long: `Claim keeps others of the same role from writing the field. It ends by itself after --for, can be
renewed by another claim, and is given up with --release. A pm releases anybody's, named by
--field.`,
		Example: `  orchestrator claim REQ-001 --for 30m
  orchestrator claim REQ-001 --renew
  orchestrator claim REQ-001 --release`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.lasts, "for", "30m", "`time` that it lasts, from 1m to 4h")
	f.StringVar(&o.field, "field", "",
		"`field` to claim: design_spec, implementation or test (default that of the role)")
	f.BoolVar(&o.release, "release", false, "give the claim up")
	f.BoolVar(&o.renew, "renew", false, "renew the claim: the same as claiming again")
	return o.command(cmd, true)
}

func (o *claiming) run(cmd *cobra.Command, id string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	r, err := o.request()
	if err != nil {
		return err
	}
	answer, err := apiclient.ByID(id, func(id string) (apiclient.Answer, error) {
		asked := r
		asked.Path = path(id, r.Path)
		return c.Send(cmd.Context(), asked)
	})
	if err != nil {
		return o.refusedAs(cmd, id, answer.Body, err)
	}
	if o.asJSON {
		return passOn(cmd.OutOrStdout(), answer.Body)
	}
	return o.told(cmd, c, id, answer.Body)
}

// request makes the request, whose path is below the requirement.
func (o *claiming) request() (apiclient.Request, error) {
	if o.release {
		below := "/claim"
		if o.field != "" {
			below += "?" + url.Values{"field": {o.field}}.Encode()
		}
		return apiclient.Request{Method: "DELETE", Path: below}, nil
	}
	body := map[string]string{"for": o.lasts}
	if o.field != "" {
		body["field"] = o.field
	}
	raw, err := jsonv2.Marshal(body, jsonv2.Deterministic(true))
	return apiclient.Request{Method: "POST", Path: "/claim", Body: raw}, err
}

func (o *claiming) told(cmd *cobra.Command, c *apiclient.Client, id string, raw []byte) error {
	if len(raw) == 0 {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: the claim is released\n", output.Printable(id))
		return err
	}
	var claim struct {
		Requirement string          `json:"requirement"`
		Field       string          `json:"field"`
		By          lifecycle.Actor `json:"by"`
		Until       time.Time       `json:"until"`
	}
	if err := jsonv2.Unmarshal(raw, &claim); err != nil {
		return c.Stranger("JSON of another shape").Because(err)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is claimed by %s until %s\n", output.Printable(claim.Requirement),
		claim.Field, output.Printable(claim.By.Name), claim.Until.UTC().Format(time.RFC3339))
	return err
}
