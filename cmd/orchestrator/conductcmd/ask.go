package conductcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/internal/conductor/language"
	"orchestrator/internal/rules/lifecycle"
)

func AskCommand() *cobra.Command {
	var o conductOptions
	var forms bool
	var said struct {
		Utterance string `json:"utterance"`
		Rephrase  bool   `json:"rephrase,omitzero"`
		Wait      int    `json:"answer_within_s,omitzero"`
	}
	cmd := &cobra.Command{
		Use:   "ask TEXT",
		Short: "Ask the conductor in plain words",
		Long: `Ask sends the text to the running service, which turns it into obligations, runs tools for them,
evaluates the answers a second time, and replies. A sentence that it does not understand is refused with the form that
may be meant. --forms lists all forms, and needs no service. With --rephrase the service's language model rephrases the
answers; if there is no model, or if it changes the meaning, the answers stay as they are.

Exit codes: 0 answered; 1 not answered, not confirmed or refused; 2 usage; 3 no service answers.`,
		Example: `  orchestrator ask "what is 2+2"
  orchestrator ask "how many r's in strawberry; what is my name"
  orchestrator ask --rephrase "what is blocked and why"
  orchestrator ask --forms`,
		Args: func(cmd *cobra.Command, args []string) error {
			if forms {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if forms {
				showForms(cmd.OutOrStdout())
				return nil
			}
			said.Utterance = strings.Join(args, " ")
			body, err := jsonv2.Marshal(said)
			if err != nil {
				return err
			}
			return o.send(cmd, "/requests", body)
		},
	}
	cmd.Flags().BoolVar(&forms, "forms", false, "list all that can be said, and ask nothing")
	cmd.Flags().IntVar(&said.Wait, "answer-within", 0, "seconds that a question waits for its answer; 0 is a day")
	cmd.Flags().BoolVar(&said.Rephrase, "rephrase", false,
		"have the language model of the service rephrase the answers")
	return o.flags(cmd)
}

// showForms lists all that can be said: first what anybody may say, then what some roles may, each with its ways.
func showForms(out io.Writer) {
	fmt.Fprintln(out, "[what may be missing], (one|of|these), VALUES in capitals; values of several words in double quotes")
	for _, f := range language.Forms(time.Now()) {
		who := ""
		if len(f.Roles) < len(lifecycle.Roles()) {
			who = fmt.Sprintf(", for %s", roleNames(f.Roles))
		}
		fmt.Fprintf(out, "\n%s  (%s%s)\n", f.Example, f.Obligation, who)
		for _, say := range f.Says {
			fmt.Fprintf(out, "    %s\n", say)
		}
	}
	fmt.Fprintln(out, "\nFILTERS are any of these, joined by and:")
	for _, clause := range language.Filters() {
		fmt.Fprintf(out, "    %s\n", clause)
	}
}

func roleNames(roles []lifecycle.Role) string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	return strings.Join(names, ", ")
}
