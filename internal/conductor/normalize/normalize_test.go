package normalize

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

// row is an input and its normal form, or the code of the refusal.
type row struct{ in, want, code string }

func codeOf(t require.TestingT, err error) string {
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.ErrorIs(t, err, fault.Invalid)
	require.NotEmpty(t, f.Fix)
	return string(f.Code)
}

func check(t *testing.T, rows []row, do func(string) (string, error)) {
	for _, r := range rows {
		got, err := do(r.in)
		if r.code != "" {
			require.Equal(t, r.code, codeOf(t, err), r.in)
			continue
		}
		require.NoError(t, err, r.in)
		require.Equal(t, r.want, got, r.in)
		again, err := do(got)
		require.NoError(t, err, got)
		require.Equal(t, got, again)
	}
}

// Verifies: ORC-270
func TestEmail(t *testing.T) {
	rows := []row{
		{in: "Bob.Smith@Example.COM", want: "Bob.Smith@example.com"}, {in: " a@b ", want: "a@b"}, {in: "JEFF+4@Example.COM", want: "JEFF+4@example.com"},
		{in: "!#$%&'*+-/=?^_`{|}~@x.org", want: "!#$%&'*+-/=?^_`{|}~@x.org"}, {in: strings.Repeat("a", 64) + "@x.org", want: strings.Repeat("a", 64) + "@x.org"},
		// RFC 5321, 2.4: the local part is case sensitive, the domain is not
		{in: "Smith@EXAMPLE.org", want: "Smith@example.org"}, {in: "smith@example.ORG", want: "smith@example.org"},
		// RFC 5321, 4.1.2: all forms in quotes are the same, and the one with the fewest is preferred
		{in: `"bob"@x.org`, want: "bob@x.org"}, {in: `"b\ob"@x.org`, want: "bob@x.org"}, {in: `"Joe\,Smith"@x.org`, want: `"Joe,Smith"@x.org`}, {in: `"a b"@x.org`, want: `"a b"@x.org`},
		{in: `"a@b"@x.org`, want: `"a@b"@x.org`}, {in: `"a\"b"@x.org`, want: `"a\"b"@x.org`}, {in: `".a"@b`, want: `".a"@b`},
		// RFC 5321, 4.1.3, and RFC 5952, 4
		{in: "a@[127.0.0.1]", want: "a@[127.0.0.1]"}, {in: "a@[ipv6:2001:DB8:0:0::1]", want: "a@[IPv6:2001:db8::1]"},
		// RFC 6531, 3.3
		{in: "Jürgen@Bücher.DE", want: "Jürgen@xn--bcher-kva.de"}, {in: "用户@例子.广告", want: "用户@xn--fsqu00a.xn--4rr70v"}, {in: "a@XN--BCHER-KVA.de", want: "a@xn--bcher-kva.de"},
	}
	for _, in := range []string{
		"", "a", "@", "a@", "@b", "a@b@c", "a b@c.org", "a@b c", ".a@b", "a.@b", "a..b@c", "Bob <bob@x.org>", "<bob@x.org>", "bob@x.org (Bob)", "(Bob)bob@x.org", "bob(Bob)@x.org", `Bob "bob"@x.org`, `""@x.org`, `"a@x.org`, `"a"b@x.org`,
		"a@-x.org", "a@x-.org", "a@x..org", "a@x.org.", "a@x_y.org", "a@.org", "a@x.org\nBcc: b@y.org", "a@x.org,b@y.org", "a,b@x.org", strings.Repeat("a", 65) + "@x.org", "a@" + strings.Repeat("b", 64), "a@" + strings.Repeat("b.", 130) + "c",
		"a@x\x00.org", "a@[127.0.0.1", "a@[::1]", "a@[IPv6:127.0.0.1]", "a@[IPv6:fe80::1%eth0]", "a@[1.2.3]", "a@[]", "a\u200bb@x.org", "a\xff@x.org", "a@xn--a", "a@ü--b.de", "\"a\tb\"@x.org", "=?utf-8?q?a?=b c@x.org", "a@" + strings.Repeat("ü", 60) + ".de",
	} {
		rows = append(rows, row{in: in, code: "email_invalid"})
	}
	check(t, rows, Email)
}

