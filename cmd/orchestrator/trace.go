package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/trace"
)

// Implements: ORC-085

// traceOptions are the flags and arguments of trace.
type traceOptions struct {
	documents     trace.Documents
	repo          string
	asJSON, check bool
	paths         []string // to look at, in repo; none is all
	exclude       []string
}

func traceCommand() *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace [PATH]...",
		Short: "Find the lines and tests that name requirements",
		Long: `Trace searches the files of a project and reports for each requirement the lines that name it: marks in
comments, and names of tests. It then lists the marks that name no requirement. It needs no service and no database.

A mark is one of the words ` + strings.Join(trace.Keywords(), ", ") + `, a colon and ids, as the first
words of a comment or of a line, such as "Covers: REQ-7, REQ-8". In the name of a test an id may be written as the
language allows: TestLogin_REQ7, "logs in [REQ-7]", @REQ-7. A requirement has a test if such a name, or a mark that
begins with Verifies, contains its id. Whether the test runs and passes is not checked.

It searches the files that git tracks or would add in the folder --repo. Without git it searches all files except
those in hidden folders, node_modules, vendor, target and dist, and the report says so. A PATH is a file or folder in
--repo to search instead of all. The requirement documents are read as by import --dry-run, and are not searched.

Exit codes: 0 done; 1 with --check, a mark names no requirement, or a mark or test one of several; 2 usage or environment.`,
		Example: `  orchestrator trace  # what names the requirements of REQUIREMENTS.md?
  orchestrator trace --requirements 'docs/*.md' src     # look into the folder src alone
  orchestrator trace --check  # in CI: fails when a mark names no requirement
  orchestrator trace --json                             # the same as JSON, for programs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if f := cmd.Flags(); f.Changed("repo") && !f.Changed("requirements") {
				o.documents.Paths = nil // the settings are of this project
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.documents.Paths, "requirements", nil,
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once (default "+
			"REQUIREMENTS.md in --repo)")
	f.StringVar(&o.repo, "repo", ".", "folder to search")
	cli.ReadingFlags(cmd, &o.documents.Reading)
	f.StringSliceVar(&o.exclude, "exclude", nil,
		"files or folders to leave out: a name such as testdata, or a pattern of a path in --repo; may be given "+
			"more than once")
	f.BoolVar(&o.asJSON, "json", false, "write the report as JSON")
	f.BoolVar(&o.check, "check", false, "fail with exit code 1 when a mark names no requirement")
	setting.Declare(cmd, "requirements", "family", "qualify")
	setting.WorkAtRoot(cmd, "requirements", "repo")
	setting.DeclarePathArguments(cmd)
	return cli.Usage(cli.WithEnv(cmd))
}

func (o traceOptions) run(ctx context.Context, out, notes io.Writer) error {
	shown := output.NewProgress(notes, "files")
	report, err := trace.RunDocuments(ctx, o.repo, o.documents, trace.Options{
		Paths: o.paths, Exclude: o.exclude, Progress: shown.Update(),
	})
	shown.Clear()
	if err != nil {
		return err
	}
	if err := o.write(out, report); err != nil {
		return err
	}
	if o.check {
		return cli.Found(report.CheckMarks())
	}
	return nil
}

// write shows the report as JSON alone, or for people.
func (o traceOptions) write(out io.Writer, r trace.Report) error {
	if o.asJSON {
		return output.WriteJSON(out, r)
	}
	p := output.NewPrinter(false)
	for _, t := range r.Requirements {
		writeTraced(p, t)
	}
	for _, u := range r.Unknown {
		why := ""
		if len(u.Similar) > 0 {
			why = ": did you mean " + output.Printable(strings.Join(u.Similar, " or ")) + "?"
		}
		p.Line("%s%s %s, which is no requirement%s", output.At(u.Path, u.Line), u.Keyword, output.Printable(u.ID), why)
	}
	for _, a := range r.Ambiguous {
		p.Line("%s%s %s, which could be %s", output.At(a.Path, a.Line), output.Printable(a.What()), output.Printable(a.ID),
			output.Printable(a.CouldBe()))
	}
	for _, s := range r.Skipped {
		p.Line("%s: skipped, %s", output.Printable(s.Path), output.Printable(s.Reason))
	}
	if !r.Gitignore {
		p.Line(".gitignore was not honoured: %s", output.Printable(r.Note))
	}
	p.Line("%d of %d requirements have a mark, %d have a test; marks that name no requirement: %d; files read: %d",
		r.Summary.Marked, r.Summary.Requirements, r.Summary.Tested, r.Summary.Unknown, r.Summary.Files)
	_, err := io.WriteString(out, p.String())
	return err
}

// traced shows one requirement and what names it.
func writeTraced(p *output.Printer, t trace.Traced) {
	name := output.Printable(t.ID)
	if !saysTitle(t.ID, t.Title) {
		name += ": " + output.Printable(t.Title)
	}
	p.Line("%s", name)
	for _, place := range t.Places {
		what := output.Printable(place.What())
		if place.Former != "" {
			what += ", renamed to " + output.Printable(t.ID)
		}
		p.Line("  %s:%d  %s", output.Printable(place.Path), place.Line, what)
	}
	if len(t.Places) == 0 {
		p.Line("  no mark")
	}
}

// saysTitle reports whether an id, with or without a folder in front, is the title of its requirement.
func saysTitle(id, title string) bool { return id == title || strings.HasSuffix(id, "/"+title) }
