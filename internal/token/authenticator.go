package token

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"orchestrator/internal/fault"
)

// CodeExpired is the code of a token that was valid, and is no longer.
const CodeExpired fault.Code = "token_expired"

// longestWait keeps a very low rate from overflowing a Duration.
const longestWait = 24 * time.Hour

// Limit is how many requests each token may make: PerSecond in the long run, Burst at once.
// PerSecond 0 is no limit.
type Limit struct {
	PerSecond float64
	Burst     int
}

// Check refuses a limit that lets nothing through, as fault.Invalid.
func (limit Limit) Check() error {
	if !(limit.PerSecond >= 0) || math.IsInf(limit.PerSecond, 1) || limit.PerSecond > 0 && limit.Burst < 1 {
		return fault.New(fault.Invalid, "token_limit", "a rate limit of %v a second, %d at once, lets nothing through",
			limit.PerSecond, limit.Burst).WithFix(
			"give a rate above 0 with a burst of at least 1, or a rate of 0 for no limit")
	}
	return nil
}

// Authenticator answers who presents a token. Its methods may be called at the same time; a request is
// answered from one whole set of tokens, old or new.
type Authenticator struct {
	file    *File   // nil where the tokens are shared
	shared  *Shared // nil where a file has them
	limit   Limit
	current atomic.Pointer[set]
	reload  sync.Mutex // orders Reloads, so that an older file never replaces a newer one
	account func([]Token) error
	trust   func() error // asked before what the file has comes into force
	minted  []Token      // that no file has; they end with the process

	version uint64                 // of the shared tokens in force
	ended   map[string]bool        // by SHA256, minted ones out of force that the shared tokens may still have
	kept    atomic.Pointer[[]byte] // what the shared tokens in force were read from; set after they are in force
}

// set is one reading of the token file; immutable but for the state inside the limiters.
type set struct {
	tokens   []Token
	sums     [][sha256.Size]byte      // of the tokens, in their order
	limiters map[string]*rate.Limiter // by token id; none without a limit
}

// NewAuthenticator reads the file, with the errors of File.List. A limit that could never be met is
// fault.Invalid.
func NewAuthenticator(file *File, limit Limit) (*Authenticator, error) {
	if err := limit.Check(); err != nil {
		return nil, err
	}
	a := &Authenticator{file: file, limit: limit, account: func([]Token) error { return nil },
		trust: func() error { return nil }}
	a.current.Store(&set{})
	tokens, err := file.List()
	if err != nil {
		return nil, err
	}
	a.replace(tokens)
	return a, nil
}

// Account sets what accounts for every set of tokens before it comes into force, the present one at once. A set for
// which account returns an error does not come into force; a present one must not be used then.
func (a *Authenticator) Account(account func([]Token) error) error {
	a.reload.Lock()
	defer a.reload.Unlock()
	a.account = account
	return account(a.current.Load().tokens)
}

// Trust sets what has to agree to a token file that was read, if it differs from the tokens in force, before a Reload
// brings it into force. It is asked after the file was read, so that it speaks of what was read.
func (a *Authenticator) Trust(trust func() error) {
	a.reload.Lock()
	defer a.reload.Unlock()
	a.trust = trust
}

// PutBack writes the tokens in force into the token file, in place of what it has.
func (a *Authenticator) PutBack() error {
	a.reload.Lock()
	defer a.reload.Unlock()
	return a.file.locked(func() error { return a.file.save(a.listed()) })
}

// Keep puts all tokens out of force that good does not accept, until the next Reload.
func (a *Authenticator) Keep(good func(Token) bool) {
	a.reload.Lock()
	defer a.reload.Unlock()
	a.replace(slices.DeleteFunc(slices.Clone(a.current.Load().tokens), func(t Token) bool { return !good(t) }))
}

// Reload reads the file again. On an error, a missing file included, the tokens stay as they were, so a
// slip of the editor locks nobody out; a token is revoked only when a good file without it is read.
// Tokens that stay keep the state of their rate limit.
func (a *Authenticator) Reload() error {
	a.reload.Lock()
	defer a.reload.Unlock()
	tokens, err := a.file.List()
	if err == nil && !reflect.DeepEqual(tokens, a.listed()) {
		err = a.trust()
	}
	if err == nil {
		err = a.enforce(tokens, a.minted)
	}
	if err != nil {
		return fmt.Errorf("tokens not reloaded, the previous ones stay in force: %w", err)
	}
	return nil
}

// enforce accounts for tokens, and brings them into force. Call it under the lock of reload.
func (a *Authenticator) enforce(listed, minted []Token) error {
	all := slices.Concat(listed, minted)
	if err := a.account(all); err != nil {
		return err
	}
	a.minted = minted
	a.replace(all)
	return nil
}

