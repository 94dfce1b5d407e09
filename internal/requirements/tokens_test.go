package requirements

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
)

func credential(id, role string) record.Credential {
	return record.Credential{ID: id, Name: "name-" + id, Role: role}
}

// tokensOnRecord are the changes of tokens in the log.
func (r *rig) tokensOnRecord() (all []record.TokensChanged) {
	r.t.Helper()
	for _, rec := range r.records(0, record.KindTokensChanged) {
		require.Equal(r.t, ledger.System(), rec.Actor)
		data, err := ledger.DataOf[record.TokensChanged](nil, rec)
		require.NoError(r.t, err)
		all = append(all, data)
	}
	return all
}

func TestTheLogAccountsForTokens(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	account := func(inForce ...record.Credential) {
		require.NoError(t, r.AccountForTokens(t.Context(), inForce))
		r.verified()
	}
	a, b, c := credential("a", "pm"), credential("b", "coder"), credential("c", "viewer")
	c.Expires = time.Date(2030, 1, 1, 2, 0, 0, 0, time.FixedZone("", 7200))
	account()
	require.Empty(t, r.tokensOnRecord(), "no tokens, nothing to account for")
	account(b, a)
	account(a, b)
	require.Equal(t, []record.TokensChanged{{Added: []record.Credential{a, b}, Revoked: []record.Credential{}}}, r.tokensOnRecord(), "the order says nothing")
	r = start(t, s)
	account(b, c)
	require.Equal(t, []record.Credential{a}, r.tokensOnRecord()[1].Revoked, "known from before the restart")
	c.Expires = c.Expires.UTC()
	require.Equal(t, []record.Credential{c}, r.tokensOnRecord()[1].Added)
	size := r.State().LogSize
	account(c, b)
	require.Equal(t, size, r.State().LogSize)

	longer, other := c, b
	longer.Expires = longer.Expires.AddDate(1, 0, 0)
	other.Role = "pm"
	account(longer, other)
	require.Equal(t, record.TokensChanged{Added: []record.Credential{other, longer}, Revoked: []record.Credential{b, c}}, r.tokensOnRecord()[2], "more rights for an old token are a change")
	account()
	require.Equal(t, record.TokensChanged{Added: []record.Credential{}, Revoked: []record.Credential{other, longer}}, r.tokensOnRecord()[3])
	account()
	require.Len(t, r.tokensOnRecord(), 4)
}

func TestVerifyHoldsTokensAgainstTheLog(t *testing.T) {
	a, b := credential("a", "pm"), credential("b", "coder")
	append1 := func(actorIsAgent bool, data record.TokensChanged) func(*rig) {
		return func(r *rig) {
			e := ledger.Event{Kind: record.KindTokensChanged, Actor: ledger.System(), Data: data}
			if actorIsAgent {
				e.Actor = record.Actor(cody)
			}
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(e) }))
		}
	}
	for name, c := range map[string]struct {
		spoil func(*rig)
		want  string
	}{
		"of an agent":        {append1(true, record.TokensChanged{Added: []record.Credential{b}}), "by itself"},
		"of nothing":         {append1(false, record.TokensChanged{}), "names none"},
		"of an unknown one":  {append1(false, record.TokensChanged{Revoked: []record.Credential{b}}), "was not in force"},
		"of another role":    {append1(false, record.TokensChanged{Revoked: []record.Credential{{ID: "a", Name: a.Name, Role: "viewer"}}}), "was not in force"},
		"of a known one":     {append1(false, record.TokensChanged{Added: []record.Credential{a}}), "in force already"},
		"without its tokens": {append1(false, record.TokensChanged{Added: []record.Credential{b}}), "table tokens"},
		"a token added to the table": {func(r *rig) {
			require.NoError(t, r.store.Update(t.Context(), func(tx store.Tx) error {
				raw, err := ledger.Encode([]record.Credential{a, b})
				require.NoError(t, err)
				return tx.Put(record.TableTokens.Name, record.KeyTokens, raw)
			}))
		}, "table tokens"},
		"a table without a record": {func(r *rig) {
			require.NoError(t, r.store.Update(t.Context(), func(tx store.Tx) error { return tx.Put(record.TableTokens.Name, "more", []byte("[]")) }))
		}, "does not account for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s, withoutExport)
			r.mustImport(twoRequirements)
			require.NoError(t, r.AccountForTokens(t.Context(), []record.Credential{a}))
			c.spoil(r)
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}
