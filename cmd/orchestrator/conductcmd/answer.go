package conductcmd

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
)

func AnswerCommand() *cobra.Command {
	var o conductOptions
	var value string
	cmd := &cobra.Command{
		Use:   "answer [RUN [OBLIGATION] [VALUE|-]]",
		Short: "Answer a question of the conductor",
		Long: `Answer answers what an obligation of a run asks, and shows what the run comes to then. Without a value it lists
the questions that wait: of RUN, or of all runs that you may answer. OBLIGATION is the id of the obligation (o2) or of
the question (o2.1); it may be left out where one question of the run waits. VALUE is text, - reads it from standard
input, and --json-value gives any other value. Who asked may answer, in the same role, and so may a pm.

Exit codes: 0 all are resolved, or the questions are listed; 1 one failed or waits, or the answer was refused; 2 usage;
3 no service answers.`,
		Example: `  orchestrator answer
  orchestrator answer 5d41402abc4b2a76 o1 Jeff
  orchestrator answer 5d41402abc4b2a76 o2.1 --json-value 7`,
		Args: cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 1 && value == "" {
				return o.questions(cmd.Context(), cmd.OutOrStdout(), args)
			}
			body, err := replyOf(args[1:], value, cmd.InOrStdin())
			if err != nil {
				return err
			}
			return o.send(cmd, "/obligations/"+url.PathEscape(args[0])+"/answers", body)
		},
	}
	cmd.Flags().StringVar(&value, "json-value", "", "answer with this value, in JSON")
	return o.flags(cmd)
}

// replyOf writes the body of an answer. words are what follows the run.
func replyOf(words []string, value string, in io.Reader) ([]byte, error) {
	reply := struct {
		Obligation string         `json:"obligation,omitempty"`
		Value      jsontext.Value `json:"value"`
	}{Value: jsontext.Value(value)}
	if value == "" {
		quoted, err := textOf(words[len(words)-1], in)
		if err != nil {
			return nil, err
		}
		reply.Value, words = quoted, words[:len(words)-1]
	}
	if value != "" && !reply.Value.IsValid() {
		return nil, fault.Misuse("the value of --json-value is not JSON: %s", fault.Clip(value, 60)).
			WithFix("write a number, true, a text in double quotes, a list or an object; text alone goes without the flag")
	}
	if len(words) > 1 {
		return nil, fault.Misuse("this is no answer").
			WithFix("name RUN, OBLIGATION and one value: VALUE, or --json-value with a value in JSON, such as 7 or true")
	}
	if len(words) == 1 {
		reply.Obligation = words[0]
	}
	return jsonv2.Marshal(reply)
}

// textOf returns a text as JSON; - stands for standard input.
func textOf(text string, in io.Reader) (jsontext.Value, error) {
	if text == "-" {
		raw, err := readConducted(text, in)
		if err != nil {
			return nil, err
		}
		text = strings.TrimSuffix(string(raw), "\n")
	}
	return jsonv2.Marshal(text)
}

// questions lists the questions that wait: of a run, or of all runs that the caller may answer.
func (o conductOptions) questions(ctx context.Context, out io.Writer, run []string) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if len(run) == 1 {
		return questionsOf(ctx, out, c, run[0])
	}
	runs, err := apiclient.All[conductor.RunSummary](ctx, c, "/obligations?waiting=true", "runs")
	if err != nil {
		return err
	}
	if !showQuestions(out, runs) {
		fmt.Fprintln(out, "no question waits for you")
	}
	return nil
}

// questionsOf lists the questions of a run that wait.
func questionsOf(ctx context.Context, out io.Writer, c *apiclient.Client, run string) error {
	runs := make([]conductor.RunSummary, 1)
	if _, err := c.GetJSON(ctx, "/obligations/"+url.PathEscape(run), &runs[0]); err != nil {
		return err
	}
	if !showQuestions(out, runs) {
		fmt.Fprintf(out, "the run %s asks nothing\n", output.Printable(run))
	}
	return nil
}

// showQuestions shows the questions that wait, and reports whether there is one.
func showQuestions(out io.Writer, runs []conductor.RunSummary) (shown bool) {
	for _, r := range runs {
		for _, asked := range r.Obligations {
			for _, q := range asked.Questions {
				if !q.Waits() {
					continue
				}
				fmt.Fprintf(out, "%s: %s, for %s until %s\n", output.Printable(asked.Obligation.String()),
					output.Printable(q.Question), output.Printable(r.Caller.Name), q.Expires.UTC().Format(time.RFC3339))
				showHowToAnswer(out, r.ID, q.ID, q.Schema)
				shown = true
			}
		}
	}
	return shown
}

// showHowToAnswer shows the command that answers a question.
func showHowToAnswer(out io.Writer, run, id string, schema jsontext.Value) {
	var of struct {
		Type any `json:"type"`
	}
	value := "VALUE"
	switch err := jsonv2.Unmarshal(schema, &of); {
	case err != nil || of.Type == nil:
		value = "VALUE, or --json-value JSON"
	case of.Type != "string":
		value = "--json-value JSON"
	}
	fmt.Fprintf(out, "  answer with: orchestrator answer %s %s %s\n", output.Printable(run), output.Printable(id), value)
}

// showAsked shows what an unresolved obligation asks, and how to answer where that can be done.
func showAsked(out io.Writer, run string, t conductor.ObligationTrace) {
	for _, e := range t.Asks() {
		if e.ID != t.ID {
			fmt.Fprintf(out, "  %s\n", questionOf(e))
		}
		schema, _ := jsonv2.Marshal(e.Obligation.Payload["schema"])
		showHowToAnswer(out, run, e.ID, schema)
	}
	for _, e := range t.AsksInVain() {
		if question := questionOf(e); question != "" {
			fmt.Fprintf(out, "  %s\n", question)
		}
	}
}

func questionOf(e conductor.Emitted) string {
	question, _ := e.Obligation.Payload["question"].(string)
	return output.Printable(question)
}