// Verifies: ORC-270
func TestURL(t *testing.T) {
	rows := []row{
		{in: "https://example.com:443/", want: "https://example.com/"}, {in: "http://example.com:0080/a", want: "http://example.com/a"}, {in: "http://example.com:443/", want: "http://example.com:443/"},
		{in: "wss://x:443", want: "wss://x/"}, {in: "http://a/../../b/..", want: "http://a/"}, {in: "http://a/b/.", want: "http://a/b/"},
		{in: "http://a/b//c", want: "http://a/b//c"}, {in: "http://a?b=2&a=1", want: "http://a/?b=2&a=1"}, {in: "http://a#f", want: "http://a/#f"},
		{in: "http://U:P@a/", want: "http://U:P@a/"}, {in: "http://[2001:DB8:0:0::1]:80/", want: "http://[2001:db8::1]/"}, {in: "http://127.0.0.1:8080", want: "http://127.0.0.1:8080/"},
		{in: "http://example.com./", want: "http://example.com./"}, {in: "http://a_b/", want: "http://a_b/"}, {in: "http://r3---sn.example/", want: "http://r3---sn.example/"}, {in: "ssh://Host:22/p", want: "ssh://host:22/p"}, {in: "http://a/B/C", want: "http://a/B/C"},
		// RFC 3986, 6.2.2: the example, and what is said of case, escapes and dot segments
		{in: "example://a/b/c/%7Bfoo%7D", want: "example://a/b/c/%7Bfoo%7D"}, {in: "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", want: "example://a/b/c/%7Bfoo%7D"},
		{in: "HTTP://www.EXAMPLE.com/", want: "http://www.example.com/"}, {in: "http://a/%3a", want: "http://a/%3A"}, {in: "http://a/%41%5a%61%7A%30%39%2D%2E%5F%7E", want: "http://a/AZaz09-._~"},
		{in: "http://a/%7Eb%2fc", want: "http://a/~b%2Fc"}, {in: "http://a/b/%2e%2E/c", want: "http://a/c"}, {in: "http://a/?%7e=%2f#%7e%2f", want: "http://a/?~=%2F#~%2F"},
		// 6.2.3: the usual port, the empty path, and delimiters that have nothing behind them
		{in: "http://example.com", want: "http://example.com/"}, {in: "http://example.com/", want: "http://example.com/"}, {in: "http://example.com:/", want: "http://example.com/"}, {in: "http://example.com:80/", want: "http://example.com/"},
		{in: "http://a/?", want: "http://a/?"}, {in: "http://a/#", want: "http://a/#"}, {in: "http://a/?#", want: "http://a/?#"},
		// what no URL has is escaped
		{in: " https://a/x y ", want: "https://a/x%20y"}, {in: "http://a/[x]|{y}?[z]^#\"", want: "http://a/%5Bx%5D%7C%7By%7D?%5Bz%5D%5E#%22"}, {in: "http://a/ü?ü#ü", want: "http://a/%C3%BC?%C3%BC#%C3%BC"}, {in: "http://a/? #f", want: "http://a/?%20#f"}, {in: "http://a/%FF\xff", want: "http://a/%FF%FF"},
		// RFC 5891 and RFC 3987, 3.1
		{in: "http://Bücher.DE/", want: "http://xn--bcher-kva.de/"}, {in: "http://xn--bcher-kva.de:80", want: "http://xn--bcher-kva.de/"},
	}
	for _, in := range []string{
		"", "example.com", "/path", "//example.com/", "mailto:a@b.c", "http:", "http://", "http:///x", "http://:80/", "http://a:65536/", "http://a:0/", "http://a:x/", "http://a b/", "http://a..b/", "http://-a/", "http://./", "http://" + strings.Repeat("a.", 130) + "b/",
		"http://[::1/", "http://[fe80::1%25eth0]/", "http://[zz]/", "http://a\n/", "http://a/%zz", "http://a/?%zz", "http://a/?%2", "http://a/#%g0", "1http://a/", "http://a'b/", "http://" + strings.Repeat("a", 8000), "http://a/" + strings.Repeat("ü", 3000), "javascript:alert(1)", "file:///etc/passwd", "http://a%41b/", "http://xn--a/", "http://bücher_x.de/",
	} {
		rows = append(rows, row{in: in, code: "url_invalid"})
	}
	check(t, rows, URL)
}

