package secret

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/measure"
)

// Samples are put together here, so that no scanner takes this file for a leak. None of them was ever real.
const (
	chance32 = "Qm7xT2vK9pLs4WbZ1nRd8HyF3cGj6EaU"
	hex32    = "3f9a1c7e5b2d804697fe13ac28d05b6e"
	base32   = "J5XWQ2LTMFZDG7KPN4RXEYLBNZ"
)

var samples = []struct{ rule, text, hidden string }{ // hidden: "" stands for all of the text
	{"orchestrator_token", "orc_" + "coder_" + base32, ""},
	{"orchestrator_token", "orc_" + "viewer_" + base32, ""},
	{"aws_access_key", "AK" + "IAIOSFODNN7EXAMPLE", ""},
	{"aws_access_key", "AS" + "IAJ7Q2XWLT4MFZD5KP", ""},
	{"assigned_secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY"},
	{"github_token", "gh" + "p_" + chance32 + "4567", ""},
	{"github_token", "github" + "_pat_" + chance32[:22] + "_" + chance32 + chance32[:27], ""},
	{"gitlab_token", "gl" + "pat-" + chance32[:20], ""},
	{"slack_token", "xo" + "xb-123456789012-123456789012-" + chance32[:24], ""},
	{"slack_webhook", "https://hooks.slack.com/" + "services/T01ABCDEF/B01ABCDEF/" + chance32[:24], "T01ABCDEF"},
	{"stripe_key", "sk" + "_live_" + chance32[:24], ""},
	{"google_key", "AI" + "zaSy" + chance32 + "9", ""},
	{"google_key", "GOC" + "SPX-" + chance32[:28], ""},
	{"openai_key", "sk" + "-proj-" + chance32 + "_" + chance32, ""},
	{"openai_key", "sk" + "-" + chance32[:20] + "T3BlbkFJ" + chance32[:20], ""},
	{"anthropic_key", "sk" + "-ant-api03-" + chance32 + chance32, ""},
	{"huggingface_token", "hf" + "_" + chance32 + "ab", ""},
	{"npm_token", "np" + "m_" + chance32 + "0aB1", ""},
	{"pypi_token", "py" + "pi-AgEIcHlwaS5vcmc" + chance32 + chance32, ""},
	{"jwt", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + chance32, ""},
	{"twilio_key", "SK" + hex32, ""},
	{"digitalocean_token", "dop" + "_v1_" + hex32 + hex32, ""},
	{"sendgrid_key", "SG" + "." + chance32[:22] + "." + chance32 + "12345678901", ""},
	{"vault_token", "hvs" + "." + chance32, ""},
	{"telegram_token", "110201543:AA" + chance32 + "x", ""},
	{"bearer_token", "Authorization: bearer " + chance32, chance32},
	{"bearer_token", "curl -H 'Authorization: Bearer " + chance32 + "=='", chance32 + "=="},
	{"basic_credentials", "Authorization: Basic ZGVwbG95ZXI6VHIwdWI0ZG9yJjM=", "ZGVwbG95ZXI6VHIwdWI0ZG9yJjM="},
	{"url_password", "postgres://orders:" + chance32[:12] + "@db.internal:5432/orders", chance32[:12]},
	{"assigned_secret", "password=hunter2", "hunter2"},
	{"assigned_secret", "DB_PASSWORD: 'Tr0ub4dor&3'", "Tr0ub4dor&3"},
	{"assigned_secret", `{"client_secret": "` + chance32 + `"}`, chance32},
	{"assigned_secret", `{\"api_key\":\"` + hex32 + `\"}`, hex32},
	{"assigned_secret", "X-Api-Key: " + chance32, chance32},
	{"assigned_secret", "?access_token=" + chance32 + "&page=2", chance32},
	{"assigned_secret", "const apiKey := `" + chance32 + "`", chance32},
	{"private_key", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n" + chance32 + "\n-----END RSA PRIVATE KEY-----", ""},
	{"private_key", "-----BEGIN OPENSSH " + "PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAA\\n-----END OPENSSH PRIVATE KEY-----", ""},
	{"private_key", "-----BEGIN " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n" + chance32, ""},
	{"assigned_secret", `"api_key": "ProductionHunter2Secret"`, "ProductionHunter2Secret"},
	{"private_key", "-----BEGIN " + "PRIVATE KEY-----\nMIIEpAIB", ""},
	{"private_key", "-----BEGIN EC " + "PRIVATE KEY----- " + chance32, ""},
}

func TestSecretsAreFound(t *testing.T) {
	for _, s := range samples {
		hidden := s.hidden
		if hidden == "" {
			hidden = s.text
		}
		for _, text := range []string{s.text, "we use (" + s.text + ") for now", "é" + s.text + "\nand more"} {
			found := Find(text)
			require.Len(t, found, 1, text)
			require.Equal(t, s.rule, string(found[0].Rule), text)
			require.NotEmpty(t, found[0].What)
			require.Contains(t, text[found[0].Start:found[0].End], strings.TrimRight(hidden, "="), text)
			require.NotContains(t, Mask(text), hidden)
			require.Contains(t, Mask(text), "[masked "+s.rule+"]")
		}
	}
}

func TestEveryRuleFindsWhatBeginsAsItSays(t *testing.T) {
	fill := map[set]string{upper: base32 + base32 + base32, alnum: chance32, name: chance32, urlish: chance32, dotted: chance32, base64: chance32, header: chance32}
	for _, r := range rules {
		body := strings.Repeat(fill[r.of], 70)[:max(r.least, min(r.most, 40))]
		switch r.name {
		case "jwt", "orchestrator_token":
			continue // these have samples
		case "twilio_key":
			body = hex32[1:]
		}
		for prefix := range strings.SplitSeq(r.prefixes, "|") {
			found := Find("key " + prefix + body + ".")
			require.Len(t, found, 1, "%s %s", string(r.name), prefix)
			require.Equal(t, 4, found[0].Start)
			require.Empty(t, Find("key x"+prefix+body), "in a word: %s", prefix)
		}
	}
}

func TestWhatIsNoSecret(t *testing.T) {
	for _, text := range []string{
		"", "=", ":", "a=", "password=", "password:", "token: ", "://", "Bearer ", "eyJ", "-----BEGIN ", "sk-",
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",                     // SHA-256
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",              // as evidence has it
		"the token's sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", //
		"token: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",       //
		"4f2a9c1", "commit 4f2a9c1d20e86c3f5b7a90c1e4d2f3a4b5c6d7e8", // commit ids
		"550e8400-e29b-41d4-a716-446655440000", "token=550e8400-e29b-41d4-a716-446655440000", // UUIDs
		"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "root CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", // Merkle roots
		"h1:Xajj7h2fB2MPA3j2jxq2ICsUYapGGPo4dkMgIAUqom8=", "sha512-" + strings.Repeat("aB3/", 21) + "==", // sums of modules
		"internal/requirements/import.go:3-90", ".orchestrator/tokens/pm.token", "token: .orchestrator/tokens/pm.token", // paths
		"https://example.com/a?b=c#d", "http://127.0.0.1:8080/requirements/REQ-001", "mailto:a@example.com", "see https://example.com/@user",
		"postgres://user:password@localhost/db", "postgres://user:${DB_PASSWORD}@db/orders", "http://user@host/", "https://git@github.com:22/a/b",
		"passwords are hashed with argon2id", "Password: at least 12 characters", "password: required", "the password is kept in the vault",
		"token=$TOKEN", "token: ${{ secrets.GITHUB_TOKEN }}", "password=<password>", "password: ********", "api_key: {{api_key}}",
		"token := os.Getenv(\"TOKEN1234567890\")", "secret = generateSecret32Bytes()", "PrivateKey: testRSA2048PrivateKey", "Token: request.Header.AccessToken2",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer your-token-goes-here", "bearer tokens-are-hashed-with-sha256",
		"Basic authentication", "Basic understanding of things", "the Basic dGhpcyBpcyBubyBwYWly",
		"gh" + "p_" + strings.Repeat("x", 36), "AK" + "IA" + strings.Repeat("X", 16), "orc_pm_" + strings.Repeat("A", 26), "orc_<role>_<random>", "orc_pm_…",
		"AK" + "IAabcdefghijklmnop", "AK" + "IAIOSFODNN7EXAMPLEandmore", "sk-learn-and-other-words-that-go-on", "sk-ecdsa-sha2-nistp256-cert-v01",
		"npm_config_registry_of_this_machine_and_more", "test_TestLogin_REQ001_REQ002_REQ003", "ORC-108", "ETag: \"3\"", "next_page_token=" + chance32,
		"a file with -----BEGIN PRIVATE KEY----- in it is refused", "'-----BEGIN RSA PRIVATE KEY-----' and '-----END RSA PRIVATE KEY-----'",
		"-----BEGIN CERTIFICATE-----\n" + chance32 + "\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\n" + chance32 + "\n-----END PUBLIC KEY-----",
		"Idempotency-Key: 7f1c3a9e-5b2d-4046-97fe-13ac28d05b6e", "\xff\xfe=\xff:", "eyJhbGciOiJIUzI1NiJ9.not.a.token.of.that.kind",
		"ey" + "J.eyJhbGciOiJIUzI1NiJ9abcdefgh.xyz", "amqp://guest1:guest1@host", "http://a:xxxxx@host", "12:AA" + chance32 + "x", "orc_" + base32,
		"orc_test_helper_function_of_this_name", "secret = sha3x512y7z9q1w2(key)", `output_token: "StreamingDistributionList.NextMarker"`,
	} {
		require.Empty(t, Find(text), text)
		require.Equal(t, text, Mask(text))
	}
}

func TestSeveralInOneTextAreToldApart(t *testing.T) {
	key, own := "AK"+"IAIOSFODNN7EXAMPLE", "orc_"+"pm_"+base32
	text := "key " + key + ", token=" + own + "; and " + key
	var rules []string
	for _, f := range Find(text) {
		rules = append(rules, string(f.Rule))
	}
	require.Equal(t, []string{"aws_access_key", "orchestrator_token", "aws_access_key"}, rules)
	require.Equal(t, "key [masked aws_access_key], token=[masked orchestrator_token]; and [masked aws_access_key]", Mask(text))
	require.Equal(t, "authorization: BEARER [masked bearer_token]", Mask("authorization: BEARER "+chance32), "the scheme is no secret")
	require.Len(t, Find("AK"+"IAQ7WXLTMFZ1234567:AA"+chance32+"x"), 1, "no finding begins in another")
}

func TestErrorsAreMasked(t *testing.T) {
	key := "AK" + "IAIOSFODNN7EXAMPLE"
	cause := errors.New("cause")
	err := fault.New(fault.Invalid, "c", "no %s", key).WithFix("use %s", key).WithFields(fault.Field{Pointer: "/" + key, Detail: key, Fix: key}).Because(cause)
	masked := Masked(err)
	require.NotContains(t, fmt.Sprintf("%v %+v", masked, *masked), key)
	require.Contains(t, err.Detail, key, "the error itself is left as it was")
	require.Contains(t, err.Fields[0].Pointer, key)
	require.ErrorIs(t, masked, cause)
	require.ErrorIs(t, masked, fault.Invalid)
	plain := fault.New(fault.Invalid, "c", "d").WithFields(fault.Field{Pointer: "/a", Detail: "b"})
	require.Same(t, plain, Masked(plain))
	require.Nil(t, Masked(nil))
	for _, one := range []*fault.Error{
		fault.New(fault.Invalid, "c", "d").WithFix("%s", key), fault.New(fault.Invalid, "c", "d").WithFields(fault.Field{Fix: key}),
	} {
		require.NotContains(t, Masked(one).Error()+fmt.Sprint(Masked(one).Fields), key)
	}
}

// hostile are the units of texts in which much could begin a secret.
var hostile = []string{
	"a", "password=", "token: ", "eyJ-", "eyJ.", "eyJabcdefgh.", "-----BEGIN PRIVATE KEY-----\n", "a://x:", "=", ":", "-", "-----", "AKIA ", "glpat-", "ghs_a.", "Bearer x",
	"sk-a1 ", "1234567:AA", "=\"token", "password='", "secret: \"a", "orc_pm_", strings.Repeat("sk-", 80) + " ", strings.Repeat("glpat-", 40) + " ", "password=aB3dE6f9=",
	"AK" + "IA1234567890ABCDEF ", "token=\"", "\"token\":", "token ", "__________=", "          =",
	"PRIVATE+KEY+", "PRIVATE+KEY+a+", "MIIEpAIBAAKCAQEA ", "MIIEpAIBAAKCAQEA.", "curl -u a:Value ", "-u a:", "sshpass -p ", "aws_secret_access_key ", "\u200b", "A\u200bK\u2060IA",
}

func TestTimeIsBoundedWhateverIsInATextOf1MiB(t *testing.T) {
	megabyte := func(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }
	plain := megabyte(ordinary)
	control := measure.CPU(3, func() { Mask(plain) })
	for _, unit := range hostile {
		text := megabyte(unit)
		require.Less(t, measure.CPU(1, func() { Mask(text) }), 200*control, "%.20q", unit)
	}
}

// ordinary is the body of a change as agents send it.
var ordinary = `{"status":"implemented","justification":{"reason":"` + strings.Repeat("the parser reads every document: it is given one, and says so. ", 8) +
	`","evidence":[{"kind":"file","path":"internal/requirements/import.go","lines":"3-90"}]}}`

func BenchmarkFind(b *testing.B) {
	b.Run(fmt.Sprintf("ordinary/%d", len(ordinary)), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Find(ordinary)
		}
	})
	for _, unit := range append(slices.Clone(hostile), ordinary) {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(fmt.Sprintf("1MiB/%.20q", unit), func(b *testing.B) {
			for b.Loop() {
				Find(text)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range samples {
		f.Add(s.text)
	}
	for _, unit := range hostile {
		f.Add(unit + unit)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, all := 0, Find(text)
		for _, found := range all {
			require.GreaterOrEqual(t, found.Start, at)
			require.Greater(t, found.End, found.Start)
			require.LessOrEqual(t, found.End, len(text))
			require.NotEmpty(t, string(found.Rule))
			at = found.End
		}
		masked := Mask(text)
		require.Equal(t, masked == text, at == 0)
		require.Equal(t, len(all), strings.Count(masked, "[masked ")-strings.Count(text, "[masked "))
	})
}
