package adoption

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

const aChange = `{"role":"coder","requirement":"R-1","revision":3,"request":{"implementation":{"summary":"s"}},"why":"w"}`

func TestAPlanIsReadStrictly(t *testing.T) {
	plan, err := Read([]byte("\n" + aChange + "\r\n\n" + `{"role":"tester","requirement":"R-1","report":{"path":"r.xml"}}`))
	require.NoError(t, err)
	require.Len(t, plan, 2)
	require.Equal(t, []int{2, 4}, []int{plan[0].Number, plan[1].Number})
	file, err := Encode(plan)
	require.NoError(t, err)
	require.Equal(t, aChange+"\n"+`{"role":"tester","requirement":"R-1","report":{"path":"r.xml"}}`+"\n", string(file))

	for line, want := range map[string]string{
		`{`:     "line 2 of the plan: the JSON ends early",
		`[]`:    "it is no JSON object",
		`{"a"}`: "this is not JSON",
		`{"role":"coder","role":"pm","requirement":"R-1","request":{}}`:                  "a name stands twice",
		`{"role":"coder","requirement":"R-1","request":{},"x":1}`:                        "a member that a line does not have",
		`{"role":"boss","requirement":"R-1","request":{}}`:                               `"boss" is not a role`,
		`{"role":"viewer","requirement":"R-1","request":{}}`:                             "role viewer changes nothing",
		`{"role":"coder","request":{}}`:                                                  "it names no requirement",
		`{"role":"coder","requirement":"R-1"}`:                                           "either a request or a report",
		`{"role":"coder","requirement":"R-1","request":{},"report":{"path":"a"}}`:        "either a request or a report",
		`{"role":"coder","requirement":"R-1","request":[]}`:                              "its request is no JSON object",
		`{"role":"tester","requirement":"R-1","report":{"path":" "}}`:                    "its report has no path",
		`{"role":"tester","requirement":"R-1","report":{"path":"a","sha256":"x"}}`:       "not 64 hexadecimal digits",
		`{"role":"coder","requirement":"R-1","revision":-1,"request":{}}`:                "of another type",
		`{"role":"coder","requirement":"R-1","request":"` + strings.Repeat("x", maxLine): "it has more than",
	} {
		_, err := Read([]byte(aChange + "\n" + line))
		f := fault.As(err)
		require.NotNil(t, f, line)
		require.Equal(t, CodeLine, f.Code)
		require.Contains(t, f.Detail, "line 2 of the plan: ", line)
		require.Contains(t, f.Detail, want)
		require.NotEmpty(t, f.Fix)
	}
	for content, code := range map[string]fault.Code{"": "plan_empty", "\n \n": "plan_empty",
		strings.Repeat(" ", MaxBytes+1): "plan_too_large", strings.Repeat(aChange+"\n", MaxLines+1): CodeLine} {
		_, err := Read([]byte(content))
		require.Equal(t, code, fault.As(err).Code)
		require.NotEmpty(t, fault.As(err).Fix)
	}
}

// What was read is written so that it is read as the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(aChange))
	f.Add([]byte(`{"role":"tester","requirement":"R-1","report":{"path":"r.xml","tests":"^A$"}}` + "\n\n{}"))
	f.Add([]byte(`{"role":"pm","requirement":"\u00e9","request":{"a":[1,2.50,{"b":null}]}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		plan, err := Read(content)
		if err != nil {
			require.NotNil(t, fault.As(err))
			require.NotEmpty(t, fault.As(err).Fix)
			return
		}
		file, err := Encode(plan)
		require.NoError(t, err)
		again, err := Read(file)
		require.NoError(t, err)
		rewritten, err := Encode(again)
		require.NoError(t, err)
		require.Equal(t, string(file), string(rewritten))
	})
}
