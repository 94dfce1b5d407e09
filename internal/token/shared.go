package token

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
)

// Keeper keeps the tokens that several processes have in common, as Shared encodes them.
type Keeper interface {
	// Kept returns what is kept, or nil before anything was.
	Kept(ctx context.Context) ([]byte, error)
	// Change replaces what is kept by what change makes of it, in one transaction with what accounts for the tokens
	// that are in force then. change may run more than once. Where it returns no bytes, nothing is changed.
	Change(ctx context.Context, change func(kept []byte) (changed []byte, inForce []Token, err error)) error
}

// Shared is the tokens that several processes have in common. Each change of them is one transaction, so none is lost.
// A change that returns an error has not been made, unless the error says that this is unknown.
//
// Implements: ORC-370
type Shared struct{ keeper Keeper }

// NewShared returns the tokens that a keeper has.
func NewShared(keeper Keeper) *Shared { return &Shared{keeper} }

// sharedSet is what is kept.
type sharedSet struct {
	Version uint64        `json:"version"` // greater after each change
	Tokens  []sharedToken `json:"tokens"`
}

type sharedToken struct {
	Token

	Minted *Bound `json:"minted,omitzero"` // what it is for; nil for one that is not minted
}

func encodeShared(s sharedSet) ([]byte, error) {
	raw, err := json.Marshal(s, json.Deterministic(true))
	if err == nil && len(raw) > MaxFile {
		err = fault.New(fault.TooLarge, "tokens_too_many", "the tokens take more than %d MiB", MaxFile>>20).
			WithFix("revoke those that nobody uses, or that have expired: orchestrator token list shows them")
	}
	return raw, err
}

// decodeShared reads what is kept as strictly as a token file.
func decodeShared(raw []byte) (s sharedSet, err error) {
	if raw == nil {
		return s, fault.New(fault.NotFound, "tokens_missing", "the store has no tokens yet").
			WithFix("start the server once, which makes the first ones")
	}
	var problems []fault.Field
	if err := json.Unmarshal(raw, &s, json.RejectUnknownMembers(true)); err != nil {
		problems = append(problems, syntaxProblem(err))
	} else {
		problems = entryProblems(s.all())
	}
	if problems != nil {
		return s, fault.New(fault.Malformed, "tokens_malformed", "the tokens in the store cannot be used").
			WithFields(problems...).WithFix("restore them from a backup of the database; nothing but orchestrator " +
			"writes them")
	}
	for i, t := range s.Tokens {
		if t.Minted != nil {
			s.Tokens[i].Bound = *t.Minted
		}
	}
	return s, nil
}

// all returns the tokens, minted ones too.
func (s sharedSet) all() []Token {
	all := make([]Token, len(s.Tokens))
	for i, t := range s.Tokens {
		all[i] = t.Token
	}
	return all
}

// change replaces the tokens. fn may change and keep what it is given.
func (s *Shared) change(ctx context.Context, fn func(all []sharedToken) ([]sharedToken, error)) error {
	return s.keeper.Change(ctx, func(kept []byte) ([]byte, []Token, error) {
		before, err := decodeShared(kept)
		if err != nil {
			return nil, nil, err
		}
		after := sharedSet{Version: before.Version + 1}
		if after.Tokens, err = fn(before.Tokens); err != nil {
			return nil, nil, err
		}
		raw, err := encodeShared(after)
		return raw, after.all(), err
	})
}

// List returns the tokens, minted ones too, in the order in which they were made.
func (s *Shared) List(ctx context.Context) ([]Token, error) {
	kept, err := s.keeper.Kept(ctx)
	if err != nil {
		return nil, err
	}
	set, err := decodeShared(kept)
	return set.all(), err
}

