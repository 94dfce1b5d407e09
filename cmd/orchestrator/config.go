package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/storage"
)

const configLong = `Config prints the settings that are in force here, and where each comes from: a flag, an environment
variable, a file, the record of the project or the default. The command line takes precedence over the environment,
and that over the files. What a project has on record since its first start is read from the export.

There are two files. orchestrator.yaml at the root of the project is part of the tree, so it says only what whoever
can write the tree may say: documents, family and qualify. settings.yaml in the folder .orchestrator belongs to one
person on one machine; config set and config unset change it. Its names are evidence, branch, workflow, export, addr,
log_format, log_level, url, token_file, store and store_file. Paths in both are relative to the root.

The root is the nearest folder, from the working folder upwards, that has .orchestrator or orchestrator.yaml. The way
up ends at the top of a repository.

The token in token_file is sent to url and to no other address, and the tokens in .orchestrator/tokens only to the
service that runs with that folder. For any other address name both: the address with --server or ORCHESTRATOR_URL, and
a token with --token-file, ORCHESTRATOR_TOKEN_FILE or ORCHESTRATOR_TOKEN. Tokens are never printed.`

func configCommand() *cobra.Command {
	var asJSON bool
	var o configOptions
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in force and where each comes from",
		Long:  configLong,
		Example: `  orchestrator config
  orchestrator config --json
  orchestrator config set evidence record
  orchestrator config unset evidence`,
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.AddCommand(configSet(), configUnset())
	cli.WithEnv(cli.Group(cmd))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.CheckData(cmd, cmd.Flags().Lookup("data").Value.String()); err != nil {
			return err
		}
		return writeSettings(cmd.OutOrStdout(), inForce(cmd), asJSON)
	}
	return cmd
}

// configOptions are the flags whose values are shown: those that a setting stands in for.
type configOptions struct {
	serve serveOptions
	from  cli.Service
}

func (o *configOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.serve.Project.Requirements, "requirements", []string{"REQUIREMENTS.md"}, "requirement documents")
	cli.ReadingFlags(cmd, &o.serve.Project.Reading)
	_ = f.MarkHidden("assign") // no setting stands in for it
	evidenceFlags(f, &o.serve)
	f.StringVar(&o.serve.Project.Workflow, "workflow", "", "workflow of a new project")
	exportflag.Add(f, &o.serve.Project.Export, "file to which the state is written")
	listenFlags(f, &o.serve)
	outputFlags(f, &o.serve)
	cli.ServiceFlags(cmd, &o.from)
	storeflag.Add(cmd, &o.serve.store)
	setting.Declare(cmd, "requirements", "family", "qualify", "evidence", "branch", "workflow", "export", "addr",
		"log-format", "log-level", "server", "token-file")
	setting.DeclarePaths(cmd, "requirements", "export")
}

func configSet() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set a value in settings.yaml of the data folder",
		Long: `Set writes a value into settings.yaml of the data folder. A service takes it up at its next start.
Another url makes token_file unset, since its token was saved for the address before. orchestrator
config --help lists the names.`,
		Example: `  orchestrator config set addr 127.0.0.1:0
  orchestrator config set url https://shop.example.org`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeSetting(cmd, datadir.Dir(data), args[0], args[1])
		},
	}
	cli.DataFlag(cmd, &data)
	return cli.WithEnv(cmd)
}

func configUnset() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:               "unset KEY",
		Short:             "Remove a value from settings.yaml of the data folder",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeSetting(cmd, datadir.Dir(data), args[0], "")
		},
	}
	cli.DataFlag(cmd, &data)
	return cli.WithEnv(cmd)
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return config.Keys(), cobra.ShellCompDirectiveNoFileComp
}

func changeSetting(cmd *cobra.Command, data datadir.Dir, key, value string) error {
	notes, err := config.Change(cmd.Context(), data, key, value)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s is %s\n", output.Printable(data.File(config.LocalFile)), key,
		cmp.Or(output.Printable(value), "not set"))
	for _, note := range notes {
		fmt.Fprintln(out, output.Printable(note))
	}
	return nil
}

// settled is a setting as it is shown.
type settled struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"`
}

// text returns the value for people.
func (s settled) text() string {
	if list, is := s.Value.([]string); is {
		return strings.Join(list, ", ")
	}
	return fmt.Sprint(s.Value)
}

// inForce lists the settings in the order of the help.
func inForce(cmd *cobra.Command) (all []settled) {
	flags := cmd.Flags()
	for _, key := range []string{"data", "requirements", "family", "qualify", "evidence", "branch", "workflow", "export",
		"addr", "log-format", "log-level", "server", "token-file", "store", "store-file"} {
		f := flags.Lookup(key)
		if f == nil {
			continue
		}
		value := any(f.Value.String())
		if key == "store" {
			value = storage.Shown(f.Value.String())
		}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			value = v.GetSlice()
		case interface{ Given() string }:
			value = v.Given()
		}
		all = append(all, settled{setting.Name(key), value, setting.Source(f)})
	}
	return append(withRecord(cmd, all), tokenInUse(cmd, all))
}

func writeSettings(out io.Writer, all []settled, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, all)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, cmp.Or(output.Printable(s.text()), "-"), output.Printable(s.Source))
	}
	return w.Flush()
}
