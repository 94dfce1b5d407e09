package conductcmd

import (
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

func AskCommand() *cobra.Command {
	var o conductOptions
	var said struct {
		Utterance string `json:"utterance"`
		Rephrase  bool   `json:"rephrase,omitzero"`
	}
	cmd := &cobra.Command{
		Use:   "ask TEXT",
		Short: "Ask the conductor in plain words",
		Long: `Ask sends the text to the running service, which turns it into obligations, runs tools for them,
evaluates the answers a second time, and replies. A sentence that it does not understand is refused with a list of the
forms that it knows: docs/conductor-language.md. With --rephrase the service's language model rephrases the answers;
if there is no model, or if it changes the meaning, the answers stay as they are.

Exit codes: 0 answered; 1 not answered, not confirmed or refused; 2 usage; 3 no service answers.`,
		Example: `  orchestrator ask "what is 2+2"
  orchestrator ask "how many r's in strawberry; what is my name"
  orchestrator ask --rephrase "what is blocked and why"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			said.Utterance = strings.Join(args, " ")
			body, err := jsonv2.Marshal(said)
			if err != nil {
				return err
			}
			return o.send(cmd, "/requests", body)
		},
	}
	cmd.Flags().BoolVar(&said.Rephrase, "rephrase", false,
		"have the language model of the service rephrase the answers")
	return o.flags(cmd)
}
