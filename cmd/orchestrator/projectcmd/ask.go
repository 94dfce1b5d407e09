package projectcmd

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/setup"
	"orchestrator/internal/rules/boundary"
)

// questioner asks the person at a terminal.
type questioner struct {
	in   *bufio.Reader
	out  io.Writer
	stop <-chan struct{} // closed where the person interrupts
}

// mayAsk reports whether somebody is there to be asked.
func (o *initOptions) mayAsk() bool {
	return !o.yes && !o.dryRun && !o.asJSON && term.IsTerminal(int(os.Stdin.Fd()))
}

// ask asks for what no flag has said of a new project. An empty answer takes what stands in brackets.
func (o *initOptions) ask(cmd *cobra.Command, found setup.Found) error {
	q := questioner{bufio.NewReader(cmd.InOrStdin()), cmd.ErrOrStderr(), cmd.Context().Done()}
	fmt.Fprintln(q.out, "found", output.Printable(found.String()))
	if len(o.answers.Documents) == 0 {
		named, err := q.ask("requirement documents, with commas between them", strings.Join(found.Documents, ","),
			func(string) error { return nil })
		if err != nil {
			return err
		}
		o.answers.Documents = listed(named)
	}
	err := q.setting(&o.answers.Workflow, "workflow", "v1, the literal table, or rework, which has ways back")
	if err != nil {
		return err
	}
	err = q.setting(&o.answers.Evidence, "evidence",
		"verify, which looks it up in git, or record, which stores it as it is given")
	if err != nil {
		return err
	}
	if err = q.boundary(o); err != nil {
		return err
	}
	return q.list(&o.answers.Roles, "roles beside pm that you take yourself: architect, coder, tester, all, or none",
		setup.CheckRoles)
}

// list asks for names that nobody has given.
func (q questioner) list(names *[]string, question string, check func([]string) error) error {
	if len(*names) > 0 {
		return nil
	}
	answer, err := q.ask(question, setup.None, func(answer string) error { return check(listed(answer)) })
	*names = listed(answer)
	return err
}

// boundary asks which clients are to be guarded, and how.
func (q questioner) boundary(o *initOptions) error {
	err := q.list(&o.answers.Clients, "agent clients to guard, with commas between them: "+
		strings.Join(agentclient.Names(), ", ")+", or none", checkClients)
	if err != nil {
		return err
	}
	return q.produces(&o.produces, setup.Named(o.answers.Clients))
}

// produces asks what a main session may do besides reading, where a client is guarded.
func (q questioner) produces(decision *string, clients []string) (err error) {
	if *decision == "" && len(clients) > 0 {
		*decision, err = q.ask("main sessions build, test, install packages and commit: allow, ask or block",
			string(boundary.Allow), checkProduces)
	}
	return err
}

// checkProduces refuses what is no answer to the question of produces.
func checkProduces(answer string) error {
	if slices.Contains(boundary.Permissions(), boundary.Decision(answer)) {
		return nil
	}
	return fault.Misuse("%q is no answer to that question", answer).WithFix("give allow, ask or block")
}

// checkClients refuses names that are no agent clients.
func checkClients(names []string) error {
	for _, name := range setup.Named(names) {
		if _, err := agentclient.Find(name); err != nil {
			return err
		}
	}
	return nil
}

// listed splits an answer at its commas.
func listed(answer string) (names []string) {
	for name := range strings.SplitSeq(answer, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
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
		answer, err := q.read()
		if fault.Is(err, setup.CodeInterrupted) {
			return "", err
		}
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

// read reads a line, unless the person interrupts.
func (q questioner) read() (string, error) {
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() { // it ends with the process where nobody answers any more
		text, err := q.in.ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		return l.text, l.err
	case <-q.stop:
		fmt.Fprintln(q.out)
		return "", setup.Interrupted()
	}
}
