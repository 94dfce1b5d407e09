package hook

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func valid(change func(*Hook)) Hook {
	h := Hook{ID: "0123456789ab", Name: "ops", URL: "https://example.com/in?key=x", Created: noon}
	if change != nil {
		change(&h)
	}
	return h
}

// Verifies: ORC-320
func TestWhatAHookMayBe(t *testing.T) {
	many := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("REQ-", i))
		}
		return all
	}
	for name, c := range map[string]struct {
		change func(*Hook)
		wrong  string
	}{
		"as it is":                 {nil, ""},
		"all there is":             {func(h *Hook) { h.Kinds, h.Roles, h.Requirements = []string{"a.b"}, []string{"pm"}, many(50) }, ""},
		"an address":               {func(h *Hook) { h.Allow = []string{"10.0.0.1:443", "[fd12::1]:80"} }, ""},
		"a link":                   {func(h *Hook) { h.Link = "http://10.0.0.1:8080/orc" }, ""},
		"a link with a query":      {func(h *Hook) { h.Link = "https://example.com?x" }, "/link"},
		"no id":                    {func(h *Hook) { h.ID = "" }, "/id"},
		"no moment":                {func(h *Hook) { h.Created = time.Time{} }, "/created"},
		"a path for a name":        {func(h *Hook) { h.Name = "../x" }, "/name"},
		"a capital":                {func(h *Hook) { h.Name = "Ops" }, "/name"},
		"a long name":              {func(h *Hook) { h.Name = strings.Repeat("a", 41) }, "/name"},
		"another scheme":           {func(h *Hook) { h.URL = "ftp://example.com" }, "/url"},
		"no host":                  {func(h *Hook) { h.URL = "https:///x" }, "/url"},
		"no URL":                   {func(h *Hook) { h.URL = "https://%zz" }, "/url"},
		"a long URL":               {func(h *Hook) { h.URL += strings.Repeat("a", 2048) }, "/url"},
		"a password":               {func(h *Hook) { h.URL = "https://u:p@example.com" }, "/url"},
		"a fragment":               {func(h *Hook) { h.URL += "#x" }, "/url"},
		"an empty fragment":        {func(h *Hook) { h.URL += "#" }, "/url"},
		"port 0":                   {func(h *Hook) { h.URL = "https://example.com:0/" }, "/url"},
		"no kind":                  {func(h *Hook) { h.Kinds = []string{"changed"} }, "/kinds"},
		"a kind twice":             {func(h *Hook) { h.Kinds = []string{"a.b", "c.d", "a.b"} }, "/kinds"},
		"no role":                  {func(h *Hook) { h.Roles = []string{"PM"} }, "/roles"},
		"an empty requirement":     {func(h *Hook) { h.Requirements = []string{""} }, "/requirements"},
		"too many requirements":    {func(h *Hook) { h.Requirements = many(51) }, "/requirements"},
		"a name for an address":    {func(h *Hook) { h.Allow = []string{"example.com:80"} }, "/allow_addresses"},
		"an address without port":  {func(h *Hook) { h.Allow = []string{"10.0.0.1"} }, "/allow_addresses"},
		"an address with port 0":   {func(h *Hook) { h.Allow = []string{"10.0.0.1:0"} }, "/allow_addresses"},
		"an address with its zone": {func(h *Hook) { h.Allow = []string{"[fe80::1%lo]:80"} }, "/allow_addresses"},
	} {
		_, err := Roster(nil).Add(valid(c.change))
		if c.wrong == "" {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, CodeInvalid), name)
		require.Len(t, fault.As(err).Fields, 1, name)
		require.Equal(t, c.wrong, fault.As(err).Fields[0].Pointer, name)
	}
	require.Equal(t, "https://example.com", valid(nil).Host(), "the rest is often a secret")
}

// Verifies: ORC-320
func TestTheTwentyFirstIsRefused(t *testing.T) {
	var r Roster
	for i := range Most {
		var err error
		r, err = r.Add(valid(func(h *Hook) { h.Name = fmt.Sprint("hook-", i) }))
		require.NoError(t, err)
	}
	_, err := r.Add(valid(nil))
	require.True(t, fault.Is(err, CodeFull))
	_, err = r.Add(valid(func(h *Hook) { h.Name = "hook-3" }))
	require.True(t, fault.Is(err, CodeExists))
	_, err = r.Remove("ops")
	require.True(t, fault.Is(err, CodeUnknown))
	require.Contains(t, fault.As(err).Fix, "hook-0, hook-1")
	less, err := r.Remove("hook-0")
	require.NoError(t, err)
	require.Len(t, less, Most-1)
	require.Len(t, r, Most, "the one before is as it was")
	_, err = less.Add(valid(nil))
	require.NoError(t, err)
	_, err = Roster{}.Remove("ops")
	require.Contains(t, fault.As(err).Fix, "webhook add")
}

func TestARosterIsReadAsItWasWritten(t *testing.T) {
	all := Roster{valid(func(h *Hook) { h.Kinds, h.Allow = []string{"a.b"}, []string{"10.0.0.1:443"} })}
	for _, r := range []Roster{{}, all} {
		data, err := r.Encode()
		require.NoError(t, err)
		again, err := Decode("webhooks.json", data)
		require.NoError(t, err)
		require.Equal(t, r, again)
	}
	data, err := Roster(nil).Encode()
	require.NoError(t, err)
	require.JSONEq(t, `{"webhooks":[]}`, string(data))
}

