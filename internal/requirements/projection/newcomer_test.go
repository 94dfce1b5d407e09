package projection

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// A newcomer is stored as the requirement that the rules make of its definition would be.
func TestANewcomerIsStoredAsEncoded(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"defined":[`, "\u2028<&>\x00\xff", `{"id":""}`}))
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(0, 1<<51).Draw(t, "at")).UTC()
		def := lifecycle.Definition{ID: text.Draw(t, "id"), Title: text.Draw(t, "title"), Text: text.Draw(t, "text"),
			Kind: text.Draw(t, "kind"), Acceptance: []lifecycle.Criterion{}, Fingerprint: text.Draw(t, "fingerprint"),
			DependsOn: rapid.SliceOf(text).Draw(t, "depends on"), Parents: rapid.SliceOf(text).Draw(t, "parents")}
		def.Source.Path, def.Source.Line = text.Draw(t, "path"), rapid.Int().Draw(t, "line")
		if rapid.Bool().Draw(t, "criterion") {
			def.Acceptance = append(def.Acceptance, lifecycle.Criterion{Text: text.Draw(t, "criterion's text")})
		}
		newcomer := Newcomer{&def, at}
		definition, err := ledger.Encode(def)
		if err != nil {
			t.Skip("text that JSON does not have is refused before") // the documents are valid UTF-8
		}
		rest, err := newcomer.Rest()
		if err != nil {
			t.Fatal(err)
		}
		want, err := ledger.Encode(newcomer.Requirement())
		if got := newcomer.encoded(definition, rest); err != nil || string(got) != string(want) {
			t.Fatalf("stored as\n%s\nand not as\n%s, %v", got, want, err)
		}
	})
}
