package mcpcmd

import (
	"io"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/agentclient/settings"
)

// done is what a command did, or would do.
type done struct {
	Client  string   `json:"client"`
	File    string   `json:"file"`
	User    bool     `json:"user"` // the settings are the user's, for all projects
	Created bool     `json:"file_created"`
	Removed bool     `json:"file_removed"`
	Changed bool     `json:"changed"`
	DryRun  bool     `json:"dry_run"`
	Diff    string   `json:"diff,omitempty"`
	Backup  string   `json:"backup,omitempty"`
	Program string   `json:"program,omitempty"`
	Args    []string `json:"args,omitempty"`
	Said    []string `json:"said"` // what the person has to know or to do
}

func doneOf(client string, o settings.ServerOptions, c settings.ServerChange) done {
	d := done{Client: client, File: c.File, User: o.User, Created: c.Created, Removed: c.Removed, Changed: c.Changed,
		DryRun: o.DryRun, Backup: c.Backup, Said: append([]string{}, c.Said...)}
	if o.DryRun {
		d.Diff = c.Diff
	}
	return d
}

// show writes a result as JSON, or as text.
func (o *options) show(out io.Writer, d done, text func(*output.Printer)) error {
	if o.asJSON {
		return output.WriteJSON(out, d)
	}
	p := output.NewPrinter(output.Colourful(out))
	if text(p); d.Diff != "" {
		for line := range strings.Lines(d.Diff) {
			p.Line("%s", output.Printable(strings.TrimRight(line, "\r\n")))
		}
	}
	_, err := io.WriteString(out, p.String())
	return err
}

func (d done) writeInstalled(p *output.Printer) {
	switch file := output.Printable(d.File); {
	case !d.Changed:
		p.Line("%s: registered already", file)
		return
	case d.DryRun:
		p.Line("%s: would be changed so:", file)
		return
	default:
		p.Line("%s: registered; the client starts %s", file,
			output.Printable(strings.Join(append([]string{d.Program}, d.Args...), " ")))
	}
	if d.Backup != "" {
		p.Line("  backup: %s", output.Printable(d.Backup))
	}
	for _, s := range d.Said {
		p.Line("  %s", p.Paint(output.Yellow, output.Printable(s)))
	}
	if !d.User {
		p.Line("the file now names paths of this machine: do not commit it, or install with --scope user")
	}
}

func (d done) writeUninstalled(p *output.Printer) {
	switch file := output.Printable(d.File); {
	case !d.Changed:
		p.Line("%s: not registered", file)
	case d.DryRun && d.Removed:
		p.Line("%s: would be removed, since it holds nothing else:", file)
	case d.DryRun:
		p.Line("%s: would be changed so:", file)
	case d.Removed:
		p.Line("%s: removed, since it held nothing else", file)
	default:
		p.Line("%s: the server is removed", file)
	}
}
