package boundarycmd

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/fault"
)

func boundaryInstallCommand() *cobra.Command {
	var o boundaryOptions
	var version string
	var followLink bool
	var scope string
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Set the boundary up in validate, and register the hook with an agent client",
		Long: `Install creates .orchestrator/boundary with the default policy, unless the project has one, and
registers the hook in the client's settings in the project. Nothing else in them is changed, and a copy is kept. Where
the project has ` + strings.Join(agentclient.InstructionFiles(), " or ") + `, a marked section of it tells
sessions about the boundary. The section follows the mode, and is removed when the hook is uninstalled from the last
client. A second run changes nothing.

With --scope user it registers the hook in the user's own settings, for sessions that start where the client does not
read the project's. The hook then finds the project by the working folder, and does nothing in one without a boundary.

Clients: ` + strings.Join(agentclient.Names(), ", "),
		Example: `  orchestrator boundary install claude`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.installation(args[0], scope)
			if err != nil {
				return err
			}
			p.Version, p.FollowLink, p.Change.Reason = version, followLink, "installed"
			done, err := install.Install(cmd.Context(), p)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), done, func(rp *output.Printer) { writeInstalled(rp, done) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	followLinkFlag(cmd, &followLink)
	scopeFlag(cmd, &scope)
	cmd.Flags().StringVar(&version, "client-version", "",
		"version of the client, as the client prints it; by default the client in PATH is asked")
	return cli.WithEnv(cmd)
}

// followLinkFlag allows what is refused otherwise: whoever can write the project could have put the link there.
func followLinkFlag(cmd *cobra.Command, follow *bool) {
	cmd.Flags().BoolVar(follow, "follow-link", false,
		"if the client's settings are a symbolic link, edit the file that it leads to")
}

// The scopes of an installation.
const (
	scopeProject = "project"
	scopeUser    = "user"
)

func scopeFlag(cmd *cobra.Command, scope *string) {
	cmd.Flags().StringVar(scope, "scope", scopeProject,
		"settings to change: project, or user for all projects of this user")
	_ = cmd.RegisterFlagCompletionFunc("scope",
		cobra.FixedCompletions([]string{scopeProject, scopeUser}, cobra.ShellCompDirectiveNoFileComp))
}

// Installation returns what is to be installed in the project at root for a client.
func Installation(root, client, reason string) (install.Options, error) {
	return (&boundaryOptions{root: root, reason: reason}).installation(client, scopeProject)
}

// installation returns what is to be installed: in the project that --root lies in, or at --root where none has a
// boundary yet.
func (o *boundaryOptions) installation(client, scope string) (install.Options, error) {
	if scope != scopeProject && scope != scopeUser {
		return install.Options{}, fault.Misuse("there is no scope %q", scope).
			WithFix("give --scope project or --scope user")
	}
	dir := folder.In(o.root)
	if found, ok := folder.Find(dir.Root); ok {
		dir = found
	}
	if info, err := os.Stat(dir.Root); err != nil || !info.IsDir() {
		return install.Options{}, fault.New(fault.NotFound, "no_project", "there is no folder %s", dir.Root).
			WithFix("name the project's folder with --root")
	}
	executable, err := os.Executable()
	home, _ := os.UserHomeDir()
	return install.Options{Client: client, Dir: dir, Home: home, User: scope == scopeUser, Executable: executable,
		Change: o.change(), NoteID: hook.NewID()}, err
}

func writeInstalled(p *output.Printer, d install.Done) {
	switch {
	case d.Policy:
		p.Line("%s: set up in validate: violations are recorded and reported to the session; nothing is blocked",
			output.Printable(d.Root))
	case d.User:
		p.Line("registered for all projects of this user; in a project without a boundary the hook does nothing")
	default:
		p.Line("%s: the policy is kept as it is", output.Printable(d.Root))
	}
	if d.Changed {
		p.Line("%s: registered; on this machine it starts %s", output.Printable(d.File), output.Printable(d.Program))
	} else {
		p.Line("%s: registered already", output.Printable(d.File))
	}
	if len(d.Notified) > 0 {
		p.Line("%s: the section on the boundary is written", output.Printable(strings.Join(d.Notified, ", ")))
	}
	if d.Backup != "" {
		p.Line("  backup: %s", output.Printable(d.Backup))
	}
	for _, s := range d.Said {
		p.Line("  %s", p.Paint(output.Yellow, output.Printable(s)))
	}
	if len(d.Unignored) > 0 {
		p.Line("add to .gitignore, since they name files and sessions: %s\n"+
			"  .orchestrator/boundary/policy.json can be committed", output.Printable(strings.Join(d.Unignored, " ")))
	}
	p.Line("next: orchestrator boundary doctor checks the hook; orchestrator boundary readiness shows when to enforce")
}
