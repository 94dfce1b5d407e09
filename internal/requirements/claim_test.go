package requirements

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// claim asks for the field of a role.
func (r *rig) claim(who lifecycle.Actor, holder, id string, length time.Duration) (claiming.Claim, bool, error) {
	r.t.Helper()
	c, renewed, _, err := r.Claim(r.t.Context(), id, claiming.Asked{By: who, Holder: holder, Field: claiming.FieldOf(who.Role), For: length},
		Refused{Request: "POST /requirements/{id}/claim", RequestID: "r"})
	return c, renewed, err
}

func (r *rig) release(who lifecycle.Actor, holder, id, field string) (bool, error) {
	r.t.Helper()
	found, _, err := r.Release(r.t.Context(), id, claiming.Asked{By: who, Holder: holder, Field: field},
		Refused{Request: "DELETE /requirements/{id}/claim", RequestID: "r"})
	return found, err
}

func (r *rig) patchAs(who lifecycle.Actor, holder, id, body string) error {
	r.t.Helper()
	_, err := r.Patch(r.t.Context(), who, Proposal{ID: id, Body: []byte(body), Holder: holder, RequestID: "r"})
	return err
}

var carla = lifecycle.Actor{Name: "carla", Role: lifecycle.Coder}

// Verifies: ORC-122
func TestAClaimedFieldIsItsHoldersAlone(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	size := r.State().LogSize
	c, renewed, err := r.claim(cody, "c1", "REQ-001", time.Hour)
	require.NoError(t, err)
	require.False(t, renewed)
	require.Equal(t, time.Hour, c.Until.Sub(c.Since))
	require.Contains(t, string(r.record(size)), `"kind":"requirement.claimed","actor":{"name":"cody","role":"coder"},"subject":"REQ-001"`)
	require.Equal(t, []claiming.Claim{c}, r.ClaimsOn("REQ-001"))
	require.Equal(t, map[string][]claiming.Claim{"REQ-001": {c}}, r.Claims())

	_, _, err = r.claim(carla, "c2", "REQ-001", time.Hour)
	requireCode(t, err, "claimed")
	requireCode(t, r.patchAs(carla, "c2", "REQ-001", implemented), "claimed")
	requireCode(t, r.patchAs(cody, "c2", "REQ-001", implemented), "claimed")
	_, err = r.Patch(t.Context(), carla, Proposal{ID: "REQ-001", Holder: "c2", Body: []byte(implemented), DryRun: true})
	requireCode(t, err, "claimed")
	require.NoError(t, r.patchAs(cody, "c1", "REQ-001", implemented))
	require.NoError(t, r.patchAs(carla, "c2", "REQ-002", implemented), "another requirement")
	require.NoError(t, r.patchAs(archy, "a1", "REQ-001", designed), "another field")
	require.NoError(t, r.patchAs(paula, "p1", "REQ-001", move(lifecycle.Planned)))
	requireCode(t, r.patchAs(carla, "c2", "REQ-001", `{"design_spec":{"summary":"x"}}`), "field_forbidden")

	_, renewed, err = r.claim(cody, "c1", "REQ-001", time.Minute)
	require.NoError(t, err)
	require.True(t, renewed)
	r.clock.wind(time.Minute)
	require.Empty(t, r.ClaimsOn("REQ-001"))
	require.NoError(t, r.patchAs(carla, "c2", "REQ-001", implemented), "it has ended")
	_, renewed, err = r.claim(carla, "c2", "REQ-001", time.Hour)
	require.NoError(t, err)
	require.False(t, renewed)

	again := start(t, s, func(o *Options) { o.Workflow = lifecycle.Workflow{} })
	again.clock.wind(2 * time.Minute) // its clock begins anew
	require.Equal(t, r.Claims(), again.Claims(), "it is where it was after a restart")
	r.mustImport(twoRequirements + "- **REQ-003**: More.\n")
	require.Len(t, r.Claims(), 1)
	r.mustSwitch("rework")
	require.Len(t, r.Claims(), 1)
	r.verified()
}

