package conductor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
)

// What docs/conductor-plans.md shows does what it is said to do.
//
// Verifies: ORC-251, ORC-254
func TestTheExamplesOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/conductor-plans.md")
	require.NoError(t, err)
	shown := func(language string) string {
		found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(page, -1)
		require.Len(t, found, 1, language)
		return string(found[0][1])
	}
	read := func(text string, to any) { require.NoError(t, jsonv2.Unmarshal([]byte(text), to, strictjson.Exact())) }

	t.Run("values", func(t *testing.T) {
		text, printed, found := strings.Cut(strings.TrimPrefix(shown("console"), "$ cat mail.json\n"), "$ orchestrator conduct mail.json\n")
		require.True(t, found)
		var request planning.Request
		read(text, &request)
		require.Equal(t, printed, strings.Join(texts(wholeOf(t, &project{}).conduct(request.Obligations...)), "\n")+"\n")
	})
	t.Run("a plan", func(t *testing.T) {
		var o planning.Obligation
		read(shown("json"), &o)
		trace := wholeOf(t, &project{}).conduct(o)
		require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
		require.Equal(t, "0", trace.Obligations[0].Steps[1].Runs[0].Inputs["facts"].([]any)[0].(map[string]any)["object"])
	})
	t.Run("a contract", func(t *testing.T) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "welcome.yaml"), []byte(shown("yaml")), 0o600))
		said := named("t.said", "REPORT(text.said)", withInput("what"), func(f *fake) {
			f.run = func(in tools.In) (map[string]any, error) { return map[string]any{"said": in.Input["what"]}, nil }
		})
		sent := named("t.sent", "ACHIEVE(mail.sent)", withInput("to"), func(f *fake) {
			f.contract.Consumes = append(f.contract.Consumes, planning.Input{Name: "body", Schema: map[string]any{}, Required: true})
		})
		trace := wholeIn(t, folder, &project{}, said, sent).
			conduct(ob(planning.Achieve, "team.welcomed", "person", "Ann"))
		require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
		require.Equal(t, map[string]any{"to": "Ann", "body": "Dear Ann,"}, trace.Obligations[0].Steps[1].Runs[0].Inputs)
	})
}
