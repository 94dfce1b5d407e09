package idmatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var known = []string{
	"REQ-7", "REQ-70", "REQ-7.1", "REQ-8", "REQ-F-001", "FR-1", "FR-1.1", "FR-2.1.3", "FR-21", "NFR-3", "US-12a",
	"AB-C-1", "A-BC-1", "US_5", "us-5", "Log in", "login", "3", "1.2", "#12", "REQ/α-9", "SEC+4", "SEC-4", "9c",
}

func TestIn(t *testing.T) {
	x := New(known)
	for name, want := range map[string]string{
		// The id as it is written.
		"REQ-7":                          "REQ-7",
		"[REQ-7] logs in":                "REQ-7",
		"@REQ-7":                         "REQ-7",
		"logs in (REQ-7)":                "REQ-7",
		"logs in (REQ-8, REQ-7; REQ-8)":  "REQ-8 REQ-7",
		"REQ-7: REQ-8":                   "REQ-7 REQ-8",
		"REQ-7.":                         "REQ-7",
		"after REQ-7. 1 apple":           "REQ-7",
		"see REQ-7-REQ-8":                "REQ-7 REQ-8",
		"path/to/REQ-7/REQ-70":           "REQ-7 REQ-70",
		"«REQ-7»":                        "REQ-7",
		"REQ/α-9":                        "REQ/α-9",
		"Log in with a password (REQ-7)": "Log in|REQ-7",

		// Identifiers.
		"TestLogin_REQ7":       "REQ-7",
		"TestLogin_REQ_7":      "REQ-7",
		"test_req_7_login":     "REQ-7",
		"test_req7":            "REQ-7",
		"TestREQ7Login":        "REQ-7",
		"TestReq7Login":        "REQ-7",
		"testReq_7":            "REQ-7",
		"loginREQ-F-001":       "REQ-F-001",
		"TestREQF001":          "REQ-F-001",
		"TestReqF001Login":     "REQ-F-001",
		"req f 001":            "REQ-F-001",
		"test_req.7":           "REQ-7",
		"HTTPReq7":             "REQ-7",
		"TestREQ7AndREQ8":      "REQ-7 REQ-8",
		"REQ7REQ8":             "REQ-7 REQ-8",
		"TestLogin/req-7":      "REQ-7",
		"TestUS12a":            "US-12a",
		"TestUS12A":            "US-12a",
		"TestUS12ALogin":       "US-12a",
		"ログインREQ-7テスト":         "REQ-7",
		"Tést_REQ7_été":        "REQ-7",
		"TestFR_1_1":           "FR-1.1",
		"TestFR1_1":            "FR-1.1",
		"fr 2 1 3":             "FR-2.1.3",
		"com.x.FR1Test.checks": "FR-1",

		// The longest wins.
		"[REQ-7.1]":       "REQ-7.1",
		"TestREQ_7_1":     "REQ-7.1",
		"REQ-7.1 REQ-7":   "REQ-7.1 REQ-7",
		"TestNFR3":        "NFR-3",
		"REQ-70 is not 7": "REQ-70",

		// Letters inside a word, and numbers that are not whole.
		"FREQ7":          "",
		"FREQ-7":         "",
		"TestFREQ7":      "",
		"REQUEST-7":      "",
		"REQ07":          "",
		"REQ-07":         "",
		"REQ-700":        "",
		"REQ700":         "",
		"REQ-7.2":        "", // another number, which is not known
		"REQ-7.10":       "",
		"TestREQ7a":      "", // 7a is not 7
		"REQ-7a":         "",
		"REQ-7B":         "",
		"REQ7B":          "",
		"REQ-F-01":       "",
		"REQ-F-0011":     "",
		"REQ --- 7":      "",
		"REQ: 7":         "",
		"REQ#7":          "",
		"REQ":            "",
		"7":              "",
		"US-12":          "",
		"US-12ab":        "",
		"TestUS12able":   "",
		"FR.1":           "FR-1",
		"FR-1.":          "FR-1",
		"v2FR1":          "FR-1",
		"2fr1":           "",
		"x.9c":           "9c",
		"1.9c":           "",
		"v9c":            "",
		"v_9c":           "9c",
		"REQ-\xff7":      "",
		"R\u200bEQ-7":    "",
		"REQ\u20117":     "",
		"REQ-\u0667":     "", // an Arabic digit
		"REQ-7\u0301":    "",
		"REQ-7\u0301abc": "",

		// Numbers that are split in another way.
		"TestFR11":     "",
		"TestFR1.1":    "FR-1.1",
		"TestFR21_3":   "FR-21",
		"TestFR_1_2":   "", // as FR-1.2 would be written, were it known
		"TestFR_1_1_2": "FR-1.1",
		"FR-1_2":       "FR-1",
		"TestREQ_8_2":  "REQ-8",
		"TestFR21":     "FR-21",
		"TestFR2_1":    "",
		"TestFR_1.1":   "FR-1.1",
		"TestFR213":    "",

		// Two ids that an identifier cannot tell apart: only as written.
		"TestABC1":     "",
		"[AB-C-1]":     "AB-C-1",
		"x (A-BC-1)":   "A-BC-1",
		"test_ab_c_1":  "",
		"TestUS5":      "",
		"us-5 US_5":    "us-5 US_5",
		"TestX_US_5":   "US_5",
		"TestSEC4":     "",
		"does SEC+4":   "SEC+4",
		"does [SEC-4]": "SEC-4",

		// Ids that are too common: only when marked.
		"3":               "",
		"step 3 of 5":     "",
		"[3]":             "3",
		"case [3]: x":     "3",
		"@3":              "3",
		"x @3.":           "3",
		"x @3, @1.2":      "3 1.2",
		"test_x[3]":       "",
		"test_x[1][3]":    "3",
		"mail@3":          "",
		"@3.1":            "",
		"@3..1":           "",
		"@33":             "",
		"@3_x":            "",
		"[3.1]":           "",
		"[33]":            "",
		"[3, 4]":          "",
		"[3":              "",
		"[1.2]":           "1.2",
		"version 1.2":     "",
		"[#12]":           "#12",
		"@#12":            "#12",
		"#12":             "",
		"[@3]":            "3",
		"[[3]]":           "3",
		"login":           "",
		"TestLogin":       "",
		"@login works":    "login",
		"[login] works":   "login",
		"[login]":         "login",
		"[Login]":         "",
		"TestLogIn":       "",
		"log in":          "",
		"Log inside":      "",
		"xLog in":         "",
		"cannot (Log in)": "Log in",

		"":          "",
		"[":         "",
		"@":         "",
		"[]":        "",
		"\xff\xfe[": "",
	} {
		t.Run(name, func(t *testing.T) {
			got := x.In(name)
			if want != "Log in" && !strings.Contains(want, "|") {
				want = strings.ReplaceAll(want, " ", "|")
			}
			require.Equal(t, want, strings.Join(got, "|"))
		})
	}
}

