package clientcmd

import (
	"context"
	"fmt"
	"os"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/clientcmd/renaming"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/qualify"
)

const pathOfRenames = "/project/renames"

// renameOptions say what to rename: a pair, all pairs that are proposed, or all ids by another form.
type renameOptions struct {
	confirming
	all, dryRun bool
	form        string
}

func renameCommand() *cobra.Command {
	var o renameOptions
	o.Role = "pm"
	cmd := &cobra.Command{
		Use:   "rename [OLD NEW]",
		Short: "Confirm that a requirement has another id now, as the pm",
		Long: `Rename gives NEW the life of OLD: status, evidence, approvals, history and claims. Write the new id into
the document and let it be imported first. Without names it lists the pairs that look like renamed
requirements, because text or title are the same, each with the command that confirms it. Where several
requirements look alike, it takes those of the same section, or else of the same file; the rest is listed
as ambiguous, and --all leaves it out.

With --qualify it gives every requirement of the project its id in another form, by one record:
folder puts the folder of its document in front of each id, families only where the family of the
document numbers requirements per folder, and none takes the folders away.`,
		Example: `  orchestrator rename
  orchestrator rename REQ-001 LOGIN-1 --reason "the document numbers by chapter now"
  orchestrator rename --all --reason "chapter 2 is in a document of its own"
  orchestrator rename --qualify folder --reason "a second folder has the same numbers" --dry-run`,
		Args: cobra.MatchAll(cobra.MaximumNArgs(2), neverOne),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "`text` that goes on record")
	f.BoolVar(&o.all, "all", false,
		"confirm all pairs that are listed without names, but nothing that is ambiguous")
	f.StringVar(&o.form, "qualify", "", "`form` that all ids get: folder, families or none")
	f.BoolVar(&o.dryRun, "dry-run", false, "ask what would be renamed, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask before all pairs are confirmed")
	_ = cmd.RegisterFlagCompletionFunc("qualify",
		cobra.FixedCompletions([]string{"folder", "families", "none"}, cobra.ShellCompDirectiveNoFileComp))
	cmd = o.command(cmd, true)
	cmd.ValidArgsFunction = completion.IDs
	return cmd
}

// neverOne refuses an old id without the new one.
func neverOne(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return fault.Misuse("rename was given the id %s alone", args[0]).
			WithFix("name the old id and the new one; orchestrator rename without names lists what seems to be renamed")
	}
	return nil
}

// check refuses a command line that names no renaming, or several.
func (o *renameOptions) check(args []string) error {
	ways := 0
	for _, chosen := range []bool{len(args) > 0, o.all, o.form != ""} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways > 1, ways == 0 && (o.reason != "" || o.dryRun):
		return fault.Misuse("give two ids, --all or --qualify, one of them").
			WithFix("orchestrator rename without flags lists what seems to be renamed")
	case o.form != "" && qualify.Check(o.form) != nil:
		return fault.Misuse("there is no form of ids %q", o.form).WithFix("give folder, families or none")
	case ways == 1 && o.reason == "":
		return fault.Misuse("renaming needs a reason, which goes on record").WithFix("add --reason '<why>'")
	case o.all && !o.yes && !o.dryRun && !term.IsTerminal(int(os.Stdin.Fd())):
		return fault.Misuse("nobody can be asked: standard input is no terminal").
			WithFix("run it in a terminal; or look with orchestrator rename, and give --yes")
	}
	return nil
}

func (o *renameOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	switch {
	case o.form != "":
		return o.qualify(cmd, c)
	case len(args) == 2:
		p, err := wholePair(cmd.Context(), c, args[0], args[1])
		if err != nil {
			return err
		}
		return o.confirm(cmd, c, []renaming.Pair{p})
	}
	return o.proposed(cmd, c)
}

