package requirements

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

func credential(id, role string) Credential {
	return Credential{ID: id, Name: "name-" + id, Role: role}
}

// tokensOnRecord are the changes of tokens in the log.
func (r *rig) tokensOnRecord() (all []tokensChanged) {
	r.t.Helper()
	for _, record := range r.records(0, kindTokensChanged) {
		require.Equal(r.t, ledger.System(), record.Actor)
		data, err := ledger.DataOf[tokensChanged](nil, record)
		require.NoError(r.t, err)
		all = append(all, data)
	}
	return all
}

func TestTheLogAccountsForTokens(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	account := func(inForce ...Credential) {
		require.NoError(t, r.AccountForTokens(t.Context(), inForce))
		r.verified()
	}
	a, b, c := credential("a", "pm"), credential("b", "coder"), credential("c", "viewer")
	c.Expires = time.Date(2030, 1, 1, 2, 0, 0, 0, time.FixedZone("", 7200))
	account()
	require.Empty(t, r.tokensOnRecord(), "no tokens, nothing to account for")
	account(b, a)
	account(a, b)
	require.Equal(t, []tokensChanged{{[]Credential{a, b}, []Credential{}}}, r.tokensOnRecord(), "the order says nothing")
	r = start(t, s)
	account(b, c)
	require.Equal(t, []Credential{a}, r.tokensOnRecord()[1].Revoked, "known from before the restart")
	c.Expires = c.Expires.UTC()
	require.Equal(t, []Credential{c}, r.tokensOnRecord()[1].Added)
	size := r.State().LogSize
	account(c, b)
	require.Equal(t, size, r.State().LogSize)

	longer, other := c, b
	longer.Expires = longer.Expires.AddDate(1, 0, 0)
	other.Role = "pm"
	account(longer, other)
	require.Equal(t, tokensChanged{[]Credential{other, longer}, []Credential{b, c}}, r.tokensOnRecord()[2], "more rights for an old token are a change")
	account()
	require.Equal(t, tokensChanged{[]Credential{}, []Credential{other, longer}}, r.tokensOnRecord()[3])
	account()
	require.Len(t, r.tokensOnRecord(), 4)
}

func TestVerifyHoldsTokensAgainstTheLog(t *testing.T) {
	a, b := credential("a", "pm"), credential("b", "coder")
	append1 := func(actorIsAgent bool, data tokensChanged) func(*rig) {
		return func(r *rig) {
			e := ledger.Event{Kind: kindTokensChanged, Actor: ledger.System(), Data: data}
			if actorIsAgent {
				e.Actor = auditActor(cody)
			}
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(e) }))
		}
	}
	for name, c := range map[string]struct {
		spoil func(*rig)
		want  string
	}{
		"of an agent":        {append1(true, tokensChanged{Added: []Credential{b}}), "by itself"},
		"of nothing":         {append1(false, tokensChanged{}), "names none"},
		"of an unknown one":  {append1(false, tokensChanged{Revoked: []Credential{b}}), "was not in force"},
		"of another role":    {append1(false, tokensChanged{Revoked: []Credential{{ID: "a", Name: a.Name, Role: "viewer"}}}), "was not in force"},
		"of a known one":     {append1(false, tokensChanged{Added: []Credential{a}}), "in force already"},
		"without its tokens": {append1(false, tokensChanged{Added: []Credential{b}}), "table tokens"},
		"a token added to the table": {func(r *rig) {
			require.NoError(t, r.store.Update(t.Context(), func(tx store.Tx) error {
				raw, err := ledger.Encode([]Credential{a, b})
				require.NoError(t, err)
				return tx.Put(tableTokens.Name, keyTokens, raw)
			}))
		}, "table tokens"},
		"a table without a record": {func(r *rig) {
			require.NoError(t, r.store.Update(t.Context(), func(tx store.Tx) error { return tx.Put(tableTokens.Name, "more", []byte("[]")) }))
		}, "does not account for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s, withoutExport)
			r.mustImport(twoRequirements)
			require.NoError(t, r.AccountForTokens(t.Context(), []Credential{a}))
			c.spoil(r)
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}
