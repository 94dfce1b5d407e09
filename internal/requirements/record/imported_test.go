package record

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// The data of an import is encoded as a whole, or around its definitions: the bytes are the same.
func TestAnImportIsEncodedAroundItsDefinitions(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", `"defined":[`, `x","defined":[],"retired":["y`, `\"defined":[`, "\u2028é"})
	rapid.Check(t, func(t *rapid.T) {
		data := Imported{Rules: lifecycle.LatestRules, Workflow: text.Draw(t, "workflow"), Name: text.Draw(t, "name"),
			Sources: []projection.SourceFile{{Path: text.Draw(t, "path"), SHA256: text.Draw(t, "digest")}},
			Retired: rapid.SliceOf(text).Draw(t, "retired"), IDs: rapid.SliceOf(text).Draw(t, "ids"),
			Origin: &projection.ImportOrigin{Via: text.Draw(t, "via")}, Qualify: text.Draw(t, "qualify")}
		for _, id := range rapid.SliceOfN(text, 0, 3).Draw(t, "defined") {
			data.Defined = append(data.Defined, lifecycle.Definition{ID: id, Title: id})
		}
		want, err := ledger.Encode(data)
		if err != nil {
			t.Fatal(err)
		}
		head, tail, err := data.AroundDefined()
		if err != nil {
			t.Fatal(err)
		}
		var defined [][]byte
		for _, d := range data.Defined {
			one, err := ledger.Encode(d)
			if err != nil {
				t.Fatal(err)
			}
			defined = append(defined, one)
		}
		if got := slices.Concat(head, bytes.Join(defined, []byte(",")), tail); string(got) != string(want) {
			t.Fatalf("encoded as\n%s\nand not as\n%s", got, want)
		}
	})
}
