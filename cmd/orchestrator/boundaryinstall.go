package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/doctor"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/fault"
)

func boundaryInstallCommand() *cobra.Command {
	var o boundaryOptions
	var version string
	var followLink bool
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Set the boundary up in validate, and register the hook in the settings of an agent client",
		Long: `Install makes .orchestrator/boundary with the default policy, unless the project has one, and registers the hook in the client's settings in the
project. Everything else in them stays as it is, and a copy is kept. Done again, it changes nothing.

Clients: ` + strings.Join(settings.Clients(), ", "),
		Example: `  orchestrator boundary install claude`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.posting(args[0])
			if err != nil {
				return err
			}
			p.Version, p.FollowLink, p.Change.Reason = version, followLink, "installed"
			done, err := install.Install(cmd.Context(), p)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), done, func(rp *reportPrinter) { writeInstalled(rp, done) })
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	followLinkFlag(cmd, &followLink)
	cmd.Flags().StringVar(&version, "client-version", "",
		"of the client, as it prints it; without it the client in PATH is asked")
	return withEnv(cmd)
}

// followLinkFlag allows what is refused otherwise: whoever can write the project could have put the link there.
func followLinkFlag(cmd *cobra.Command, follow *bool) {
	cmd.Flags().BoolVar(follow, "follow-link", false,
		"where the client's settings are a symbolic link, change the file that it leads to")
}

func boundaryUninstallCommand() *cobra.Command {
	var o boundaryOptions
	var followLink bool
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Take the hook out of the settings of an agent client; policy and journal stay",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.posting(args[0])
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

// posting is what is to be posted: in the project that --root lies in, or at --root where none has a boundary yet.
func (o *boundaryOptions) posting(client string) (install.Options, error) {
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
	return install.Options{Client: client, Dir: dir, Home: home, Executable: executable, Change: o.change(),
		NoteID: hook.NewID()}, err
}

func writeInstalled(p *reportPrinter, d install.Done) {
	switch {
	case d.Policy:
		p.line("%s: set up in validate: violations are recorded and said, nothing is blocked", printable(d.Root))
	default:
		p.line("%s: the policy is kept as it is", printable(d.Root))
	}
	switch {
	case !d.Changed:
		p.line("%s: registered already", printable(d.File))
	default:
		p.line("%s: registered %s", printable(d.File), printable(d.Command))
	}
	if d.Backup != "" {
		p.line("  a copy of what it was: %s", printable(d.Backup))
	}
	for _, s := range d.Said {
		p.line("  %s", p.paint(yellow, printable(s)))
	}
	if len(d.Unkept) > 0 {
		p.line("git does not ignore what names files and sessions; add to .gitignore: %s",
			printable(strings.Join(d.Unkept, " ")))
		p.line("  .orchestrator/boundary/policy.json may be committed")
	}
	p.line("next: orchestrator boundary doctor checks that it works; work in validate; orchestrator boundary readiness says when to enforce")
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

func boundaryDoctorCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "doctor [CLIENT...]",
		Short: "Check that the hook is registered, and that it blocks, by calls through the registered command line",
		Long: `Doctor looks at the settings of every client that the hook is registered with, or of those named, and pipes calls through
the registered command line as the client would: by sh, and with a copy of the policy, so that the journal stays as it is.

Exit codes: 0 all is well; 1 something is wrong, and each finding says what to do.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			home, _ := os.UserHomeDir()
			r, err := doctor.Examine(cmd.Context(),
				doctor.Options{Dir: dir, Home: home, Clients: args, Environ: os.Environ(),
					Version: install.ClientVersion, Path: os.Getenv("PATH"), Brisk: doctorPatience, Patience: doctorPatience})
			if err != nil {
				return err
			}
			if err := o.show(cmd.OutOrStdout(), r, func(p *reportPrinter) { writeExamined(p, r) }); err != nil ||
				r.Good {
				return err
			}
			return fault.New(fault.Conflict, "boundary_unsound", "%d things are wrong", r.Faults()).
				WithFix("do what is said with each FAULT above")
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return withEnv(cmd)
}

func writeExamined(p *reportPrinter, r doctor.Report) {
	marks := map[doctor.Level]string{doctor.OK: p.paint(green, "ok   "), doctor.Note: p.paint(yellow, "note "),
		doctor.Fault: p.paint(red, "FAULT")}
	for _, f := range r.Findings {
		name := ""
		if f.Client != "" {
			name = printable(f.Client) + ": "
		}
		p.line("%s  %s%s", marks[f.Level], name, printable(f.What))
		if f.Fix != "" {
			p.line("       %s", printable(f.Fix))
		}
	}
}

func boundaryDrillCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Exercise bypass and rollback on a copy of the policy; readiness wants both exercised",
		Long: `Drill enforces a copy of the policy, and sees that a write by a main session is blocked, that a bypass lets it through
and is on record, and that a rollback to validate lets it through with a warning. The policy itself is not touched; the journal gets a line for each of the two.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			d, err := doctor.Drill(dir, o.change(), hook.NewID)
			if err != nil {
				return err
			}
			return o.show(cmd.OutOrStdout(), d, func(p *reportPrinter) {
				p.line("bypass: enforced, a write is blocked; by the %s it is let through, on record (%s)",
					d.Bypass.By, micros(d.Bypass.Micros))
				p.line("rollback: from enforce to validate, a write is let through with a warning (%s)",
					micros(d.Rollback.Micros))
			})
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return withEnv(cmd)
}
