package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/token"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Add, list and revoke tokens",
		Long: `A token lets its holder act under a name, in one role. A name may hold several tokens; separation of duties
goes by the name. A running server takes changes over by itself.`,
	}
	cmd.AddCommand(tokenAdd(), tokenList(), tokenRevoke())
	return group(cmd)
}

func dataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", datadir.Default, "folder of the database and the tokens")
}

// expiry reads a duration that may be counted in days.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return now.AddDate(0, 0, int(n)), nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, fault.New(fault.Invalid, "expires", "%q is not a time from now", text).
		WithFix("use hours or days, such as --expires 12h or --expires 90d")
}

func validity(t token.Token) string {
	if t.Expires.IsZero() {
		return "does not expire"
	}
	return "expires " + t.Expires.Format(time.RFC3339)
}

func tokenList() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens; the tokens themselves are not kept",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := tokens.Open(datadir.Dir(data)).List()
			if err != nil {
				return err
			}
			return writeTokens(cmd.OutOrStdout(), all, asJSON)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withEnv(cmd)
}

// listed is a token as it is shown: without its hash.
type listed struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Expired bool      `json:"expired"`
}

func writeTokens(out io.Writer, tokens []token.Token, asJSON bool) error {
	now, list := time.Now(), []listed{}
	for _, t := range tokens {
		list = append(list, listed{t.ID, t.Name, t.Role, t.Created, t.Expires, t.Expired(now)})
	}
	if asJSON {
		b, err := jsonv2.Marshal(list)
		if err == nil {
			_, err = fmt.Fprintln(out, string(b))
		}
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tROLE\tCREATED\tVALIDITY")
	for i, t := range list {
		state := validity(tokens[i])
		if t.Expired {
			state = "expired " + t.Expires.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, printable(t.Name), t.Role, t.Created.Format(time.RFC3339), state)
	}
	return w.Flush()
}

func tokenRevoke() *cobra.Command {
	var data, name string
	cmd := &cobra.Command{
		Use:   "revoke [ID]",
		Short: "Revoke a token by its id, or all tokens of a name",
		Example: `  orchestrator token revoke 3f9a2c10
  orchestrator token revoke --name ada`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (name != "") {
				return fault.New(fault.Invalid, "revoke_what", "give either an id or --name").
					WithFix("orchestrator token list shows both")
			}
			revoked, err := revoke(tokens.Open(datadir.Dir(data)), args, name)
			for _, t := range revoked {
				fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s, role %s\n", t.ID, printable(t.Name), t.Role)
			}
			return err
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&name, "name", "", "revoke every token of this name")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		tokens, err := token.NewFile(filepath.Clean(data), func(string) bool { return true }).List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, t := range tokens {
			ids = append(ids, t.ID+"\t"+t.Name+" "+t.Role)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return withEnv(cmd)
}

func revoke(f *token.File, args []string, name string) ([]token.Token, error) {
	if name != "" {
		return f.RevokeName(name)
	}
	t, err := f.Revoke(args[0])
	if err != nil {
		return nil, err
	}
	return []token.Token{t}, nil
}