// Mint makes a token that works until expires at the latest, bound as it says, and returns its
// text. It is accounted for as every other, but no file has it: it ends with Unmint, or with the process. Where tokens
// are shared it works in every process, and ends with Unmint, Shared.EndMinted or its expiry. A name, role or expiry
// that cannot be used is fault.Invalid.
//
// Implements: ORC-288
func (a *Authenticator) Mint(ctx context.Context, name, role string, to Bound, expires, now time.Time) (secret string,
	made Token, err error) {
	if err := checkNew(name, role, expires, now); err != nil {
		return "", Token{}, err
	}
	if a.shared != nil {
		return a.shared.mint(ctx, name, role, to, expires, now)
	}
	a.reload.Lock()
	defer a.reload.Unlock()
	listed := a.listed()
	secret, made = create(name, role, expires, now, slices.Concat(listed, a.minted))
	made.Bound = to
	if err := a.enforce(listed, append(slices.Clone(a.minted), made)); err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

// Unmint revokes a token that Mint made. It is out of force whatever is returned: an error is that of the account
// alone.
func (a *Authenticator) Unmint(ctx context.Context, made Token) error {
	if a.shared != nil {
		err := a.shared.unmint(ctx, made)
		if err != nil {
			a.endHere(made)
		}
		return err
	}
	a.reload.Lock()
	defer a.reload.Unlock()
	listed := a.listed()
	a.minted = slices.DeleteFunc(slices.Clone(a.minted), func(t Token) bool { return t.SHA256 == made.SHA256 })
	a.replace(slices.Concat(listed, a.minted))
	return a.account(slices.Concat(listed, a.minted))
}

// listed returns the tokens in force that the file had. Call it under the lock of reload.
func (a *Authenticator) listed() []Token {
	all := a.current.Load().tokens
	return all[:len(all)-len(a.minted)]
}

func (a *Authenticator) replace(tokens []Token) {
	previous := a.current.Load().limiters
	next := &set{
		tokens:   tokens,
		sums:     make([][sha256.Size]byte, len(tokens)),
		limiters: make(map[string]*rate.Limiter, len(tokens)),
	}
	for i, t := range tokens {
		_, _ = hex.Decode(next.sums[i][:], []byte(t.SHA256)) // decode has checked it
		if a.limit.PerSecond == 0 {
			continue
		}
		limiter, kept := previous[t.ID]
		if !kept {
			limiter = rate.NewLimiter(rate.Limit(a.limit.PerSecond), a.limit.Burst)
		}
		next.limiters[t.ID] = limiter
	}
	a.current.Store(next)
}

// Authenticate returns the token whose text is presented, which must be all of it and nothing else.
// Every refusal is fault.Unauthenticated: token_unknown, also for a revoked token, or token_expired. How
// long it takes tells nothing about the tokens there are but their number.
func (a *Authenticator) Authenticate(presented string, now time.Time) (Token, error) {
	current, sum, found := a.current.Load(), sha256.Sum256([]byte(presented)), -1
	for i := range current.sums {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(current.sums[i][:], sum[:]), i, found)
	}
	if found < 0 {
		return Token{}, fault.New(fault.Unauthenticated, "token_unknown", "the token is unknown or has been revoked").
			WithFix("send a current token whole, as it was made; `orchestrator token add` makes a new one")
	}
	t := current.tokens[found]
	if t.Expired(now) {
		return Token{}, fault.New(fault.Unauthenticated, CodeExpired, "the token expired at %s",
			t.Expires.Format(time.RFC3339)).WithFix("have a new one made with `orchestrator token add`")
	}
	return t, nil
}

// Gone returns why a token that worked once does not work any more: it was revoked, changed its name or role, or has
// expired. It returns "" for one that works. mark is what Token.Mark returned.
func (a *Authenticator) Gone(mark, name, role string, now time.Time) string {
	for _, t := range a.current.Load().tokens {
		switch {
		case t.Mark() != mark || t.Name != name || t.Role != role:
			continue
		case t.Expired(now):
			return "its token expired on " + t.Expires.UTC().Format(time.RFC3339)
		}
		return ""
	}
	return "its token was revoked"
}

// Allow counts one request of an authenticated token against its rate limit, and returns how many are left. Where it is
// not ok, the request is not counted, and retryAfter is how long it takes until one is allowed, a day at most. A token
// that was revoked after it was authenticated is allowed: its request is already under way.
func (a *Authenticator) Allow(t Token, now time.Time) (left int, retryAfter time.Duration, ok bool) {
	limiter := a.current.Load().limiters[t.ID]
	if limiter == nil {
		return a.limit.Burst, 0, true
	}
	ok = limiter.AllowN(now, 1)
	tokens := limiter.TokensAt(now)
	if ok {
		return max(int(tokens), 0), 0, true
	}
	seconds := min((1-tokens)/a.limit.PerSecond, longestWait.Seconds())
	return 0, max(time.Duration(math.Ceil(seconds*float64(time.Second))), 1), false
}