// wholePair returns a pair of ids, each of which may be a short form.
func wholePair(ctx context.Context, c *apiclient.Client, from, to string) (p renaming.Pair, err error) {
	if p.From, err = wholeID(ctx, c, from); err == nil {
		p.To, err = wholeID(ctx, c, to)
	}
	return p, err
}

// wholeID returns the id that an id stands for.
func wholeID(ctx context.Context, c *apiclient.Client, id string) (string, error) {
	var ignored any
	_, err := get(ctx, c, path(id, "?fields=id"), &ignored)
	if id, err = apiclient.Meant(id, err); err != nil {
		return "", advised(id, err)
	}
	return id, nil
}

// proposed lists the pairs that the service proposes, or confirms them all.
func (o *renameOptions) proposed(cmd *cobra.Command, c *apiclient.Client) error {
	var found renaming.Found
	raw, err := get(cmd.Context(), c, pathOfRenames, &found)
	if err != nil {
		return o.refusedAs(cmd, "", raw, err)
	}
	if o.asJSON && !o.all {
		return passOn(cmd.OutOrStdout(), raw)
	}
	if !o.asJSON {
		if err := renaming.List(cmd.OutOrStdout(), found, o.all); err != nil {
			return err
		}
	}
	if !o.all || len(found.Proposed) == 0 {
		return nil
	}
	if !o.dryRun {
		if err := o.agreed(cmd, "are all of them the same requirements?", "--all"); err != nil {
			return err
		}
	}
	pairs := make([]renaming.Pair, len(found.Proposed))
	for i, p := range found.Proposed {
		pairs[i] = p.Pair
	}
	return o.confirm(cmd, c, pairs)
}

// send sends a renaming, with a key by which a second one would be known as the same.
func (o *renameOptions) send(cmd *cobra.Command, c *apiclient.Client,
	what map[string]any) (got renaming.Done, err error) {
	what["reason"] = o.reason
	body, err := jsonv2.Marshal(what, jsonv2.Deterministic(true))
	if err != nil {
		return got, err
	}
	to := pathOfRenames
	if o.dryRun {
		to += "?dry_run=true"
	}
	answer, err := c.Send(cmd.Context(), apiclient.Request{Method: "POST", Path: to, Body: body,
		Key: apiclient.NewKey()})
	if err != nil {
		return got, o.refusedAs(cmd, "", answer.Body, err)
	}
	if err := jsonv2.Unmarshal(answer.Body, &got); err != nil {
		return got, c.Stranger("JSON of another shape").Because(err)
	}
	if o.asJSON {
		err = passOn(cmd.OutOrStdout(), answer.Body)
	}
	return got, err
}

// confirm confirms pairs, all of a request or none of it.
func (o *renameOptions) confirm(cmd *cobra.Command, c *apiclient.Client, pairs []renaming.Pair) error {
	for part := range slices.Chunk(pairs, renaming.Most) {
		got, err := o.send(cmd, c, map[string]any{"renames": part})
		if err != nil {
			return err
		}
		if !o.asJSON {
			renaming.Tell(cmd.OutOrStdout(), got, o.dryRun)
		}
	}
	return nil
}

// qualify gives all ids another form.
func (o *renameOptions) qualify(cmd *cobra.Command, c *apiclient.Client) error {
	got, err := o.send(cmd, c, map[string]any{"qualify": o.form})
	if err != nil {
		return err
	}
	if !o.asJSON {
		renaming.TellForm(cmd.OutOrStdout(), got, o.dryRun)
	}
	return o.warnOfSettings(cmd)
}

// warnOfSettings says where the settings of the project ask for another form, with which no service would start.
func (o *renameOptions) warnOfSettings(cmd *cobra.Command) error {
	if o.dryRun || o.Server != "" {
		return nil
	}
	form, err := setting.Qualify(cmd.Context())
	if err != nil || form == "" || form == o.form {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "orchestrator.yaml says qualify: %s, with which the service will not "+
		"start again: take it out, since the log has the form\n", form)
	return err
}
