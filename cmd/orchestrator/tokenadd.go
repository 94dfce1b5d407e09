package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/token"
)

const (
	addForm     = "orchestrator token add ROLE NAME --out FILE"
	acceptEvery = 50 * time.Millisecond
)

// addOptions are the flags of token add.
type addOptions struct {
	data, out, expires, oldRole string
	force                       bool
	timeout                     time.Duration // for a running service to accept the token
}

func tokenAdd() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add ROLE NAME",
		Short: "Make a token for a role, under the name of who acts",
		Long: `Add makes a token with which its holder acts in one role, under a name. The roles are pm, architect, coder, tester and
viewer. The name says who acts: separation of duties goes by it, so give each person and each agent their own.

--out writes the token to a file of mode 0600. A file that exists is refused, unless --force replaces it; a link is
never followed. Without --out the token goes to standard output. It is kept nowhere else.

When a service runs with --data, the command returns once that service accepts the token.`,
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
			return texts(lifecycle.Roles()), cobra.ShellCompDirectiveNoFileComp
		},
	}
	dataFlag(cmd, &o.data)
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "file to write the token to; without it the token goes to standard output")
	f.BoolVar(&o.force, "force", false, "replace the file of --out if it exists")
	f.StringVar(&o.expires, "expires", "",
		"how long it is valid, such as 12h or 90d; without it the token does not expire")
	f.DurationVar(&o.timeout, "timeout", 5*time.Second,
		"how long a running service may take to accept the token; 0 does not wait")
	f.StringVar(&o.oldRole, "role", "", "the role, before it became an argument")
	_ = f.MarkHidden("role") // the flag exists
	typedOnly(cmd, "role")
	return withEnv(cmd)
}

// checkArgs refuses what is not a role and a name; of the old form, and of the two in the wrong order, it shows the
// right one.
func (o addOptions) checkArgs(args []string) error {
	isRole := func(i int) bool { _, err := lifecycle.ParseRole(args[i]); return err == nil }
	switch {
	case o.oldRole != "" && len(args) == 1:
		return fault.New(fault.Invalid, "usage", "the role is an argument, and comes before the name").
			WithFix("orchestrator token add %s %s", printable(o.oldRole), printable(args[0]))
	case o.oldRole != "" || len(args) != 2:
		return fault.New(fault.Invalid, "usage", "token add takes a role and a name").
			WithFix("%s; the roles are %s", addForm, strings.Join(texts(lifecycle.Roles()), ", "))
	case !isRole(0) && isRole(1):
		return fault.New(fault.Invalid, "usage", "the role comes before the name").
			WithFix("orchestrator token add %s %s", args[1], printable(args[0]))
	}
	_, err := lifecycle.ParseRole(args[0])
	return err
}

// addToken makes the token, puts it where it belongs, and waits until a running service accepts it.
func addToken(cmd *cobra.Command, o addOptions, role, name string) error {
	now := time.Now()
	until, err := expiry(o.expires, now)
	if err != nil {
		return err
	}
	if !until.IsZero() { // tokens are kept to the second; nobody gets less than was asked for
		until = until.Add(time.Second - 1).Truncate(time.Second)
	}
	files := tokenFile(o.data)
	add := func() (string, token.Token, error) { return files.Add(name, role, until, now) }
	var secret string
	var made token.Token
	if o.out == "" {
		secret, made, err = add()
	} else {
		secret, made, err = addInto(files, o.out, o.force, add)
	}
	if err != nil {
		return err
	}
	summary := fmt.Sprintf("token %s for %s, role %s, %s", made.ID, made.Name, made.Role, validity(made))
	if o.out == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s; it is shown this once:\n", summary)
		fmt.Fprintln(cmd.OutOrStdout(), secret)
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", summary, printable(o.out))
		warnExposed(cmd.Context(), cmd.ErrOrStderr(), o.out)
	}
	return o.awaitAccepted(cmd.Context(), secret, made)
}

// addInto makes a token and writes it to a file, which is opened first: where it cannot be written no token is made. A
// token whose file could not be written is revoked.
func addInto(files *token.File, path string, force bool,
	add func() (string, token.Token, error)) (string, token.Token, error) {
	place, err := openSecret(path, force)
	if err != nil {
		return "", token.Token{}, err
	}
	secret, made, err := add()
	if err != nil {
		return "", token.Token{}, errors.Join(err, place.discard())
	}
	if err := place.keep(secret + "\n"); err != nil {
		_, revokeErr := files.Revoke(made.ID)
		return "", token.Token{}, errors.Join(err, revokeErr)
	}
	return secret, made, nil
}

// warnExposed says that a file with a token may end up in a repository.
func warnExposed(ctx context.Context, w io.Writer, path string) {
	exposed, err := gitignore.Look(ctx, path)
	switch {
	case err != nil:
		fmt.Fprintf(w, "warning: whether git would take %s cannot be told: %v\n", printable(path), err)
	case exposed == gitignore.Tracked:
		fmt.Fprintf(w, "warning: git tracks %[1]s, and the next commit has the token in it: git rm --cached %[1]s\n",
			shellQuote(path))
	case exposed == gitignore.Addable:
		fmt.Fprintf(w, "warning: git does not ignore %s, and git add -A would take it: add it to .gitignore, or keep it outside of the working tree\n",
			printable(path))
	}
}

// knows tells whether a refusal shows that the service has the token: it may have expired by now.
func knows(err error) bool {
	return fault.Is(err, token.CodeExpired)
}

// awaitAccepted returns once the service that runs with the data folder, if one does, accepts the token. A service
// holds the lock of its database: without it, whoever listens at the address that the last one wrote is not shown the
// token.
func (o addOptions) awaitAccepted(ctx context.Context, secret string, made token.Token) error {
	if o.timeout <= 0 || !durable.Locked(filepath.Join(o.data, "state.db")) {
		return nil // no service runs here
	}
	addr, err := os.ReadFile(filepath.Join(o.data, "addr"))
	if err != nil {
		return nil // it has not begun to serve
	}
	service, err := apiclient.New(apiclient.Options{
		Server: localURL(strings.TrimSpace(string(addr))), Token: secret, UserAgent: "orchestrator/" +
			buildVersion, Timeout: o.timeout,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	for {
		_, err := service.GetAtMost(ctx, "/workflow", "application/json", 1<<20)
		if err == nil || notRunning(err) || knows(err) {
			return nil
		}
		select {
		case <-time.After(acceptEvery):
		case <-ctx.Done():
			return fault.New(fault.Unavailable, "token_not_accepted",
				"the token was made, and the service at %s did not accept it within %v",
				strings.TrimSpace(string(addr)), o.timeout).
				WithFix("see its log for why it does not take tokens.json over, or restart it; orchestrator token revoke %s takes the token back", made.ID).
				Because(err)
		}
	}
}
