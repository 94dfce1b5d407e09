package claiming

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

var (
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	cody  = lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}
	carla = lifecycle.Actor{Name: "carla", Role: lifecycle.Coder}
	paula = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}
	tess  = lifecycle.Actor{Name: "tess", Role: lifecycle.Tester}
)

func requirement(status lifecycle.Status) lifecycle.Requirement {
	return lifecycle.Requirement{Definition: lifecycle.Definition{ID: "REQ-001"}, Status: status}
}

func theirs(by lifecycle.Actor, holder string, until time.Time) Claim {
	return Claim{"REQ-001", FieldOf(by.Role), by, holder, noon.Add(-time.Hour), until}
}

func TestTheFieldsOfRoles(t *testing.T) {
	fields := map[lifecycle.Role]string{}
	for _, role := range lifecycle.Roles() {
		fields[role] = FieldOf(role)
		require.Equal(t, fields[role] != "", Claimable(fields[role]))
	}
	require.Equal(t, map[lifecycle.Role]string{lifecycle.Architect: "design_spec", lifecycle.Coder: "implementation",
		lifecycle.Tester: "test", lifecycle.PM: "", lifecycle.Viewer: ""}, fields)
	require.False(t, Claimable("status"))
}

func TestWhoseClaimIsARuns(t *testing.T) {
	require.True(t, theirs(cody, HolderOfRun("7"), noon).OfRun())
	require.False(t, theirs(cody, "c1", noon).OfRun())
}

func TestHowLongAClaimLasts(t *testing.T) {
	for text, want := range map[string]time.Duration{"": Usual, "1m": time.Minute, "90s": 90 * time.Second, "4h": 4 * time.Hour} {
		got, err := Length(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"59s", "4h0m1s", "-5m", "30", "soon", "1d"} {
		_, err := Length(text)
		require.True(t, fault.Is(err, "invalid_claim"), text)
		require.ErrorContains(t, err, "from 1m to 4h")
	}
}

func TestWhatIsClaimed(t *testing.T) {
	asked := Asked{cody, "c1", "implementation", time.Hour}
	mine, yours := theirs(cody, "c1", noon.Add(time.Minute)), theirs(carla, "c2", noon.Add(time.Minute))
	var many []Claim
	for i := range Most {
		c := mine
		c.Requirement = fmt.Sprint("REQ-", i)
		many = append(many, c)
	}
	with := func(change func(*Asked)) Asked {
		a := asked
		change(&a)
		return a
	}
	gone := requirement(lifecycle.Planned)
	gone.Retired = true
	for name, c := range map[string]struct {
		asked    Asked
		req      lifecycle.Requirement
		on, held []Claim
		code     fault.Code
		renewed  bool
	}{
		"a free one":                   {asked: asked, req: requirement(lifecycle.Planned)},
		"one's own":                    {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{mine}, held: []Claim{mine}, renewed: true},
		"one's own, which has ended":   {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{theirs(cody, "c1", noon)}},
		"another's, which has ended":   {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{theirs(carla, "c2", noon)}},
		"another's":                    {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{yours}, code: "claimed"},
		"another token's of one's own": {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{theirs(cody, "c9", noon.Add(1))}, code: "claimed"},
		"another's, which a clock that was set back has put into the future": {
			asked: asked, req: requirement(lifecycle.Planned), on: []Claim{{Requirement: "REQ-1", Field: "implementation", By: carla,
				Holder: "c2", Since: noon.Add(time.Hour), Until: noon.Add(2 * time.Hour)}},
		},
		"beside another role's":          {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{theirs(tess, "t1", noon.Add(1))}},
		"what is done":                   {asked: asked, req: requirement(lifecycle.Done), code: "sealed"},
		"what is gone":                   {asked: asked, req: gone, code: "retired"},
		"another role's field":           {asked: with(func(a *Asked) { a.Field = "test" }), req: requirement(lifecycle.Planned), code: "role_forbidden"},
		"a pm's":                         {asked: with(func(a *Asked) { a.By = paula }), req: requirement(lifecycle.Planned), code: "role_forbidden"},
		"no such field":                  {asked: with(func(a *Asked) { a.Field = "status" }), req: requirement(lifecycle.Planned), code: "invalid_claim"},
		"one too many":                   {asked: asked, req: requirement(lifecycle.Planned), held: many, code: "too_many_claims"},
		"a renewal when it has the most": {asked: asked, req: requirement(lifecycle.Planned), on: []Claim{mine}, held: append(many[1:], mine), renewed: true},
	} {
		got, renewed, err := c.asked.Take(c.req, c.on, c.held, noon)
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
			require.NotEmpty(t, fault.As(err).Fix)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.renewed, renewed, name)
		since := noon
		if c.renewed {
			since = mine.Since
		}
		require.Equal(t, Claim{"REQ-001", "implementation", cody, "c1", since, noon.Add(time.Hour)}, got, name)
	}
}

func TestAClaimKeepsOthersOfItsRoleAway(t *testing.T) {
	on := []Claim{theirs(cody, "c1", noon.Add(time.Minute)), theirs(tess, "t1", noon)}
	fields := []string{"implementation", "justification"}
	require.NoError(t, Allow(on, cody, "c1", fields, noon))
	require.NoError(t, Allow(on, carla, "c2", []string{"justification"}, noon), "it is not the claimed field")
	require.NoError(t, Allow(on, carla, "c2", fields, noon.Add(time.Minute)), "it has ended")
	require.NoError(t, Allow(on, paula, "p1", []string{"pm_notes", "status"}, noon))
	require.NoError(t, Allow(on, tess, "t2", []string{"test"}, noon))
	err := Allow(on, carla, "c2", fields, noon)
	require.True(t, fault.Is(err, "claimed"))
	require.ErrorContains(t, err, "implementation of REQ-001 is claimed by cody until 2026-03-04T12:01:00Z")
	require.Equal(t, "/implementation", fault.As(err).Fields[0].Pointer)
	require.ErrorContains(t, Allow(on, cody, "c2", fields, noon), "by another token of cody")
}

func TestWhoReleasesAClaim(t *testing.T) {
	mine := theirs(cody, "c1", noon.Add(time.Minute))
	on := []Claim{theirs(tess, "t1", noon.Add(time.Minute)), mine}
	for _, who := range []struct {
		lifecycle.Actor
		holder string
	}{{cody, "c1"}, {paula, "p1"}} {
		got, found, err := Release(on, who.Actor, who.holder, "implementation", noon)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, mine, got)
	}
	_, found, err := Release(on, carla, "c2", "implementation", noon)
	require.True(t, found)
	require.True(t, fault.Is(err, "claim_of_another"))
	_, found, err = Release(on, cody, "c1", "implementation", noon.Add(time.Minute))
	require.NoError(t, err)
	require.False(t, found, "it has ended")
	require.Equal(t, "run:x", HolderOfRun("x"))
	require.Equal(t, "2m", brief(2*time.Minute))
}
