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

func TestEmail(t *testing.T) {
	rows := []row{
		{in: "Bob.Smith@Example.COM", want: "Bob.Smith@example.com"}, {in: " a@b ", want: "a@b"}, {in: "a+tag@x-y.example", want: "a+tag@x-y.example"}, {in: "!#$%&'*+-/=?^_`{|}~@x.org", want: "!#$%&'*+-/=?^_`{|}~@x.org"},
		{in: strings.Repeat("a", 64) + "@x.org", want: strings.Repeat("a", 64) + "@x.org"},
	}
	for _, in := range []string{
		"", "a", "@", "a@", "@b", "a@b@c", "a b@c.org", "a@b c", ".a@b", "a.@b", "a..b@c", "Bob <bob@x.org>", "<bob@x.org>", "bob@x.org (Bob)", `"bob"@x.org`, `"a b"@x.org`, "a@[127.0.0.1]", "a@-x.org", "a@x-.org",
		"a@x..org", "a@x.org.", "a@x_y.org", "a@.org", "ü@x.org", "a@bücher.de", "a@x.org\nBcc: b@y.org", "a@x.org,b@y.org", strings.Repeat("a", 65) + "@x.org", "a@" + strings.Repeat("b", 64), "a@" + strings.Repeat("b.", 130) + "c", "a@x\x00.org",
	} {
		rows = append(rows, row{in: in, code: "email_invalid"})
	}
	check(t, rows, Email)
}

func TestURL(t *testing.T) {
	rows := []row{
		{in: "HTTP://Example.COM", want: "http://example.com/"}, {in: "https://example.com:443/", want: "https://example.com/"}, {in: "http://example.com:0080/a", want: "http://example.com/a"}, {in: "http://example.com:443/", want: "http://example.com:443/"},
		{in: "https://example.com:/", want: "https://example.com/"}, {in: "wss://x:443", want: "wss://x/"}, {in: "http://a/b/../c/./d", want: "http://a/c/d"}, {in: "http://a/../../b/..", want: "http://a/"}, {in: "http://a/b/.", want: "http://a/b/"},
		{in: "http://a/b//c", want: "http://a/b//c"}, {in: "http://a?b=2&a=1", want: "http://a/?b=2&a=1"}, {in: "http://a/?", want: "http://a/?"}, {in: "http://a/#F", want: "http://a/#F"}, {in: "http://a#f", want: "http://a/#f"},
		{in: "http://a/%7Eb%2Fc", want: "http://a/%7Eb%2Fc"}, {in: "http://U:P@a/", want: "http://U:P@a/"}, {in: "http://[2001:DB8:0:0::1]:80/", want: "http://[2001:db8::1]/"}, {in: "http://127.0.0.1:8080", want: "http://127.0.0.1:8080/"},
		{in: "http://example.com./", want: "http://example.com./"}, {in: " https://a/x y ", want: "https://a/x%20y"}, {in: "http://a/? #", want: "http://a/?"}, {in: "http://a_b/", want: "http://a_b/"}, {in: "ssh://Host:22/p", want: "ssh://host:22/p"}, {in: "http://a/B/C", want: "http://a/B/C"},
	}
	for _, in := range []string{
		"", "example.com", "/path", "//example.com/", "mailto:a@b.c", "http:", "http://", "http:///x", "http://:80/", "http://a:65536/", "http://a:0/", "http://a:x/", "http://a b/", "http://bücher.de/", "http://a..b/", "http://-a/",
		"http://[::1/", "http://[fe80::1%25eth0]/", "http://[zz]/", "http://a\n/", "http://a/%zz", "1http://a/", "http://a'b/", "http://" + strings.Repeat("a", 8000), "javascript:alert(1)", "file:///etc/passwd", "http://a%41b/",
	} {
		rows = append(rows, row{in: in, code: "url_invalid"})
	}
	check(t, rows, URL)
}

func TestPhone(t *testing.T) {
	for _, c := range []struct{ in, country, want, code string }{
		{"+49 30 123456", "", "+4930123456", ""}, {"+49 (0)30/123-456", "", "+4930123456", ""}, {"+49 30 12(0)345", "", "+4930120345", ""}, {"+1 (555) 010-9999", "49", "+15550109999", ""}, {"030 123456", "49", "+4930123456", ""}, {"030 123456", "+49", "+4930123456", ""},
		{"30 123456", "49", "+4930123456", ""}, {"06 1234 5678", "39", "+390612345678", ""}, {"555-010-9999", "1", "+15550109999", ""}, {"1-555-010-9999", "1", "+15550109999", ""}, {"8 (912) 345-67-89", "7", "+79123456789", ""},
		{"800 123 45 67", "7", "+78001234567", ""}, {"06 1 234 5678", "36", "+3612345678", ""}, {"020.7946.0000", "44", "+442079460000", ""}, {"+123456789012345", "", "+123456789012345", ""}, {"+12345678", "", "+12345678", ""},
		{"912 345 678", "351", "+351912345678", ""}, {"+49\u00a030\u2011123456", "", "+4930123456", ""},
		{"030 123456", "", "", "phone_country_missing"}, {"12345678", "", "", "phone_country_missing"}, {"", "", "", "phone_country_missing"}, {"0049 30 123456", "49", "", "phone_invalid"}, {"011 49 30 123456", "999", "", "phone_invalid"},
		{"030 123456", "0", "", "phone_country_invalid"}, {"030 123456", "1234", "", "phone_country_invalid"}, {"030 123456", "de", "", "phone_country_invalid"}, {"030 123456", "+", "", "phone_country_invalid"},
		{"+1234567", "", "", "phone_invalid"}, {"+1234567890123456", "", "", "phone_invalid"}, {"+0123456789", "", "", "phone_invalid"}, {"+1 800 FLOWERS", "", "", "phone_invalid"}, {"+49 30 1234 x5", "", "", "phone_invalid"}, {"++4930123456", "", "", "phone_invalid"},
		{"+", "", "", "phone_invalid"}, {"+４９30123456", "", "", "phone_invalid"}, {strings.Repeat("1", 1000), "49", "", "phone_invalid"}, {"0", "351", "", "phone_invalid"},
	} {
		got, err := Phone(c.in, c.country)
		if c.code != "" {
			require.Equal(t, c.code, codeOf(t, err), c.in)
			continue
		}
		require.NoError(t, err, c.in)
		require.Equal(t, c.want, got, c.in)
		again, err := Phone(got, "")
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

// TestANormalFormIsItsOwn draws URLs of pieces that matter; normalising twice is normalising once.
func TestANormalFormIsItsOwn(t *testing.T) {
	drawn, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"/", "//", ".", "..", "a", "B", "%2e", "%2F", "?", "#", "&", "=", ":", "@", "%41", ";", " "}
		in := "hTTp://" + rapid.SampledFrom([]string{"a", "A.b", "a:80", "a:81", "[::1]", "u@a"}).Draw(t, "host") + "/" + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "rest"), "")
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
	f.Add("http://a/b/../c", "49")
	f.Add("a@B.org", "1")
	f.Add("030 123456", "49")
	f.Fuzz(func(t *testing.T, text, country string) {
		for _, do := range []func(string) (string, error){Email, URL, func(s string) (string, error) { return Phone(s, country) }} {
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
