package clientcmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

// writing is a command that writes a part whole: from flags, from a file, or from an editor.
type writing struct {
	asking
	part   proposal.Part
	from   string
	dryRun bool
	typed  proposal.Typed
}

func (w *writing) build(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.StringVar(&w.from, "from", "", "`file` with the text, as the editor shows it (YAML or JSON); - is standard input")
	f.BoolVar(&w.dryRun, "dry-run", false, "ask whether it would be accepted, and change nothing")
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return w.run(cmd, args[0]) }
	return w.command(cmd, true)
}

func (w *writing) text(cmd *cobra.Command, flag, usage string) {
	if w.typed.Texts == nil {
		w.typed = proposal.Typed{Texts: map[string]*string{}, Lists: map[string]*[]string{}}
	}
	w.typed.Texts[flag] = cmd.Flags().String(flag, "", usage)
}

func (w *writing) list(cmd *cobra.Command, flag, member, usage string) {
	w.typed.Lists[member] = cmd.Flags().StringArray(flag, nil, usage+"; may be given several times")
}

const editing = `Without flags it opens $EDITOR with a commented text, made from what is there and what is asked
for. An unchanged or an emptied text changes nothing; one that is refused is kept, and its path is
printed.`

func designCommand() *cobra.Command {
	w := writing{part: proposal.Design}
	w.Role = "architect"
	cmd := &cobra.Command{Use: "design ID", Short: "Write the design of a requirement, as its architect",
		Long: "Design writes the design, design_spec, and replaces the one that is there.\n\n" + editing,
		Example: "  orchestrator design REQ-001 --summary \"A form, and a session\" --file src/login.go\n" +
			"  orchestrator design REQ-001      # in $EDITOR"}
	w.text(cmd, "summary", "`text` that says what will be built, and how")
	w.list(cmd, "interface", "interfaces", "`text` of an interface")
	w.list(cmd, "decision", "decisions", "`text` of a decision")
	w.list(cmd, "risk", "risks", "`text` of a risk")
	w.list(cmd, "file", "files", "`path` of a file that it concerns, or PATH:10-20")
	return w.build(cmd)
}

func implementCommand() *cobra.Command {
	w := writing{part: proposal.Implementation}
	w.Role = "coder"
	cmd := &cobra.Command{Use: "implement ID", Short: "Write what was built for a requirement, as its coder",
		Long:    "Implement writes what was built, implementation, and replaces what is there.\n\n" + editing,
		Example: "  orchestrator implement REQ-001 --summary \"Log in by form\" --file src/login.go:3-5 --commit HEAD"}
	w.text(cmd, "summary", "`text` that says what was built")
	w.text(cmd, "notes", "`text` of a remark")
	w.list(cmd, "file", "files", "`path` of a file, or PATH:10-20")
	w.list(cmd, "commit", "commits", "`revision` of git, such as HEAD")
	return w.build(cmd)
}

func testCommand() *cobra.Command {
	w := writing{part: proposal.Test}
	w.Role = "tester"
	cmd := &cobra.Command{Use: "test ID", Short: "Write the test record of a requirement, as its tester",
		Long: "Test writes the test record, and replaces the one that is there. Where there is a report of the\n" +
			"tests, orchestrator attach makes the record from it.\n\n" + editing,
		Example: "  orchestrator test REQ-001 --plan \"log in by hand\" --evidence test:TestLogin@report.xml"}
	w.text(cmd, "plan", "`text` that says what is tested, and how")
	w.text(cmd, "notes", "`text` of a remark")
	w.list(cmd, "evidence", "evidence", "test:NAME@REPORT with the path of a report in the repository")
	return w.build(cmd)
}

func (w *writing) run(cmd *cobra.Command, id string) error {
	if err := typed.Whole(cmd, w.from, besides...); err != nil {
		return err
	}
	c, err := w.connect()
	if err != nil {
		return err
	}
	t, err := proposal.TreeAt(cmd.Context(), ".")
	if err != nil {
		return err
	}
	value, err := w.part.Flags(cmd.Context(), t, w.typed)
	switch {
	case err != nil:
		return err
	case w.from != "":
		if value, err = w.read(cmd, t); err != nil {
			return err
		}
	case value.Empty():
		return w.edit(cmd, c, t, id)
	}
	return w.send(cmd, c, change{id: id, body: map[string]any{w.part.Field: value}})
}

// read reads the part from a file.
func (w *writing) read(cmd *cobra.Command, t proposal.Tree) (proposal.Value, error) {
	content, err := typed.Input(cmd, w.from, maxBody)
	if err != nil {
		return proposal.Value{}, err
	}
	value, err := w.part.Read(cmd.Context(), t, content)
	if err == nil && value.Empty() {
		err = fault.Misuse("what --from names has nothing in it").WithFix("write it as: summary: …")
	}
	return value, err
}

func (w *writing) send(cmd *cobra.Command, c *apiclient.Client, ch change) error {
	ch.dryRun = w.dryRun
	got, err := send(cmd.Context(), c, ch)
	return w.report(cmd.OutOrStdout(), got, w.part.Field+" written", err)
}

// edit has the person write the part in an editor.
func (w *writing) edit(cmd *cobra.Command, c *apiclient.Client, t proposal.Tree, id string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return fault.Misuse("there is no terminal for an editor").
			WithFix("give the text with flags, or with --from FILE; %s --help shows both", cmd.CommandPath())
	}
	template, view, err := w.template(cmd.Context(), c, id)
	if err != nil {
		return advised(id, err)
	}
	file, text, err := typed.Edited(cmd.Context(), w.part.Field, template)
	if err != nil {
		return kept(cmd, file, err)
	}
	if proposal.Same(template, text) {
		fmt.Fprintln(cmd.OutOrStdout(), "nothing was written, so nothing is changed")
		return os.Remove(file)
	}
	value, err := w.part.Read(cmd.Context(), t, text)
	if err == nil {
		err = w.send(cmd, c, change{id: view.ID, body: map[string]any{w.part.Field: value}, ifMatch: view.IfMatch})
	}
	if err != nil {
		return kept(cmd, file, err)
	}
	return os.Remove(file)
}

// kept says where a text is that was not sent.
func kept(cmd *cobra.Command, file string, why error) error {
	if file != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "the text is kept in %s; send it again with --from\n", output.Printable(file))
	}
	return why
}

// template asks what there is, and makes the text to edit.
func (w *writing) template(ctx context.Context, c *apiclient.Client, id string) (string, guidance.View, error) {
	var view guidance.View
	var req lifecycle.Requirement
	_, err := apiclient.ByID(id, func(id string) ([]byte, error) {
		if raw, err := get(ctx, c, path(id, ""), &req); err != nil {
			return raw, err
		}
		return get(ctx, c, path(id, "/next"), &view)
	})
	if err != nil {
		return "", view, err
	}
	present, err := w.part.Present(req)
	if err != nil {
		return "", view, err
	}
	text, err := w.part.Template(req, present)
	return text, view, err
}
