package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/gitignore"
)

const addForm = "orchestrator token add ROLE NAME --out FILE"

// addOptions are the flags of token add.
type addOptions struct {
	data, out, expires, oldRole string
	store                       storage.Given
	force                       bool
	timeout                     time.Duration // for a running service to accept the token
	tlsCA                       string
}

func tokenAdd() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add ROLE NAME",
		Short: "Create a token for a role, under the name of its holder",
		Long: `Add creates a token, with which its holder acts in one role and under one name. The roles are pm,
architect, coder, tester and viewer. Duties are separated by name, so give each person and each agent their own.

--out writes the token to a file of mode 0600. An existing file is refused, unless --force is given; a link is never
followed. Without --out the token goes to standard output. It is stored nowhere else.

If a service is running with --data, the command returns when that service accepts the token.`,
		Example: `  orchestrator token add coder ada --out ada.token
  orchestrator token add viewer ci --expires 90d --out ci.token
  orchestrator token add tester bob --out .orchestrator/tokens/tester.token`,
		Args: func(_ *cobra.Command, args []string) error { return o.checkArgs(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return addToken(cmd, o, args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completion.Roles(nil, nil, "")
		},
	}
	cli.DataFlag(cmd, &o.data)
	storeflag.Add(cmd, &o.store)
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "file to write the token to; without it the token goes to standard output")
	f.BoolVar(&o.force, "force", false, "replace the file of --out if it exists")
	f.StringVar(&o.expires, "expires", "",
		"how long it is valid, such as 12h or 90d; without it the token does not expire")
	cli.TLSCAFlag(cmd, &o.tlsCA)
	f.DurationVar(&o.timeout, "timeout", 5*time.Second,
		"how long a running service may take to accept the token; 0 does not wait")
	f.StringVar(&o.oldRole, "role", "", "the role, before it became an argument")
	_ = f.MarkHidden("role") // the flag exists
	cli.TypedOnly(cmd, "role")
	return cli.WithEnv(cmd)
}

func roleNames() []string {
	var names []string
	for _, role := range lifecycle.Roles() {
		names = append(names, string(role))
	}
	return names
}

// checkArgs refuses what is not a role and a name; of the old form, and of the two in the wrong order, it shows the
// right one.
func (o addOptions) checkArgs(args []string) error {
	isRole := func(i int) bool { _, err := lifecycle.ParseRole(args[i]); return err == nil }
	switch {
	case o.oldRole != "" && len(args) == 1:
		return fault.New(fault.Invalid, fault.CodeUsage, "the role is an argument, and comes before the name").
			WithFix("orchestrator token add %s %s", output.Printable(o.oldRole), output.Printable(args[0]))
	case o.oldRole != "" || len(args) != 2:
		return fault.New(fault.Invalid, fault.CodeUsage, "token add takes a role and a name").
			WithFix("%s; the roles are %s", addForm, strings.Join(roleNames(), ", "))
	case !isRole(0) && isRole(1):
		return fault.New(fault.Invalid, fault.CodeUsage, "the role comes before the name").
			WithFix("orchestrator token add %s %s", args[1], output.Printable(args[0]))
	}
	_, err := lifecycle.ParseRole(args[0])
	return err
}

// addToken makes the token, says so, and waits until a running service accepts it.
func addToken(cmd *cobra.Command, o addOptions, role, name string) error {
	now := time.Now()
	until, err := expiry(o.expires, now)
	if err != nil {
		return err
	}
	var secret string
	var made tokens.Token
	err = atTokens(cmd, o.data, o.store, func(at tokens.Place) (err error) {
		secret, made, err = tokens.Add(cmd.Context(), at,
			tokens.Order{Role: role, Name: name, Expires: until, Out: o.out, Force: o.force}, now)
		return err
	})
	if err != nil {
		return err
	}
	summary := fmt.Sprintf("token %s for %s, role %s, %s", made.ID, made.Name, made.Role, validity(made.Expires))
	if o.out == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s; it is shown this once:\n", summary)
		fmt.Fprintln(cmd.OutOrStdout(), secret)
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", summary, output.Printable(o.out))
		warnExposed(cmd.Context(), cmd.ErrOrStderr(), o.out)
	}
	return tokens.AwaitAccepted(cmd.Context(), datadir.Dir(o.data), made,
		apiclient.Options{Token: secret, CAFile: o.tlsCA, UserAgent: cli.UserAgent(), Timeout: o.timeout})
}

// warnExposed warns that a file with a token may end up in a repository.
func warnExposed(ctx context.Context, w io.Writer, path string) {
	exposed, err := gitignore.Look(ctx, path)
	warning := exposed.Warning(path)
	if err != nil {
		warning = fmt.Sprintf("whether git would take %s cannot be told: %v", path, err)
	}
	if warning != "" {
		fmt.Fprintln(w, "warning:", output.Printable(warning))
	}
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
	return time.Time{}, fault.New(fault.Invalid, fault.CodeUsage, "%q is not a time from now", text).
		WithFix("use hours or days, such as --expires 12h or --expires 90d")
}

func validity(expires time.Time) string {
	if expires.IsZero() {
		return "does not expire"
	}
	return "expires " + expires.Format(time.RFC3339)
}
