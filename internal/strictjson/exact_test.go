package strictjson

import (
	"encoding/json"
	"math/big"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

func TestNumbersKeepTheirValue(t *testing.T) {
	for number, want := range map[string]any{
		"7": 7.0, "-0": 0.0, "0.1": 0.1, "1.50": 1.5, "1e3": 1000.0, "1e21": 1e21, "9007199254740992": 9007199254740992.0, "1e-308": 1e-308,
		"12345678901234567890": jsontext.Value("12345678901234567890"), "9007199254740993": jsontext.Value("9007199254740993"),
		"0.12345678901234567890": jsontext.Value("0.12345678901234567890"), "99e308": jsontext.Value("99e308"), "-1.0000000000000000001": jsontext.Value("-1.0000000000000000001"),
	} {
		var v struct {
			One  any            `json:"one"`
			Deep map[string]any `json:"deep"`
		}
		body := `{"one":` + number + `,"deep":{"list":[` + number + `,"x",null,true]}}`
		require.NoError(t, Fill([]byte(body), &v))
		require.EqualValues(t, want, v.One)
		require.Equal(t, []any{v.One, "x", nil, true}, v.Deep["list"])
		written, err := jsonv2.Marshal(v.One)
		require.NoError(t, err)
		x, _ := new(big.Rat).SetString(number)
		y, _ := new(big.Rat).SetString(string(written))
		require.Zero(t, x.Cmp(y), "%s is written as %s", number, written)
	}
}

// FuzzExact: whatever number is read is written with its value, by either library.
func FuzzExact(f *testing.F) {
	for _, s := range []string{"1", "-0.0", "1E+2", "18446744073709551616", "0.30000000000000004", "123456789.123456789123", "1e-308"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, number string) {
		value, err := Parse([]byte(number))
		if n, is := value.(json.Number); err != nil || !is || string(n) != number {
			return
		}
		var read any
		require.NoError(t, Fill([]byte(number), &read))
		want, _ := new(big.Rat).SetString(number)
		for _, marshal := range []func(any) ([]byte, error){func(v any) ([]byte, error) { return jsonv2.Marshal(v) }, json.Marshal} {
			written, err := marshal(read)
			require.NoError(t, err)
			got, is := new(big.Rat).SetString(string(written))
			require.True(t, is && got.Cmp(want) == 0, "%s is written as %s", number, written)
		}
	})
}
