package main

import (
	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
)

func boundaryUninstallCommand() *cobra.Command {
	var o boundaryOptions
	var followLink bool
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Remove the hook from the settings of an agent client; policy and journal stay",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.installation(args[0])
			if err != nil {
				return err
			}
			p.FollowLink = followLink
			done, err := install.Uninstall(p)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), done, func(rp *reportPrinter) { writeUninstalled(rp, done) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	followLinkFlag(cmd, &followLink)
	return withEnv(cmd)
}

func writeUninstalled(p *reportPrinter, d install.Done) {
	switch {
	case d.Removed:
		p.line("%s: removed, it held nothing else", printable(d.File))
	case d.Changed:
		p.line("%s: the hook is taken out", printable(d.File))
	default:
		p.line("%s: the hook is not registered", printable(d.File))
	}
	if d.Backup != "" {
		p.line("  the file was changed since: the copy of what it was stays: %s", printable(d.Backup))
	}
	p.line("policy and journal stay in %s", printable(folder.In(d.Root).Path()))
}