// Add makes a token, as File.Add does.
func (s *Shared) Add(ctx context.Context, name, role string, expires, now time.Time) (secret string,
	made Token, err error) {
	if err := checkNew(name, role, expires, now); err != nil {
		return "", Token{}, err
	}
	err = s.change(ctx, func(all []sharedToken) ([]sharedToken, error) {
		tokens := sharedSet{Tokens: all}.all()
		if err := checkDistinct(name, tokens); err != nil {
			return nil, err
		}
		secret, made = create(name, role, expires, now, tokens)
		return append(all, sharedToken{Token: made}), nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

// Revoke removes the token with this id and returns it, as File.Revoke does.
func (s *Shared) Revoke(ctx context.Context, id string) (Token, error) {
	revoked, err := s.revoke(ctx, byID, id)
	if err != nil {
		return Token{}, err
	}
	return revoked[0], nil
}

// RevokeName removes every token of a name and returns them, as File.RevokeName does.
func (s *Shared) RevokeName(ctx context.Context, name string) ([]Token, error) {
	return s.revoke(ctx, byName, name)
}

func (s *Shared) revoke(ctx context.Context, what naming, wanted string) (revoked []Token, err error) {
	err = s.change(ctx, func(all []sharedToken) ([]sharedToken, error) {
		_, named, err := what.without(sharedSet{Tokens: all}.all(), wanted)
		if err != nil {
			return nil, err
		}
		revoked = named
		return slices.DeleteFunc(all, func(t sharedToken) bool { return what.part(t.Token) == wanted }), nil
	})
	if err != nil {
		return nil, err
	}
	return revoked, nil
}

// EndMinted revokes all tokens that were minted. Who has the right to mint alone does so at first: those of its
// predecessor end with it.
//
// Implements: ORC-372
func (s *Shared) EndMinted(ctx context.Context) error {
	return s.keep(ctx, func(t sharedToken) bool { return t.Minted == nil })
}

func (s *Shared) mint(ctx context.Context, name, role string, to Bound, expires, now time.Time) (secret string,
	made Token, err error) {
	err = s.change(ctx, func(all []sharedToken) ([]sharedToken, error) {
		all = slices.DeleteFunc(all, func(t sharedToken) bool { return t.Minted != nil && t.Expired(now) })
		secret, made = create(name, role, expires, now, sharedSet{Tokens: all}.all())
		made.Bound = to
		return append(all, sharedToken{made, &to}), nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

func (s *Shared) unmint(ctx context.Context, made Token) error {
	return s.keep(ctx, func(t sharedToken) bool { return t.Minted == nil || t.SHA256 != made.SHA256 })
}

// keep revokes all tokens but the good ones. Where all are good, nothing is changed.
func (s *Shared) keep(ctx context.Context, good func(sharedToken) bool) error {
	return s.keeper.Change(ctx, func(kept []byte) ([]byte, []Token, error) {
		set, err := decodeShared(kept)
		if err != nil {
			return nil, nil, err
		}
		before := len(set.Tokens)
		set.Tokens = slices.DeleteFunc(set.Tokens, func(t sharedToken) bool { return !good(t) })
		if len(set.Tokens) == before {
			return nil, nil, nil
		}
		set.Version++
		raw, err := encodeShared(set)
		return raw, set.all(), err
	})
}

// Begin gives a store that has no tokens yet its first ones: those of the token file, which taken says then, or one for
// each of roles, as Bootstrap makes them. Of several processes that begin at once, one gives its own. created says
// where the secrets are; it is nil for all others.
//
// Implements: ORC-371
func (s *Shared) Begin(ctx context.Context, f *File, roles []string, now time.Time) (created map[string]string,
	taken bool, err error) {
	for _, role := range roles {
		if err := checkNew(role, role, time.Time{}, now); err != nil {
			return nil, false, err
		}
	}
	if kept, err := s.keeper.Kept(ctx); err != nil || kept != nil {
		return nil, false, err
	}
	if err := os.MkdirAll(string(f.dir), folderMode); err != nil {
		return nil, false, err
	}
	err = f.locked(func() error {
		tokens, err := f.List()
		if !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				taken, err = s.first(ctx, tokens)
			}
			return err
		}
		created, err = s.issueFirst(ctx, f, roles, now)
		return err
	})
	return created, taken, err
}

// issueFirst makes the first tokens with their files, and removes these again where others were first.
func (s *Shared) issueFirst(ctx context.Context, f *File, roles []string, now time.Time) (map[string]string, error) {
	var first bool
	created, err := f.issue(roles, nil, now, func(made []Token) (err error) {
		first, err = s.first(ctx, made)
		return err
	})
	if err != nil || first {
		return created, err
	}
	for _, path := range created {
		err = errors.Join(err, os.Remove(path))
	}
	return nil, err
}

// first keeps tokens where none are kept yet, and reports whether it did.
func (s *Shared) first(ctx context.Context, tokens []Token) (first bool, err error) {
	set := sharedSet{Version: 1, Tokens: make([]sharedToken, len(tokens))}
	for i, t := range tokens {
		set.Tokens[i].Token = t
	}
	err = s.keeper.Change(ctx, func(kept []byte) ([]byte, []Token, error) {
		first = kept == nil
		if !first {
			return nil, nil, nil
		}
		raw, err := encodeShared(set)
		return raw, tokens, err
	})
	return first && err == nil, err
}

// Supply makes a token for each of roles that has none of its own, as File.Supply does, with its file in the folder of
// f.
func (s *Shared) Supply(ctx context.Context, f *File, roles []string,
	now time.Time) (created map[string]string, err error) {
	err = f.locked(func() error {
		tokens, err := s.List(ctx)
		if err != nil {
			return err
		}
		lacking := slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return f.supplied(role, tokens) })
		if len(lacking) == 0 {
			return nil
		}
		created, err = f.issue(lacking, tokens, now, func(all []Token) error {
			return s.change(ctx, func(kept []sharedToken) ([]sharedToken, error) {
				for _, made := range all[len(tokens):] {
					kept = append(kept, sharedToken{Token: made})
				}
				return kept, nil
			})
		})
		return err
	})
	return created, err
}

// NewSharedAuthenticator returns an Authenticator of shared tokens. None is in force before Take brings them. A limit
// that could never be met is fault.Invalid.
func NewSharedAuthenticator(shared *Shared, limit Limit) (*Authenticator, error) {
	if err := limit.Check(); err != nil {
		return nil, err
	}
	a := &Authenticator{shared: shared, limit: limit, ended: map[string]bool{}}
	a.current.Store(&set{})
	return a, nil
}

// Take brings into force shared tokens as their Keeper has them, unless newer ones are in force. Those that cannot be
// read are fault.Malformed, and leave the tokens as they were. Tokens that stay keep the state of their rate limit.
// The bytes are the Authenticator's from then on.
func (a *Authenticator) Take(kept []byte) error {
	next, err := decodeShared(kept)
	if err != nil {
		return err
	}
	a.reload.Lock()
	defer a.reload.Unlock()
	if next.Version <= a.version {
		return nil
	}
	a.version = next.Version
	all := next.all()
	maps.DeleteFunc(a.ended, func(sum string, _ bool) bool {
		return !slices.ContainsFunc(all, func(t Token) bool { return t.SHA256 == sum })
	})
	a.replace(slices.DeleteFunc(all, func(t Token) bool { return a.ended[t.SHA256] }))
	a.kept.Store(&kept)
	return nil
}

// Kept returns the shared tokens in force as their Keeper has them; nil where they are not shared. Do not change it.
// Whoever authenticates after the call may do so by newer ones.
func (a *Authenticator) Kept() []byte {
	if kept := a.kept.Load(); kept != nil {
		return *kept
	}
	return nil
}

// TakeShared brings into force the shared tokens as they are kept now.
func (a *Authenticator) TakeShared(ctx context.Context) error {
	kept, err := a.shared.keeper.Kept(ctx)
	if err != nil {
		return err
	}
	return a.Take(kept)
}

// endHere puts a minted token out of force in this process alone.
func (a *Authenticator) endHere(made Token) {
	a.reload.Lock()
	defer a.reload.Unlock()
	a.ended[made.SHA256] = true
	a.replace(slices.DeleteFunc(slices.Clone(a.current.Load().tokens),
		func(t Token) bool { return t.SHA256 == made.SHA256 }))
}