func TestNoIDs(t *testing.T) {
	require.Nil(t, New(nil).In("TestREQ7 [3] @x"))
	require.Nil(t, New([]string{"", "--", "[", "@"}).In("-- [ @ TestREQ7 [--] @--"))
	require.Equal(t, []string{"REQ-7"}, New([]string{"REQ-7", "REQ-7"}).In("REQ7"), "given twice, it is still one id")
}

// Whatever is known, an id that stands alone is found, and no other.
func TestEveryIDIsFoundAsWritten(t *testing.T) {
	x := New(known)
	for _, id := range known {
		require.Equal(t, []string{id}, x.In("["+id+"]"), id)
		if !slices.Contains([]string{"3", "1.2", "#12", "login"}, id) {
			require.Equal(t, []string{id}, x.In("does "+id+"!"), id)
		}
	}
}

func FuzzIn(f *testing.F) {
	f.Add("REQ-7\nREQ-7.1\n3\nLog in", "TestREQ7 [3] @1.2 Log in, REQ-7.1")
	f.Add("A-1\nA1\na.1\n-A1-", "-A1- a.1 A1A-1")
	f.Add("É-1\né́\n٣", "E\u0301-1 [٣] @é́ ǅ1")
	f.Fuzz(func(t *testing.T, ids, name string) {
		list := strings.Split(ids, "\n")
		got := New(list).In(name)
		for i, id := range got {
			require.Contains(t, list, id)
			require.NotContains(t, got[:i], id)
		}
		slices.Reverse(list)
		require.Equal(t, got, New(list).In(name), "the order of the ids makes no difference")
	})
}

func BenchmarkIn(b *testing.B) {
	var ids []string
	for i := range 100_000 {
		ids = append(ids, fmt.Sprintf("REQ-%d.%d", i/10, i%10))
	}
	x := New(ids)
	for name, text := range map[string]string{
		"name":  "orchestrator/internal/requirements/idmatch.TestLogin_REQ_777_3/with_a_password",
		"trap":  strings.Repeat("req.7.", 10_000),
		"words": strings.Repeat("r7", 30_000),
		"signs": strings.Repeat("[@", 30_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				x.In(text)
			}
		})
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(ids)
		}
	})
}

func TestACacheKnowsTheIDsOfNow(t *testing.T) {
	var c Cache
	one := c.Of([]string{"REQ-1"}, nil)
	require.Same(t, one, c.Of([]string{"REQ-1"}, nil))
	require.Equal(t, []string{"REQ-1"}, one.In("TestREQ1"))
	require.Equal(t, []string{"REQ-2"}, c.Of([]string{"REQ-1", "REQ-2"}, nil).In("TestREQ2"))
}