// TestRelativePaths holds what becomes of dot segments against the examples of RFC 3986, 5.4: each is merged with the
// path of its base, http://a/b/c/d;p?q, as 5.2.3 says.
//
// Verifies: ORC-270
func TestRelativePaths(t *testing.T) {
	for reference, want := range map[string]string{
		"g": "/b/c/g", "./g": "/b/c/g", "g/": "/b/c/g/", "g?y": "/b/c/g?y", "g#s": "/b/c/g#s", "g?y#s": "/b/c/g?y#s", ";x": "/b/c/;x", "g;x": "/b/c/g;x", "g;x?y#s": "/b/c/g;x?y#s", ".": "/b/c/", "./": "/b/c/",
		"..": "/b/", "../": "/b/", "../g": "/b/g", "../..": "/", "../../": "/", "../../g": "/g", // 5.4.1
		"../../../g": "/g", "../../../../g": "/g", "g.": "/b/c/g.", ".g": "/b/c/.g", "g..": "/b/c/g..", "..g": "/b/c/..g", "./../g": "/b/g", "./g/.": "/b/c/g/", "g/./h": "/b/c/g/h", "g/../h": "/b/c/h", "g;x=1/./y": "/b/c/g;x=1/y",
		"g;x=1/../y": "/b/c/y", "g?y/./x": "/b/c/g?y/./x", "g?y/../x": "/b/c/g?y/../x", "g#s/./x": "/b/c/g#s/./x", "g#s/../x": "/b/c/g#s/../x", // 5.4.2
	} {
		got, err := URL("http://a/b/c/" + reference)
		require.NoError(t, err)
		require.Equal(t, "http://a"+want, got, reference)
	}
	for absolute, want := range map[string]string{"/./g": "/g", "/../g": "/g"} { // 5.4.2
		got, err := URL("http://a" + absolute)
		require.NoError(t, err)
		require.Equal(t, "http://a"+want, got)
	}
}

// TestNamesOfHosts goes through what RFC 5891 says of names that are looked up.
//
// Verifies: ORC-270
func TestNamesOfHosts(t *testing.T) {
	for in, want := range map[string]string{
		"EXAMPLE.com": "example.com", "a--b.de": "a--b.de",
		"bücher.de": "xn--bcher-kva.de", "BÜCHER.DE": "xn--bcher-kva.de", "bu\u0308cher.de": "xn--bcher-kva.de", // 5.2: in NFC, mapped to lower case
		"faß.de": "xn--fa-hia.de", "日本語。jp": "xn--wgv71a119e.jp", "Ｅｘａｍｐｌｅ.com": "example.com", "xn--fa-hia.de": "xn--fa-hia.de",
		"क्\u200dष.com": "xn--11b2ezcw70k.com", "אב.com": "xn--4dbc.com", // joiners where they join, and scripts from right to left
		"ü--b.de":     "",                      // 4.2.3.1: hyphens in the third and fourth place
		"-ü.de":       "",                      // or at an edge
		"\u0301a.de":  "",                      // 4.2.3.2: a combining mark in front
		"a\u200cb.de": "",                      // 4.2.3.3: a joiner that joins nothing
		"נ1a.com":     "",                      // 4.2.3.4: scripts of both directions in a label
		"xn--a":       "", "xn--bücher.de": "", // 5.3, 5.4: what only looks like an A-label
		"ü/b.de": "", "ü b.de": "", // what DNS has not
		"ü..de": "",
	} {
		got, err := hostname(in)
		if want == "" {
			require.Error(t, err, in)
			continue
		}
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
		again, err := hostname(got)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

// TestANormalFormIsItsOwn draws URLs of pieces that matter; normalising twice is normalising once.
func TestANormalFormIsItsOwn(t *testing.T) {
	drawn, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"/", "//", ".", "..", "a", "B", "%2e", "%2F", "?", "#", "&", "=", ":", "@", "%41", ";", " ", "%7e", "[", "ü", "%"}
		in := "hTTp://" + rapid.SampledFrom([]string{"a", "A.b", "a:80", "a:81", "[::1]", "u@a", "Ü.a"}).Draw(t, "host") + "/" + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "rest"), "")
		drawn++
		if once, err := URL(in); err == nil {
			taken++
			twice, err := URL(once)
			require.NoError(t, err, "%q becomes %q", in, once)
			require.Equal(t, once, twice, in)
		}
	})
	require.Greater(t, taken, drawn/2)
}

func FuzzNormal(f *testing.F) {
	f.Add("http://a/b/../c")
	f.Add("http://Bücher.de/%7e%2f?[#]")
	f.Add("a@B.org")
	f.Add(`"a\ b"@[IPv6:::1]`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, do := range []func(string) (string, error){Email, URL} {
			if once, err := do(text); err == nil {
				twice, err := do(once)
				require.NoError(t, err, once)
				require.Equal(t, once, twice)
			} else {
				codeOf(t, err)
			}
		}
	})
}
