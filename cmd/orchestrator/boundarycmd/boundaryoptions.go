package boundarycmd

import (
	"fmt"
	"io"
	"os/user"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// boundaryOptions are the flags that commands of the boundary share.
type boundaryOptions struct {
	root, reason string
	asJSON       bool
}

func (o *boundaryOptions) rootFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.root, "root", ".", "the project, or a folder in it")
}

func (o *boundaryOptions) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
}

func (o *boundaryOptions) reasonFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.reason, "reason", "", "why; it is recorded")
	cli.TypedOnly(cmd, "reason")
}

// dir returns the boundary of the project that --root lies in.
func (o *boundaryOptions) dir() (folder.Dir, error) {
	at := folder.In(o.root)
	if dir, found := folder.Find(at.Root); found {
		return dir, nil
	}
	return at, fault.New(fault.NotFound, "no_boundary", "neither %s nor a folder above it has a boundary", at.Root).
		WithFix("orchestrator boundary install CLIENT sets it up, in validate: nothing is blocked")
}

// policy returns the project's own policy.
func (o *boundaryOptions) policy() (dir folder.Dir, p boundary.Policy, err error) {
	if dir, err = o.dir(); err == nil {
		p, err = control.Policy(dir)
	}
	return dir, p, err
}

// history reads the project's journal.
func (o *boundaryOptions) history() (*report.History, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, err
	}
	return report.Read(dir)
}

// change describes what this person does, now.
func (o *boundaryOptions) change() control.Change {
	return control.Change{By: whoami(), Reason: o.reason, At: time.Now(), ID: hook.NewID()}
}

// whoami names the person at this machine; it is their word, as the machine has it.
func whoami() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "local:" + u.Username
	}
	return "local:unknown"
}

// show writes a value as JSON, or as text.
func (o *boundaryOptions) show(out io.Writer, value any, text func(*output.Printer)) error {
	if o.asJSON {
		b, err := jsonv2.Marshal(value, jsonv2.Deterministic(true), jsontext.WithIndent("  "),
			jsonv2.FormatNilSliceAsNull(false))
		if err == nil {
			_, err = fmt.Fprintln(out, string(b))
		}
		return err
	}
	p := output.NewPrinter(output.Colourful(out))
	text(p)
	_, err := io.WriteString(out, p.String())
	return err
}