// Verifies: ORC-122
func TestClaimsThatAreRefused(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport("- **REQ-001**: a\n- **REQ-002**: b\n- **REQ-003**: c\n- **REQ-004**: d\n- **REQ-005**: e\n- **REQ-006**: f\n")
	for _, id := range []string{"REQ-001", "REQ-002", "REQ-003", "REQ-004", "REQ-005"} {
		_, _, err := r.claim(cody, "c1", id, time.Hour)
		require.NoError(t, err)
	}
	size := r.State().LogSize
	for code, ask := range map[fault.Code]func() error{
		"too_many_claims":     func() error { _, _, err := r.claim(cody, "c1", "REQ-006", time.Hour); return err },
		"unknown_requirement": func() error { _, _, err := r.claim(cody, "c1", "REQ-404", time.Hour); return err },
		"invalid_id":          func() error { _, _, err := r.claim(cody, "c1", "\x00", time.Hour); return err },
		"invalid_claim":       func() error { _, _, err := r.claim(paula, "p1", "REQ-001", time.Hour); return err },
		"claim_of_another":    func() error { _, err := r.release(carla, "c2", "REQ-001", "implementation"); return err },
	} {
		err := ask()
		require.True(t, fault.Is(err, code), "%s: %v", code, err)
		require.Contains(t, string(r.record(r.State().LogSize-1)), `"kind":"request.refused"`)
	}
	_, err := r.release(cody, "c1", "REQ-404", "implementation")
	requireCode(t, err, "unknown_requirement")
	_, err = r.release(cody, "c1", "\x00", "implementation")
	requireCode(t, err, "invalid_id")
	_, err = r.release(cody, "c1", "REQ-001", "status")
	requireCode(t, err, "invalid_claim")
	require.Equal(t, size+8, r.State().LogSize, "each is on record")
	_, _, err = r.claim(cody, "c3", "REQ-006", time.Hour)
	require.NoError(t, err, "another token has claims of its own")
	r.verified()
}

func TestClaimsAreReleasedAndBroken(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	for _, id := range []string{"REQ-001", "REQ-002"} {
		_, _, err := r.claim(cody, "c1", id, time.Hour)
		require.NoError(t, err)
	}
	found, err := r.release(cody, "c1", "REQ-001", "implementation")
	require.NoError(t, err)
	require.True(t, found)
	require.NotContains(t, string(r.record(r.State().LogSize-1)), "broken")
	size := r.State().LogSize
	found, err = r.release(cody, "c1", "REQ-001", "implementation")
	require.NoError(t, err)
	require.False(t, found)
	require.Equal(t, size, r.State().LogSize, "there is nothing to record")
	found, err = r.release(paula, "p1", "REQ-002", "implementation")
	require.NoError(t, err)
	require.True(t, found)
	require.Contains(t, string(r.record(size)), `"holder":"c1","field":"implementation","broken":true`)
	require.Empty(t, r.Claims())
	require.Empty(t, s.Dump()["claims"], "nothing is left")
	r.verified()
}

// What has expired goes with the next claim of its holder or on its requirement, wherever it is filed.
func TestExpiredClaimsDoNotPileUp(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	for range 3 {
		for _, id := range []string{"REQ-001", "REQ-002"} {
			for holder, who := range map[string]lifecycle.Actor{"c1": cody, "t1": tess, "a1": archy} {
				_, _, err := r.claim(who, holder, id, time.Minute)
				require.NoError(t, err)
			}
		}
		r.clock.wind(time.Hour)
	}
	require.Len(t, s.Dump()["claims"], 5)
	_, _, err := r.claim(carla, "c2", "REQ-001", time.Hour)
	require.NoError(t, err)
	_, _, err = r.claim(cody, "c1", "REQ-002", time.Hour)
	require.NoError(t, err)
	dump := s.Dump()["claims"]
	require.Len(t, dump, 4, "%v", dump)
	r.verified()
}

