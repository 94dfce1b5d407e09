// Package claims keeps the claims on fields of requirements: where they are filed, and how they are taken and released.
// Package claiming decides.
//
// Keys written: claims/on NUL <id of a requirement>, claims/by NUL <holder>. Each claim stands under both, and what has
// expired is removed from both when one of them is written.
package claims

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Table has the claims on each requirement, and those of each holder.
var Table = ledger.Table[[]claiming.Claim]{Name: "claims"}

const (
	onRequirement = "on\x00"
	byHolder      = "by\x00"
)

// RequirementOf returns the requirement whose claims stand under a key; false for a key of a holder.
func RequirementOf(key string) (id string, ok bool) { return strings.CutPrefix(key, onRequirement) }

// KeyOn returns the key of the claims on a requirement.
func KeyOn(id string) string { return onRequirement + id }

// On returns the claims on a requirement, those that have expired among them.
func On(from store.Getter, id string) ([]claiming.Claim, error) {
	found, _, err := Table.Get(from, onRequirement+id)
	return found, err
}

// Load returns the claims on all requirements that have some, by their ids.
func Load(from store.Reader) (map[string][]claiming.Claim, error) {
	on := map[string][]claiming.Claim{}
	err := Table.Scan(from, func(key string, _ []byte, all []claiming.Claim) error {
		if id, is := RequirementOf(key); is {
			on[id] = all
		}
		return nil
	})
	return on, err
}

// Book is where claims are filed. An empty list is removed.
type Book interface {
	Get(key string) ([]claiming.Claim, error)
	Put(key string, claims []claiming.Claim) error
}

// Take decides a claim and files it.
func Take(b Book, req lifecycle.Requirement, a claiming.Asked, at time.Time) (claiming.Claim, bool, error) {
	on, err := b.Get(onRequirement + req.ID)
	if err != nil {
		return claiming.Claim{}, false, err
	}
	held, err := b.Get(byHolder + a.Holder)
	if err != nil {
		return claiming.Claim{}, false, err
	}
	c, renewed, err := a.Take(req, on, held, at)
	if err != nil {
		return c, false, err
	}
	return c, renewed, file(b, c, at, on, held, true)
}

// Release gives a claim up, or breaks it; found is false where there is none.
func Release(b Book, id string, who lifecycle.Actor, holder, field string, at time.Time) (c claiming.Claim, found bool, err error) {
	on, err := b.Get(onRequirement + id)
	if err != nil {
		return c, false, err
	}
	if c, found, err = claiming.Release(on, who, holder, field, at); err != nil || !found {
		return c, found, err
	}
	held, err := b.Get(byHolder + c.Holder)
	if err != nil {
		return c, true, err
	}
	return c, true, file(b, c, at, on, held, false)
}

// Rename moves the claims that count from requirements to those that have their life from here on.
func Rename(b Book, pairs []renaming.Pair, at time.Time) error {
	var moved []claiming.Claim
	for _, p := range pairs {
		on, err := b.Get(onRequirement + p.From)
		if err != nil {
			return err
		}
		for _, c := range on {
			if err := cmp.Or(remove(b, onRequirement+c.Requirement, c), remove(b, byHolder+c.Holder, c)); err != nil {
				return err
			}
		}
		for _, c := range claiming.Live(on, at) {
			c.Requirement = p.To
			moved = append(moved, c)
		}
	}
	for _, c := range moved {
		for _, key := range []string{onRequirement + c.Requirement, byHolder + c.Holder} {
			there, err := b.Get(key)
			if err == nil {
				err = b.Put(key, sorted(append(without(there, c), c)))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// file puts a claim in its two places, or takes it out of them. What has expired beside it is removed, from its other
// place too.
func file(b Book, c claiming.Claim, at time.Time, on, held []claiming.Claim, keep bool) error {
	for _, old := range expired(on, at) {
		if old.Holder != c.Holder {
			if err := remove(b, byHolder+old.Holder, old); err != nil {
				return err
			}
		}
	}
	for _, old := range expired(held, at) {
		if old.Requirement != c.Requirement {
			if err := remove(b, onRequirement+old.Requirement, old); err != nil {
				return err
			}
		}
	}
	on, held = without(claiming.Live(on, at), c), without(claiming.Live(held, at), c)
	if keep {
		on, held = sorted(append(on, c)), sorted(append(held, c))
	}
	if err := b.Put(onRequirement+c.Requirement, on); err != nil {
		return err
	}
	return b.Put(byHolder+c.Holder, held)
}

func remove(b Book, key string, c claiming.Claim) error {
	there, err := b.Get(key)
	if err != nil {
		return err
	}
	return b.Put(key, without(there, c))
}

func expired(all []claiming.Claim, at time.Time) []claiming.Claim {
	return slices.DeleteFunc(slices.Clone(all), func(c claiming.Claim) bool { return at.Before(c.Until) })
}

// without returns a list without the claim of the same field.
func without(all []claiming.Claim, c claiming.Claim) []claiming.Claim {
	return slices.DeleteFunc(slices.Clone(all), func(other claiming.Claim) bool {
		return other.Requirement == c.Requirement && other.Field == c.Field && other.Holder == c.Holder
	})
}

func sorted(all []claiming.Claim) []claiming.Claim {
	slices.SortFunc(all, func(a, b claiming.Claim) int {
		return cmp.Or(cmp.Compare(a.Requirement, b.Requirement), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Holder, b.Holder))
	})
	return all
}

// InTable files claims in a transaction.
func InTable(tx *ledger.Tx) Book { return inTable{tx} }

type inTable struct{ tx *ledger.Tx }

func (b inTable) Get(key string) ([]claiming.Claim, error) {
	found, _, err := Table.Get(b.tx, key)
	return found, err
}

func (b inTable) Put(key string, all []claiming.Claim) error {
	if len(all) > 0 {
		_, err := Table.Put(b.tx, key, all)
		return err
	}
	if known, err := b.tx.Get(Table.Name, key); err != nil || known == nil {
		return err
	}
	return Table.Delete(b.tx, key)
}
