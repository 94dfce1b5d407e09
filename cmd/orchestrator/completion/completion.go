// Package completion completes what commands take: ids of requirements, statuses and roles. A shell waits while
// somebody types, so a service is asked for a moment only; without its answer the export of the project says which
// ids there are.
package completion

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/rules/lifecycle"
)

// patience is how long a service may take for the ids.
const patience = 300 * time.Millisecond

// requirement is as much of a requirement as a shell shows.
type requirement struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// FirstID completes the first argument of a command with the ids of requirements.
func FirstID(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return IDs(cmd, args, typed)
}

// IDs completes every argument of a command with the ids of requirements that it does not have yet.
func IDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	has := map[string]bool{}
	for _, id := range args {
		has[id] = true
	}
	var all []string
	for _, r := range requirements(cmd) {
		if begins(r.ID, typed) && !has[r.ID] && output.Printable(r.ID) == r.ID {
			all = append(all, cobra.CompletionWithDesc(r.ID, output.Printable(r.Title)))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// begins reports whether an id begins with what was typed, which fish hands over as it stands on the command line.
func begins(id, typed string) bool {
	return strings.HasPrefix(id, typed) || strings.HasPrefix(id, strings.ReplaceAll(typed, `\`, ""))
}

// requirements asks the service that the command would ask, or else reads the export.
func requirements(cmd *cobra.Command) []requirement {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd.SetContext(ctx)
	if cmd.PreRunE != nil && cmd.PreRunE(cmd, nil) != nil {
		return nil
	}
	all, err := ask(ctx, cmd)
	if err == nil {
		return all
	}
	cmd.SetContext(context.Background()) // the moment of the service may be over
	path, err := setting.ExportPath(cmd)
	if err != nil {
		return nil
	}
	status, err := exportfile.ReadStatus(cmd.Context(), path)
	if err != nil {
		return nil
	}
	for _, e := range status.Requirements {
		all = append(all, requirement{e.ID, e.Title})
	}
	return all
}

// ask reads the list of the service.
func ask(ctx context.Context, cmd *cobra.Command) ([]requirement, error) {
	service := cli.ServiceOf(cmd)
	service.Timeout = patience
	c, err := service.Connect()
	if err != nil {
		return nil, err
	}
	return apiclient.All[requirement](ctx, c, "/requirements?fields=id,title", "requirements")
}

// Statuses completes the statuses of requirements.
func Statuses(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, s := range lifecycle.Statuses() {
		all = append(all, string(s))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// Roles completes the roles of tokens.
func Roles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, r := range lifecycle.Roles() {
		all = append(all, string(r))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}