// TestVerifyDecidesClaimsAgain writes claims that the rules would not have made.
//
// Verifies: ORC-122
func TestVerifyDecidesClaimsAgain(t *testing.T) {
	at := func(r *rig, d time.Duration) time.Time { return r.ledger.Head().At.Add(d) }
	for name, c := range map[string]struct {
		by   lifecycle.Actor
		kind string
		data func(*rig) any
		want string
	}{
		"another's claim": {carla, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "v1", Holder: "c2", Field: "implementation", Since: at(r, 0), Until: at(r, time.Hour)}
		}, "the rules refuse it"},
		"a claim that is too long": {tess, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "v1", Holder: "t1", Field: "test", Since: at(r, 0), Until: at(r, 5*time.Hour)}
		}, "it claims REQ-001 for"},
		"a claim of long ago": {tess, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "v1", Holder: "t1", Field: "test", Since: at(r, -time.Hour), Until: at(r, time.Hour)}
		}, "held since"},
		"another's release": {carla, record.KindReleased, func(*rig) any {
			return record.Released{Rules: 4, Workflow: "v1", Holder: "c2", Field: "implementation"}
		}, "the rules refuse it"},
		"a release of nothing": {tess, record.KindReleased, func(*rig) any { return record.Released{Rules: 4, Workflow: "v1", Holder: "t1", Field: "test"} },
			"does not have"},
		"a claim under another workflow": {tess, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "rework", Holder: "t1", Field: "test", Since: at(r, 0), Until: at(r, time.Hour)}
		}, "it names workflow \"rework\""},
		"a release that breaks": {cody, record.KindReleased, func(*rig) any {
			return record.Released{Rules: 4, Workflow: "v1", Holder: "c1", Field: "implementation", Broken: true}
		},
			"nobody but a pm"},
		"a release of another claim": {paula, record.KindReleased, func(*rig) any {
			return record.Released{Rules: 4, Workflow: "v1", Holder: "c2", Field: "implementation", Broken: true}
		},
			"does not have"},
		"a claim by the token of another": {carla, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "v1", Holder: "c1", Field: "implementation", Since: at(r, 0), Until: at(r, time.Hour)}
		}, "the token c1 is not"},
		"a release by the token of another": {carla, record.KindReleased, func(*rig) any {
			return record.Released{Rules: 4, Workflow: "v1", Holder: "c1", Field: "implementation"}
		}, "the token c1 is not"},
		"a change by the token of another": {carla, record.KindChanged, func(*rig) any {
			return record.Proposed{Rules: 4, Workflow: "v1", Holder: "c1", Change: []byte(implemented), Revision: 2}
		}, "the token c1 is not"},
		"a claim by no token": {tess, record.KindClaimed, func(r *rig) any {
			return record.Claimed{Rules: 4, Workflow: "v1", Holder: "x", Field: "test", Since: at(r, 0), Until: at(r, time.Hour)}
		}, "the token x is not"},
		"a release by older rules": {cody, record.KindReleased, func(*rig) any { return record.Released{Rules: 3, Holder: "c1", Field: "implementation"} },
			"after version 4"},
		"a claim by older rules": {cody, record.KindClaimed, func(*rig) any { return record.Claimed{Rules: 3} }, "after version 4"},
		"a change against a claim": {carla, record.KindChanged, func(*rig) any {
			return record.Proposed{Rules: 4, Workflow: "v1", Holder: "c2", Change: []byte(implemented), Revision: 2}
		}, "claimed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			require.NoError(t, r.AccountForTokens(t.Context(), []record.Credential{
				{ID: "c1", Name: cody.Name, Role: string(cody.Role)}, {ID: "c2", Name: carla.Name, Role: string(carla.Role)},
				{ID: "t1", Name: tess.Name, Role: string(tess.Role)},
			}))
			_, _, err := r.claim(cody, "c1", "REQ-001", time.Hour)
			require.NoError(t, err)
			data := c.data(r)
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
				return tx.Append(ledger.Event{Kind: c.kind, Actor: record.Actor(c.by), Subject: "REQ-001", Data: data})
			}))
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: record.KindChanged, Actor: record.Actor(cody), Subject: "REQ-001",
			Data: record.Proposed{Rules: 4, Workflow: "v1", Holder: "c1", Change: []byte(implemented), Revision: 2}})
	}))
	require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), "has no claim")
}
