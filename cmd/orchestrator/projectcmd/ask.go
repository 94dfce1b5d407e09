package projectcmd

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/setup"
)

// questioner asks the person at a terminal.
type questioner struct {
	in  *bufio.Reader
	out io.Writer
}

// mayAsk reports whether somebody is there to be asked.
func (o *initOptions) mayAsk() bool {
	return !o.yes && !o.dryRun && term.IsTerminal(int(os.Stdin.Fd()))
}

// ask asks for what no flag has said of a new project. An empty answer takes what stands in brackets.
func (o *initOptions) ask(cmd *cobra.Command, found setup.Found) error {
	q := questioner{bufio.NewReader(cmd.InOrStdin()), cmd.ErrOrStderr()}
	if len(o.answers.Documents) == 0 {
		named, err := q.ask("requirement documents, with commas between them", strings.Join(found.Documents, ","),
			func(string) error { return nil })
		if err != nil {
			return err
		}
		o.answers.Documents = nil
		for path := range strings.SplitSeq(named, ",") {
			o.answers.Documents = append(o.answers.Documents, strings.TrimSpace(path))
		}
	}
	err := q.setting(&o.answers.Workflow, "workflow", "v1, the literal table, or rework, which has ways back")
	if err != nil {
		return err
	}
	return q.setting(&o.answers.Evidence, "evidence",
		"verify, which looks it up in git, or record, which stores it as it is given")
}

// defaults says what holds where a setting is not set.
var defaults = map[string]string{"workflow": "v1", "evidence": "verify in a git working tree, else record"}

// setting asks for a setting that nobody has said. It stays unset where the default is taken.
func (q questioner) setting(value *string, key, among string) error {
	if *value != "" {
		return nil
	}
	answer, err := q.ask(key+": "+among, defaults[key], func(answer string) error {
		_, err := config.Local{}.With(key, answer)
		return err
	})
	if answer != defaults[key] {
		*value = answer
	}
	return err
}

// ask asks until it gets an answer that passes a check.
func (q questioner) ask(question, otherwise string, check func(string) error) (string, error) {
	for {
		fmt.Fprintf(q.out, "%s [%s]: ", question, output.Printable(otherwise))
		answer, err := q.in.ReadString('\n')
		if err != nil {
			return "", fault.New(fault.Invalid, fault.CodeUsage, "there was no answer; nothing is done").
				WithFix("answer the questions, or give --yes, which takes what stands in brackets").Because(err)
		}
		if answer = strings.TrimSpace(answer); answer == "" {
			return otherwise, nil
		}
		if err = check(answer); err == nil {
			return answer, nil
		}
		fmt.Fprintln(q.out, output.Printable(err.Error()))
	}
}
