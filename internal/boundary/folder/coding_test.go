package folder

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/strictjson"
)

// odd are texts that JSON, or a page that shows it, treats in its own way.
var odd = []string{"", "a", "a b", `"q"`, "\x00\x1f\x7f", "\\", "/</>&", "\u2028é日本\U0001F600", "\xff\xfe", "{", "null"}

// draw fills a value of any type at random; where whole is set nothing is left empty.
func draw(r *rand.Rand, v reflect.Value, whole bool) {
	empty := !whole && r.IntN(3) == 0
	switch {
	case empty:
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC().Truncate(time.Microsecond)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			draw(r, v.Field(i), whole)
		}
	case v.Kind() == reflect.Slice:
		n := 1 + r.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			draw(r, v.Index(i), whole)
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		draw(r, v.Elem(), whole)
	case v.Kind() == reflect.String && whole:
		v.SetString(fmt.Sprintf("text %d", r.IntN(1000)))
	case v.Kind() == reflect.String:
		v.SetString(odd[r.IntN(len(odd))])
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1 + r.Int64N(1e12))
	case v.CanFloat():
		v.SetFloat(r.Float64() * 1e3)
	default:
		panic(v.Type())
	}
}

// TestLinesAreWrittenAsTheLibraryWritesThem: every member of a line, whatever is in it, and whatever is missing. A
// member that is new in Line and that no line is written with is found here.
func TestLinesAreWrittenAsTheLibraryWritesThem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		var l Line
		draw(r, reflect.ValueOf(&l).Elem(), i < 50)
		if i%2 == 0 {
			l.Grant = nil
		}
		want, err := jsonv2.Marshal(l, jsontext.AllowInvalidUTF8(true))
		require.NoError(t, err)
		got, err := marshal(l)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	elsewhere := Line{At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))}
	got, err := marshal(elsewhere)
	require.NoError(t, err)
	require.Contains(t, string(got), "2026-03-04T05:06:07+01:00")

	_, err = marshal(Line{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)})
	require.Error(t, err, "RFC 3339 has no form for it")
}

// bySlowWay reads a policy by the library alone.
func bySlowWay(raw []byte) (boundary.Policy, error) {
	p := unwritten()
	return p, strictjson.Fill(raw, &p)
}

// TestPoliciesAreReadAsTheLibraryReadsThem: with every member, and with each left out.
func TestPoliciesAreReadAsTheLibraryReadsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		var p boundary.Policy
		draw(r, reflect.ValueOf(&p).Elem(), i < 50)
		raw, err := jsonv2.Marshal(p, jsontext.AllowInvalidUTF8(true))
		require.NoError(t, err)
		members := map[string]jsontext.Value{}
		require.NoError(t, jsonv2.Unmarshal(raw, &members))
		if i >= 50 {
			for name := range members {
				if r.IntN(4) == 0 {
					delete(members, name)
				}
			}
		}
		raw, err = jsonv2.Marshal(members)
		require.NoError(t, err)
		want, err := bySlowWay(raw)
		require.NoError(t, err)
		got := unwritten()
		require.True(t, decodePolicy(raw, &got), "%s", raw)
		require.Equal(t, want, got)
	}
}

// Whatever is not a policy as it should be written is left to the library, which says what is wrong with it.
func TestOddPoliciesAreLeftToTheLibrary(t *testing.T) {
	whole, err := encode(boundary.DefaultPolicy())
	require.NoError(t, err)
	cases := []string{``, `null`, `[]`, `{`, `{}{}`, `{"mode":null}`, `{"mode":1}`, `{"mode":"off","mode":"off"}`, `{"x":1}`,
		"{\"mode\":\"\xff\"}", `{"agents":{}}`, `{"agents":[null]}`, `{"agents":[{"x":1}]}`, `{"agents":[{"name":null}]}`,
		`{"path_modes":[{"x":1}]}`, `{"bypass":{"x":true}}`, `{"bypass":{"environment":null}}`, `{"bypass":[]}`,
		`{"bypass":{"environment":"true"}}`, `{"thresholds":{"x":1}}`, `{"thresholds":{"tool_uses":1.5}}`,
		`{"thresholds":{"accuracy":"1"}}`,
		`{"thresholds":{"accuracy":1e999}}`, `{"schema_version":99999999999999999999}`,
		`{"blocked_tools":["a",null]}`, `{"blocked_tools":"a"}`, `{"allowed_tools":[[]]}`, `{"\u006dode":"off"}`}
	for i := range whole {
		cases = append(cases, string(whole[:i]))
	}
	for _, text := range cases {
		if strings.TrimSpace(text) == strings.TrimSpace(string(whole)) {
			continue // its last line end
		}
		p := unwritten()
		require.False(t, decodePolicy([]byte(text), &p), text)
	}
	p := unwritten()
	require.True(t, decodePolicy([]byte(`{"bypass":{}}`), &p))
	require.Equal(t, unwritten(), p)
}

// TestAPolicyIsReadWithFewAllocations: every call of the hook reads one, and the first time the
// library takes many times as many, as it has to learn what a policy is made of.
func TestAPolicyIsReadWithFewAllocations(t *testing.T) {
	raw, err := encode(boundary.DefaultPolicy())
	require.NoError(t, err)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _, _ = ParsePolicy(raw) }), 112.0)
	l := Line{ID: "1", At: time.Unix(0, 0).UTC(), Kind: KindDecision, Verdict: &boundary.Verdict{Rule: "r"}}
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _, _ = encodeLine(l) }), 2.0)
}
