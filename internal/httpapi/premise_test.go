package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/token"
)

// askedLog is a log that says when it is asked whether other replicas have written, and can be kept from telling.
type askedLog struct {
	replica.Log
	times atomic.Int64
	lost  atomic.Bool
}

func (a *askedLog) CatchUp(ctx context.Context) error {
	a.times.Add(1)
	if a.lost.Load() {
		return errors.New("the store does not answer")
	}
	return a.Log.CatchUp(ctx)
}

// changing is an authenticator whose tokens another replica has changed, which is known once the log was asked.
type changing struct {
	httpapi.Authenticator
	log     *askedLog
	from    int64  // how often the log was asked before the change
	revoked bool   // after the change; before it if the token is new
	kept    []byte // that are in force here
}

func (c *changing) Kept() []byte { return c.kept }

func (c *changing) Authenticate(presented string, now time.Time) (token.Token, error) {
	if known := c.log.times.Load() > c.from; known == c.revoked {
		return token.Token{}, fault.New(fault.Unauthenticated, "token_unknown", "the token is unknown or has been revoked")
	}
	return c.Authenticator.Authenticate(presented, now)
}

// assuming starts a pair whose second replica says when its log is asked. choose is for that one.
func assuming(t *testing.T, choose ...func(*options)) (duty, other *harness, log *askedLog) {
	t.Helper()
	log = &askedLog{}
	duty, other, _ = pair(t, func(o *options) {
		if o.Replica.Name != "other" {
			return
		}
		o.Replica.Log = log
		for _, f := range choose {
			f(o)
		}
	})
	log.Log = other.Ledger
	return duty, other, log
}

const oneNote = `{"pm_notes":[{"text":"a note"}]}`

// A change goes to the transaction that decides it, and asks nothing before. Everything else asks.
//
// Verifies: ORC-388
func TestAChangeAsksNothingBeforeItsTransaction(t *testing.T) {
	_, other, log := assuming(t)
	asks := func() bool {
		log.lost.Store(false)
		other.expect(200, "", "pm", "GET", one, "")
		log.lost.Store(true)
		before := log.times.Load()
		return other.do("pm", "PATCH", one, oneNote).Status != 200 || log.times.Load() > before
	}
	for tries := 0; asks(); tries++ { // on a busy machine the state may be old again when the change comes
		require.Less(t, tries, 100)
	}
	other.expect(503, "store_unreachable", "pm", "GET", one, "")
	secret, _, err := other.auth.Mint(t.Context(), "agent", "coder", token.Bound{Only: "REQ-002"}, time.Now().Add(time.Hour), time.Now())
	require.NoError(t, err)
	other.secrets["agent"] = secret
	for what, change := range map[string]struct {
		status          int
		who, path, body string
		headers         []string
	}{
		"a dry run":               {200, "pm", one + "?dry_run=true", oneNote, nil},
		"what cannot be read":     {400, "pm", one, "{", nil},
		"an unknown parameter":    {400, "pm", one + "?such=1", oneNote, nil},
		"what is no id":           {400, "pm", "/requirements/no%20%20id", oneNote, nil},
		"a size":                  {200, "pm", one, oneNote, []string{"If-Log-At-Least", "1"}},
		"a token that is unknown": {401, "", one, oneNote, []string{"Authorization", "Bearer orc_pm_guess"}},
		"what is not its own":     {403, "agent", one, oneNote, nil},
		"a claim":                 {422, "pm", one + "/claim", "{}", nil},
	} {
		method := http.MethodPatch
		if strings.HasSuffix(change.path, "/claim") {
			method = http.MethodPost
		}
		log.lost.Store(false)
		before := log.times.Load()
		got := other.do(change.who, method, change.path, change.body, change.headers...)
		require.Equal(t, change.status, got.Status, "%s: %s", what, got.Body)
		require.Greater(t, log.times.Load(), before, what)
		size := other.Ledger.Head().Size
		log.lost.Store(true)
		got = other.do(change.who, method, change.path, change.body, change.headers...)
		require.Equal(t, 503, got.Status, "%s: %s", what, got.Body)
		require.Equal(t, size, other.Ledger.Head().Size, "%s: nothing is on record", what)
	}
}

