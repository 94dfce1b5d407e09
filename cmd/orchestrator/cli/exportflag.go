package cli

import "github.com/spf13/cobra"

// noExport is what --export takes for no export at all. A file of this name is ./none.
const noExport = "none"

// ExportFlag adds --export. The path is "" where it is none.
func ExportFlag(cmd *cobra.Command, path *string, usage string) {
	*path = "project_status.json"
	cmd.Flags().Var((*exportPath)(path), "export", usage+", or none")
	_ = cmd.RegisterFlagCompletionFunc("export",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{noExport}, cobra.ShellCompDirectiveDefault
		})
}

// exportPath is the path of an export as a flag.
type exportPath string

func (p *exportPath) Set(value string) error {
	if value == noExport {
		value = ""
	}
	*p = exportPath(value)
	return nil
}

// String returns the path, "" for none: what makes paths relative to another folder leaves that as it is.
func (p *exportPath) String() string { return string(*p) }

func (*exportPath) Type() string { return "string" }
