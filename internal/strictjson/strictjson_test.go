package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-027
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, body, code, pointer string }{
		{"nothing", ``, "json_empty", ""},
		{"white space", " \n\t", "json_empty", ""},
		{"a byte order mark", "\xef\xbb\xbf{}", "json_byte_order_mark", ""},
		{"two values", `{} {}`, "json_trailing_data", ""},
		{"text after the value", `{}x`, "json_trailing_data", ""},
		{"NUL after the value", "{}\x00", "json_trailing_data", ""},
		{"a duplicate name", `{"a":{"b":1,"b":2}}`, "json_duplicate_name", "/a/b"},
		{"a duplicate name, escaped", `{"a":1,"\u0061":2}`, "json_duplicate_name", "/a"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "json_syntax", "/a"},
		{"an invalid name", "{\"\xff\":1}", "json_syntax", ""},
		{"a lone surrogate", `{"a":"\ud800"}`, "json_syntax", "/a"},
		{"NUL in a string", `{"a":"x\u0000"}`, "json_nul", "/a"},
		{"NUL in a name", `{"\u0000":1}`, "json_nul", "/\x00"},
		{"a raw control character", "{\"a\":\"\x01\"}", "json_syntax", "/a"},
		{"an early end", `{"a":[1,`, "json_syntax", "/a"},
		{"a trailing comma", `{"a":1,}`, "json_syntax", ""},
		{"a comment", `{/*x*/}`, "json_syntax", ""},
		{"single quotes", `{'a':1}`, "json_syntax", ""},
		{"not a number", `{"a":NaN}`, "json_syntax", "/a"},
		{"a leading zero", `{"a":01}`, "json_syntax", ""},
		{"a huge exponent", `{"a":1e5000000}`, "json_number", "/a"},
		{"a tiny exponent", `[1e-309]`, "json_number", "/0"},
		{"an exponent beyond int", `[1e99999999999999999999]`, "json_number", "/0"},
		{"a long number", `[` + strings.Repeat("1", 33) + `]`, "json_number", "/0"},
		{"deep arrays", strings.Repeat("[", 33) + strings.Repeat("]", 33), "json_depth", ""},
		{"10,000 levels", strings.Repeat(`{"a":`, 10_000), "json_depth", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.body))
			require.ErrorIs(t, err, fault.Malformed)
			var f *fault.Error
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.code, string(f.Code), f.Detail)
			require.Equal(t, c.pointer, f.Fields[0].Pointer)
			require.NotEmpty(t, f.Fix)
		})
	}
}

func TestFiftyHugeNumbersAreRefusedAtOnce(t *testing.T) {
	body := `{"a":[` + strings.TrimSuffix(strings.Repeat("1e1000000,", 50), ",") + `]}`
	_, err := Parse([]byte(body))
	require.ErrorIs(t, err, fault.Malformed)
}

func TestParseReads(t *testing.T) {
	got, err := Parse([]byte(` {"a":[1,2.5e3,true,false,null,"é\n"],"b":{}} ` + "\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"a": []any{json.Number("1"), json.Number("2.5e3"), true, false, nil, "é\n"},
		"b": map[string]any{},
	}, got)
	deep, err := Parse([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)))
	require.NoError(t, err)
	require.Len(t, deep, 1)
}

func TestFill(t *testing.T) {
	var v struct {
		Status string `json:"status"`
		Count  int    `json:"count"`
	}
	require.ErrorIs(t, Fill([]byte(` null`), &v), fault.Invalid, "it would empty what v holds")
	require.NoError(t, Fill([]byte(`{"status":"planned"}`), &v))
	require.Equal(t, "planned", v.Status)
	for _, body := range []string{`{"STATUS":"x"}`, `{"ſtatuſ":"x"}`, `{"count":1.0}`, `{"count":"1"}`, `[]`} {
		err := Fill([]byte(body), &v)
		require.ErrorIs(t, err, fault.Invalid, body)
	}
	var f *fault.Error
	require.ErrorAs(t, Fill([]byte(`{"count":1.5}`), &v), &f)
	require.Equal(t, "/count", f.Fields[0].Pointer)
}

// FuzzParse: what Parse accepts is one valid JSON value that the standard library reads the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",null]}`, `{"a":1,"a":2}`, `1e400`, "\xff", `"\ud800"`, `[[[[`, `{}{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		value, err := Parse(body)
		if err != nil {
			var fe *fault.Error
			if !errors.As(err, &fe) || fe.Code == "" || fe.Fix == "" {
				t.Fatalf("an error without code or fix: %v", err)
			}
			return
		}
		var std any
		d := json.NewDecoder(strings.NewReader(string(body)))
		d.UseNumber()
		if err := d.Decode(&std); err != nil {
			t.Fatalf("accepted what is not JSON: %q: %v", body, err)
		}
		require.Equal(t, std, value)
	})
}

// TestManyValues: what would take a hundred times its bytes in memory is refused at the first value too many.
func TestManyValues(t *testing.T) {
	full := "[" + strings.Repeat("1,", MaxValues-2) + "1]"
	_, err := Parse([]byte(full))
	require.NoError(t, err)
	for _, body := range []string{
		"[" + strings.Repeat("1,", MaxValues-1) + "1]",
		"[" + strings.Repeat("{},", MaxValues-1) + "1]",
		"[" + strings.Repeat("1,", MaxValues) + "is never read",
	} {
		_, err = Parse([]byte(body))
		require.ErrorIs(t, err, fault.Malformed)
		require.ErrorContains(t, err, "more than 20000 values")
	}
	_, err = ParseUncounted([]byte("[" + strings.Repeat("1,", MaxValues) + "1]"))
	require.NoError(t, err)
}
