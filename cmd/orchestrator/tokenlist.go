package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
)

func tokenList() *cobra.Command {
	var data string
	var store storage.Given
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens; the tokens themselves are not kept",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []tokens.Token
			err := atTokens(cmd, data, store, func(at tokens.Place) (err error) {
				all, err = at.List(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			now, list := time.Now(), []listed{}
			for _, t := range all {
				list = append(list, listed{t.ID, t.Name, t.Role, t.Created, t.Expires, t.Expired(now), t.Run})
			}
			return writeTokens(cmd.OutOrStdout(), list, asJSON)
		},
	}
	cli.DataFlag(cmd, &data)
	storeflag.Add(cmd, &store)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

// listed is a token as it is shown: without its hash.
type listed struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Expired bool      `json:"expired"`
	Run     string    `json:"run,omitzero"` // for which it was made
}

func writeTokens(out io.Writer, list []listed, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, list)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tROLE\tCREATED\tVALIDITY")
	for _, t := range list {
		state := validity(t.Expires)
		if t.Expired {
			state = "expired " + t.Expires.Format(time.RFC3339)
		}
		if t.Run != "" {
			state += ", for the run " + t.Run
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, output.Printable(t.Name), t.Role, t.Created.Format(time.RFC3339), state)
	}
	return w.Flush()
}
