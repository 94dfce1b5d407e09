// Package exportflag has the flag --export, which names the export of a project, or none.
package exportflag

import (
	"github.com/spf13/pflag"

	"orchestrator/internal/requirements/projection"
)

// noExport is what --export takes for no export at all. A file of this name is ./none.
const noExport = "none"

// Add adds --export to flags. The path is "" where it is none.
func Add(flags *pflag.FlagSet, path *string, usage string) {
	*path = projection.DefaultExport
	flags.Var((*value)(path), "export", usage+", or none")
}

// value is the path of an export as a flag.
type value string

func (v *value) Set(text string) error {
	if text == noExport {
		text = ""
	}
	*v = value(text)
	return nil
}

// String returns the path, "" for none: what makes paths relative to another folder leaves that as it is.
func (v *value) String() string { return string(*v) }

// Given returns the value as a command line has it.
func (v *value) Given() string {
	if *v == "" {
		return noExport
	}
	return string(*v)
}

func (*value) Type() string { return "string" }