func TestARosterThatCannotBeUsed(t *testing.T) {
	const one = `{"id":"0123456789ab","name":"ops","url":"https://example.com","created":"2026-01-01T00:00:00Z"}`
	for text, want := range map[string]string{
		``: "", `[]`: "", `{"webhooks":[],"x":1}`: "", `{"webhooks":[],"webhooks":[]}`: "",
		`{}`: "/webhooks", `{"webhooks":null}`: "/webhooks",
		`{"webhooks":[` + one + `,` + one + `]}`:                                "/webhooks/1/name",
		`{"webhooks":[` + strings.Replace(one, "https", "file", 1) + `]}`:       "/webhooks/0/url",
		`{"webhooks":[` + strings.Replace(one, "{", `{"secret":"s",`, 1) + `]}`: "",
	} {
		_, err := Decode("webhooks.json", []byte(text))
		require.True(t, fault.Is(err, CodeMalformed), text)
		require.Equal(t, want, fault.As(err).Fields[0].Pointer, text)
		require.NotContains(t, err.Error(), "example.com")
	}
	var many []string
	for i := range Most + 1 {
		many = append(many, strings.Replace(one, "ops", fmt.Sprint("h", i), 1))
	}
	_, err := Decode("webhooks.json", []byte(`{"webhooks":[`+strings.Join(many, ",")+`]}`))
	require.Equal(t, "/webhooks", fault.As(err).Fields[0].Pointer)
}

func FuzzDecode(f *testing.F) {
	data, err := Roster{valid(nil)}.Encode()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"webhooks":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode("webhooks.json", data)
		if err != nil {
			require.True(t, fault.Is(err, CodeMalformed), "%v", err)
			return
		}
		again, err := r.Encode()
		require.NoError(t, err)
		same, err := Decode("webhooks.json", again)
		require.NoError(t, err)
		require.Len(t, same, len(r))
	})
}

// The example of the reference implementations of Standard Webhooks.
//
// Verifies: ORC-322
func TestTheSignatureIsThatOfTheSpecification(t *testing.T) {
	s, err := ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	require.NoError(t, err)
	body, at := []byte(`{"test": 2432232314}`), time.Unix(1614265330, 999)
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	require.Equal(t, want, s.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, body))
	two, err := ParseSecrets(NewSecret([32]byte{7}) + "\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	signed := strings.Fields(two.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, body))
	require.Len(t, signed, 2)
	require.Equal(t, want, signed[1])
	require.NotEqual(t, want, signed[0])
}

func TestSecretsThatCannotBeUsed(t *testing.T) {
	key := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for _, text := range []string{"", "  \n", "whsec_", "whsec_!", strings.TrimPrefix(key(32), "whsec_"), key(23), key(65),
		key(32) + "x", strings.Repeat(key(32)+"\n", 4)} {
		_, err := ParseSecrets(text)
		require.True(t, fault.Is(err, CodeSecret), text)
		require.NotContains(t, err.Error()+fault.As(err).Fix, "AAAA", "no secret is repeated")
	}
	for _, text := range []string{key(24), key(64) + "\n", strings.Repeat(key(32)+"\n", 3)} {
		_, err := ParseSecrets(text)
		require.NoError(t, err)
	}
}

// Verifies: ORC-323
func TestBackoff(t *testing.T) {
	for tries, want := range map[int]time.Duration{0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second,
		5: 80 * time.Second, 10: 2560 * time.Second, 11: time.Hour, 12: time.Hour, 1_000_000: time.Hour} {
		require.Equal(t, want, Backoff(tries, 0.5, 0), "%d", tries)
		require.Equal(t, want*8/10, Backoff(tries, 0, 0))
		require.Less(t, Backoff(tries, 0.999, 0), want*12/10)
	}
	require.Equal(t, time.Minute, Backoff(1, 0.5, time.Minute), "the receiver asks for more")
	require.Equal(t, 5*time.Second, Backoff(1, 0.5, time.Second), "or for less")
	require.Equal(t, time.Hour, Backoff(1, 0.5, 18*time.Hour), "or for ever")
}

func TestAMessageBeginsWithWhatAPersonNeeds(t *testing.T) {
	id := "REQ-1"
	body, err := Message{Kind: "requirement.changed", Requirement: &id, WaitingFor: []string{"coder"}, Why: "supply it",
		Link: "http://x/requirements/REQ-1", At: noon}.Encode()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(body), `{"kind":"requirement.changed","requirement":"REQ-1",`+
		`"waiting_for":["coder"],"why":"supply it","link":"http://x/requirements/REQ-1",`), "%s", body)
	require.Equal(t, IDOf([]byte("a")), IDOf([]byte("a")))
	require.NotEqual(t, IDOf([]byte("a")), IDOf([]byte("b")))
	require.Regexp(t, `^msg_[0-9a-f]{32}$`, IDOf(nil))
}