// A replica that does not know how old its state is asks first.
func TestAChangeInAnOldStateAsks(t *testing.T) {
	_, other, log := assuming(t, func(o *options) { o.Replica.Log = &oldLog{o.Replica.Log.(*askedLog)} })
	before := log.times.Load()
	other.patch("pm", oneNote)
	require.Greater(t, log.times.Load(), before)
}

// oldLog is a log of which nobody knows how old it is.
type oldLog struct{ *askedLog }

func (o *oldLog) Confirmed() time.Time { return time.Time{} }

// A change by a token that another replica has revoked, which is not known here yet, is refused, and not on record.
//
// Verifies: ORC-388
func TestAChangeByATokenThatWasRevokedElsewhere(t *testing.T) {
	tokens := &changing{revoked: true, kept: []byte("older ones")}
	_, other, log := assuming(t, tokens.takeOver)
	tokens.log, tokens.from = log, log.times.Load()
	before := other.Ledger.Head().Size
	for _, body := range []string{oneNote, "{"} {
		tokens.from = log.times.Load()
		got := other.expect(401, "token_unknown", "pm", "PATCH", one, body)
		require.NotEmpty(t, got.Header["Www-Authenticate"])
	}
	require.Equal(t, before, other.Ledger.Head().Size)
}

// Where other tokens have changed, the change is decided once, after the log was asked.
func TestAChangeWhileOtherTokensChange(t *testing.T) {
	tokens := &changing{revoked: true, kept: []byte("older ones")}
	_, other, log := assuming(t, tokens.takeOver)
	tokens.log, tokens.from = log, 1<<62
	size, asked := other.Ledger.Head().Size, log.times.Load()
	got := other.patch("pm", oneNote)
	require.Len(t, got.json(t)["pm_notes"], 1)
	require.Equal(t, size+1, other.Ledger.Head().Size)
	require.Equal(t, asked+1, log.times.Load())
}

// A token that another replica has made works at once.
func TestAChangeByATokenThatWasMadeElsewhere(t *testing.T) {
	tokens := &changing{}
	_, other, log := assuming(t, tokens.takeOver)
	tokens.log, tokens.from = log, log.times.Load()
	got := other.patch("pm", oneNote)
	require.Empty(t, got.Header["Www-Authenticate"])
}

func (c *changing) takeOver(o *options) {
	o.Tokens = func(own httpapi.Authenticator) httpapi.Authenticator {
		c.Authenticator = own
		return c
	}
}

// A dry run is decided by what the other replica has acknowledged, though no bell tells of it.
func TestADryRunSeesTheNewestState(t *testing.T) {
	duty, other, _ := assuming(t, func(o *options) { o.Store.(*storetest.Handle).Deafen() })
	for i := range 20 {
		duty.patch("pm", oneNote)
		got := other.expect(200, "", "pm", "PATCH", one+"?dry_run=true", oneNote)
		require.Len(t, got.json(t)["pm_notes"], i+2)
	}
}

// The limit is that of a token that still works.
func TestALimitIsOfATokenThatStillWorks(t *testing.T) {
	tokens := &changing{revoked: true, kept: []byte("older ones")}
	_, other, log := assuming(t, tokens.takeOver, func(o *options) { o.Limit.PerSecond, o.Limit.Burst = 0.001, 3 })
	tokens.log, tokens.from = log, 1<<62
	for range 6 {
		other.do("pm", "PATCH", one, oneNote)
	}
	other.expect(429, "rate_limited", "pm", "PATCH", one, oneNote)
	tokens.from = log.times.Load()
	other.expect(401, "token_unknown", "pm", "PATCH", one, oneNote)
	log.lost.Store(true)
	other.expect(503, "store_unreachable", "pm", "PATCH", one, oneNote)
}

// A refusal that is not given leaves nothing behind.
func TestARefusalThatIsNotGivenLeavesNoHeader(t *testing.T) {
	tokens := &changing{revoked: true, kept: []byte("older ones")}
	_, other, log := assuming(t, tokens.takeOver)
	tokens.log = log
	for _, header := range [][]string{{"Content-Encoding", "gzip"}, {"Content-Type", "text/plain"}} {
		tokens.from = log.times.Load()
		other.expect(401, "token_unknown", "pm", "PATCH", one, oneNote, header...)
	}
}
