package mcpcmd

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

// options are the flags that the commands share.
type options struct {
	service    cli.Service
	scope      string
	followLink bool
	dryRun     bool
	asJSON     bool
}

// The settings of a client that are meant.
const (
	scopeProject = "project"
	scopeUser    = "user"
)

// changing adds the flags of a command that changes the settings of a client.
func (o *options) changing(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&o.scope, "scope", scopeProject,
		"settings to change: project, or user for all projects of this user")
	_ = cmd.RegisterFlagCompletionFunc("scope",
		cobra.FixedCompletions([]string{scopeProject, scopeUser}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&o.followLink, "follow-link", false,
		"if the client's settings are a symbolic link, edit the file that it leads to")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "change nothing, and print the difference")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	cmd.ValidArgsFunction = cobra.FixedCompletions(agentclient.Names(), cobra.ShellCompDirectiveNoFileComp)
	return person.Only(cli.WithEnv(cmd))
}

// files returns which settings are meant.
func (o *options) files() (settings.ServerOptions, error) {
	if o.scope != "" && o.scope != scopeProject && o.scope != scopeUser {
		return settings.ServerOptions{}, fault.Misuse("there is no scope %q", o.scope).
			WithFix("give --scope project or --scope user")
	}
	root, err := filepath.Abs(datadir.Dir(o.service.Data).Project())
	home, _ := os.UserHomeDir()
	return settings.ServerOptions{Root: root, Home: home, User: o.scope == scopeUser, FollowLink: o.followLink,
		DryRun: o.dryRun}, err
}

func clientsLine() string { return "\n\nClients: " + strings.Join(agentclient.Names(), ", ") }
