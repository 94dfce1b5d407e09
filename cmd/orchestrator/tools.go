package main

import (
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tools", Short: "List, check and show the tools that the conductor can run"}
	cmd.AddCommand(toolsListCommand(), toolsCheckCommand(), toolsShowCommand())
	return group(cmd)
}

func toolsListCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools, those in the box and those of the project",
		Long:  "List reads the contracts in the folder tools of --data, and lists them with the tools in the box. It needs no service.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			return listContracts(cmd.OutOrStdout(), all, asJSON)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the contracts as JSON")
	withEnv(cmd)
	return cmd
}

func listContracts(out io.Writer, all *contract.Registry, asJSON bool) error {
	contracts := all.Contracts()
	if asJSON {
		raw, err := jsonv2.Marshal(map[string]any{"tools": contracts}, jsonv2.Deterministic(true))
		if err != nil {
			return err
		}
		return indented(out, raw)
	}
	for _, c := range contracts {
		fmt.Fprintf(out, "%-24s %-8s %-6s %-6s %s\n", printable(c.Name), c.Implementation.Means, c.Reliability,
			c.Cost, printable(strings.Join(c.Satisfies, ", ")))
	}
	return nil
}

func toolsCheckCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the contracts of the project",
		Long: `Check reads every contract in the folder tools of --data as the service does at its start: its form, its schemas, its conditions, and what
it depends on. One that is wrong has all refused; each is named with file, line and what is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d tools are well\n", len(all.Tools()))
			return err
		},
	}
	dataFlag(cmd, &data)
	withEnv(cmd)
	return cmd
}

func toolsShowCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the contract of a tool, as JSON",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := project.Tools(datadir.Dir(data))
			if err != nil {
				return err
			}
			t, found := all.Tool(args[0])
			if !found {
				return fault.New(fault.NotFound, "unknown_tool", "there is no tool %q", fault.Clip(args[0], 80)).
					WithFix("orchestrator tools list names them")
			}
			raw, err := jsonv2.Marshal(t.Contract(), jsonv2.Deterministic(true))
			if err != nil {
				return err
			}
			return indented(cmd.OutOrStdout(), raw)
		},
	}
	dataFlag(cmd, &data)
	withEnv(cmd)
	return cmd
}
