// Package webhookcmd has the commands that add, list, remove, test and replay webhooks.
package webhookcmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/webhooks"
)

// Command returns the command of webhooks.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhook",
		Short: "Add, list, remove, test and replay webhooks",
		Long: `A webhook is told of the records of the log, each in a signed message: who has to act now, why, and where
to look. It goes on where it was after a restart, and is told at least once of each record. A running service takes
changes over by itself, and puts them on record.`,
	}
	cmd.AddCommand(addCommand(), listCommand(), removeCommand(), testCommand(), replayCommand())
	return cli.Group(cmd)
}

// common are the flags that all of them have.
type common struct {
	data  string
	json  bool
	store storage.Given
}

func (o *common) flags(cmd *cobra.Command) {
	cli.DataFlag(cmd, &o.data)
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
}

func (o *common) dir() datadir.Dir { return datadir.Dir(o.data) }

// storeFlags adds the flags of what has to do with how far a webhook has come, which several replicas keep in their log.
func (o *common) storeFlags(cmd *cobra.Command) { storeflag.Add(cmd, &o.store) }

func (o *common) place(cmd *cobra.Command) (storage.Place, error) {
	return storeflag.Place(cmd, o.data, o.store)
}

// oneName completes the name of a webhook.
func (o *common) oneName(cmd *cobra.Command) {
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		all, err := webhooks.Named(cmd.Context(), o.dir())
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, one := range all {
			names = append(names, one.Name+"\t"+one.Host)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
