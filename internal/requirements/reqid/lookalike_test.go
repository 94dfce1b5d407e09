package reqid

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMixed(t *testing.T) {
	for id, want := range map[string]string{
		"РG-301":         "PG-301",       // Cyrillic Р
		"REQ-А1":         "REQ-A1",       // Cyrillic А
		"ОС-API-1":       "OC-API-1",     // Cyrillic ОС
		"ΑPI-1":          "API-1",        // Greek Α
		"FR-ο-1":         "FR-o-1",       // Greek ο
		"ЅRS-1":          "SRS-1",        // Cyrillic Ѕ
		"Ꭱ-FR-1":         "R-FR-1",       // Cherokee
		"ТРЕБOВАНИЕ-1":   "ТРЕБОВАНИЕ-1", // Latin O
		"Show the рrice": "Show the price",
		"Log in":         "",
		"PG-301":         "",
		"ТЗ-API-1":       "", // З looks like no Latin letter
		"ТРЕБ-1":         "", // Cyrillic alone
		"РС-1":           "", // Cyrillic alone, although it looks like PC-1
		"ΑΒ-1":           "", // Greek alone
		"Поддержка API":  "", // words of two scripts
		"web-сервис":     "",
		"要件-1":           "",
		"ログイン要件-1":       "", // Katakana and Han
		"API要件ログイン-1":    "", // Latin, Han and Katakana
		"요구-API-1":       "", // Hangul and Latin
		"م-٠٠١":          "",
		"דרישה-001":      "",
		"é-1":            "",
		"µ-1":            "",
		"REQ-O0lI1":      "",
		"FR-β-1":         "FR-ß-1",
		"Ж-Group-1":      "",
		"":               "",
		"\xff":           "",
		"Retry РG times": "Retry PG times",
	} {
		readAs, why := Mixed(id)
		require.Equal(t, want, readAs, id)
		require.Equal(t, want == "", why == "", id)
		if want != "" {
			require.Equal(t, want, Canonical(id), id)
		}
	}
	_, why := Mixed("РG-301")
	require.Equal(t, "Р (U+0420, Cyrillic) looks like P (U+0050, Latin)", why)
}

func TestLookalikes(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"РС-1", "PC-1", true},
		{"PC-1", "РС-1", true},
		{"ΑΒ-1", "AB-1", true},
		{"ΑΒ-1", "АВ-1", true},   // Greek and Cyrillic
		{"タ-1", "夕-1", true},     // Katakana and Han
		{"𝐑𝐄𝐐-1", "REQ-1", true}, // letters of mathematics
		{"РС-1", "PC-2", false},
		{"REQ-O1", "REQ-01", false},
		{"REQ-l1", "REQ-I1", false},
		{"ТЗ-О1", "ТЗ-01", false},
		{"REQ-rn", "REQ-m", false},
		{"РС-1", "РС-1", false},
		{"ТРЕБ-1", "ТРЕБ-2", false},
		{"РС-l0", "PC-1O", true}, // and O for 0, which alone would be no matter
	} {
		require.Equal(t, c.alike, LookAlike(c.a, c.b), "%s %s", c.a, c.b)
	}
	l := Lookalikes{}
	require.Empty(t, l.Add("REQ-O1"))
	require.Empty(t, l.Add("REQ-01"))
	require.Empty(t, l.Add("REQ-Ol"))
	require.Equal(t, "Р is Cyrillic (U+0420), P is Latin (U+0050), С is Cyrillic (U+0421), C is Latin (U+0043)", Difference("РС-1", "PC-1"))
}

func FuzzMixed(f *testing.F) {
	for _, id := range []string{"РG-301", "PG-301", "要件-1", "\xff", "m-rn", "Ѕ Ꭱ"} {
		f.Add(id, "PG-301")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		readAs, why := Mixed(a)
		require.Equal(t, readAs == "", why == "")
		if readAs != "" {
			require.NotEqual(t, a, readAs)
			again, _ := Mixed(readAs)
			require.Empty(t, again, "what is meant is of one script")
			require.Equal(t, Skeleton(readAs), Skeleton(a))
		}
		require.Equal(t, LookAlike(a, b), LookAlike(b, a))
		require.False(t, LookAlike(a, a))
		if LookAlike(a, b) {
			require.Equal(t, Skeleton(a), Skeleton(b))
			require.NotEmpty(t, Difference(a, b))
		}
	})
}
