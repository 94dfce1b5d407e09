package boundarycmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
)

func boundaryUninstallCommand() *cobra.Command {
	var o boundaryOptions
	var followLink bool
	var scope string
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Remove the hook from the settings of an agent client; policy and journal stay",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.installation(args[0], scope)
			if err != nil {
				return err
			}
			p.FollowLink = followLink
			done, err := install.Uninstall(p)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), done, func(rp *output.Printer) { writeUninstalled(rp, done) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	followLinkFlag(cmd, &followLink)
	scopeFlag(cmd, &scope)
	return person.Only(cli.WithEnv(cmd))
}

func writeUninstalled(p *output.Printer, d install.Done) {
	switch {
	case d.Removed:
		p.Line("%s: removed, since it held nothing else", output.Printable(d.File))
	case d.Changed:
		p.Line("%s: the hook is removed", output.Printable(d.File))
	default:
		p.Line("%s: the hook is not registered", output.Printable(d.File))
	}
	for _, name := range d.Notified {
		p.Line("%s: the section on the boundary is updated", output.Printable(name))
	}
	for _, s := range d.Said {
		p.Line("  %s", p.Paint(output.Yellow, output.Printable(s)))
	}
	if d.Backup != "" {
		p.Line("  the file has changed since the installation; its backup stays: %s", output.Printable(d.Backup))
	}
	p.Line("policy and journal stay in %s", output.Printable(folder.In(d.Root).Path()))
}
