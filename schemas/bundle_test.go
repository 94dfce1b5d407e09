package schemas

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABundleStandsAlone(t *testing.T) {
	for name := range compiled {
		bundle, err := Bundle(name)
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(bundle), `"$ref":"`) {
			if part[0] != '{' { // not the beginning of all
				require.Equal(t, byte('#'), part[0], "%s refers to %s", name, part[:min(len(part), 60)])
			}
		}
		_, found := Compile(object(t, string(bundle))) // which loads nothing
		require.Empty(t, found, name)
		again, err := Bundle(name)
		require.NoError(t, err)
		require.Equal(t, string(bundle), string(again))
	}
}

// A bundle and its schema accept the same, also what another file defines.
func TestABundleMeansTheSame(t *testing.T) {
	bundle, err := Bundle(Obligations)
	require.NoError(t, err)
	alone, found := Compile(object(t, string(bundle)))
	require.Empty(t, found)
	request := func(typ, payload string) string {
		return `{"obligations":[{"type":"` + typ + `","payload":` + payload + `}]}`
	}
	good, bad := 0, 0
	for _, doc := range []string{
		request("REPORT", `{"kind":"query.math","expr":"2+2"}`), request("REPORT", `{"kind":"query.math"}`),
		request("REPORT", `{"kind":"requirement.next","role":"tester"}`), request("REPORT", `{"kind":"requirement.next","role":"boss"}`),
		request("REPORT", `{"kind":"query.requirements","filters":{"status":"done"}}`), request("REPORT", `{"kind":"query.requirements","filters":{"status":"over"}}`),
		request("ACHIEVE", `{"kind":"requirement.status","id":"REQ-1","status":"done"}`), request("ACHIEVE", `{"kind":"requirement.status","id":"REQ-1","status":"over"}`),
		request("ACHIEVE", `{"kind":"requirement.test","id":"REQ-1","test":{"results":{"passed":1,"failed":0}}}`), request("ACHIEVE", `{"kind":"requirement.test","id":"REQ-1","test":{"results":{"passed":-1,"failed":0}}}`),
		request("ACHIEVE", `{"kind":"requirement.design_spec","id":"REQ-1","design_spec":{"summary":"s","files":["a.go"]}}`),
		request("ACHIEVE", `{"kind":"requirement.design_spec","id":"REQ-1","design_spec":{"summary":"s","files":["../a.go"]}}`),
		request("ACHIEVE", `{"kind":"requirement.signoff","id":"REQ-1","approvals":[{"decision":"approved","text":"t"}]}`), request("INVALID", `{}`), `{"obligations":[]}`, `[]`,
	} {
		d := json.NewDecoder(strings.NewReader(doc))
		d.UseNumber()
		var value any
		require.NoError(t, d.Decode(&value))
		want := Violations(Obligations, value)
		require.Equal(t, len(want) == 0, len(alone.Violations(value)) == 0, "%s: %v", doc, want)
		if len(want) == 0 {
			good++
		} else {
			bad++
		}
	}
	require.Greater(t, good, 4)
	require.Greater(t, bad, 6)
}
