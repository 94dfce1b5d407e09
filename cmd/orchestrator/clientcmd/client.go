// Package clientcmd has the commands that work on requirements through the service: each is a form of a few requests of
// the API, and decides nothing.
package clientcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/rules/lifecycle"
)

// shared are the flags of all commands of the package: variables and settings stand in for them. What the others
// say is a person's word at that moment.
var shared = []string{"data", "server", "tls-ca", "token-file", "timeout", "json", "help"}

// besides are the flags that may go with a request from a file.
var besides = append([]string{"from", "as", "dry-run", "if-match"}, shared...)

// asking is whom a command asks, and as whom.
type asking struct {
	cli.Service
	as      string
	asJSON  bool
	moves   bool // the role is that of the move, unless one is named
	several bool // each argument is an id; else the first
}

// command adds the flags that all commands of the package have. ids says that the arguments are requirements.
func (a *asking) command(cmd *cobra.Command, ids bool) *cobra.Command {
	cli.ServiceFlags(cmd, &a.Service)
	cli.TimeoutFlag(cmd, &a.Service)
	cmd.Flags().StringVar(&a.as, "as", "",
		"use the token of this `role` in --data (default "+a.usually()+")")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print the answer of the service as JSON")
	_ = cmd.RegisterFlagCompletionFunc("as", completion.Roles)
	if ids {
		cmd.ValidArgsFunction = completion.FirstID
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(shared, f.Name) {
			cli.TypedOnly(cmd, f.Name)
		}
	})
	if ids {
		a.refuseShared(cmd)
	}
	leadToPresentID(cmd)
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := typed.Said(cmd, args); err != nil {
			return err
		}
		return work(cmd, args)
	}
	return cli.WithEnv(cmd)
}

// usually says whose token is used where no role is named.
func (a *asking) usually() string {
	switch {
	case a.moves:
		return "the role that makes the move"
	case a.Role == "":
		return "viewer, or else pm"
	}
	return a.Role
}

// refuseShared makes a command refuse ids that could be those of several requirements.
func (a *asking) refuseShared(cmd *cobra.Command) {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c, err := a.connect(); err == nil {
			for _, id := range a.ids(args) {
				if err := apiclient.Shared(cmd.Context(), c, id); err != nil {
					return err
				}
			}
		}
		return work(cmd, args)
	}
}

// ids returns those of the arguments that are ids of requirements.
func (a *asking) ids(args []string) []string {
	if a.several {
		return args
	}
	return args[:min(len(args), 1)]
}

// connect makes the client.
func (a *asking) connect() (*apiclient.Client, error) {
	if err := typed.OneOf("--as", a.as, lifecycle.Roles()); err != nil {
		return nil, err
	}
	o := a.Service
	o.Role = cmp.Or(a.as, a.Role)
	return o.Connect()
}

// path returns the path of something of a requirement.
func path(id string, below string) string {
	return "/requirements/" + strings.ReplaceAll(url.PathEscape(id), "'", "%27") + below
}

// get asks for a path, and reads the answer into v. The bytes are those of the service.
func get(ctx context.Context, c *apiclient.Client, path string, v any) ([]byte, error) {
	answer, err := c.Send(ctx, apiclient.Request{Method: "GET", Path: path})
	if err != nil {
		return answer.Body, err
	}
	if err := jsonv2.Unmarshal(answer.Body, v); err != nil {
		return nil, c.Stranger("JSON of another shape").Because(err)
	}
	return answer.Body, nil
}

// advised adds to a refusal what can be typed next.
func advised(id string, err error) error {
	f := fault.As(err)
	if f == nil || errors.As(err, new(apiclient.RenamedError)) {
		return err
	}
	told := *f
	told.Detail = advice.Typed(id, f.Detail)
	told.Fix, told.Fields = advice.Typed(id, f.Fix), slices.Clone(f.Fields)
	for i := range told.Fields {
		told.Fields[i].Fix = advice.Typed(id, told.Fields[i].Fix)
	}
	return advice.Error{Err: &told, Lines: advice.Refusal(id, f)}
}

// passOn writes the bytes of the service as they are.
func passOn(out io.Writer, raw []byte) error {
	_, err := fmt.Fprintln(out, strings.TrimRight(string(raw), "\n"))
	return err
}
