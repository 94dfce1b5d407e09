package control

import (
	"strings"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// AllBypasses ends every bypass that is in force.
const AllBypasses = "all"

// Bypass lifts the boundary for a while. It is noted before it is in force.
func Bypass(dir folder.Dir, lasting time.Duration, session string, c Change) (boundary.Grant, error) {
	const longest = 24 * time.Hour
	if err := c.check(); err != nil {
		return boundary.Grant{}, err
	}
	if lasting <= 0 || lasting > longest {
		return boundary.Grant{}, fault.New(fault.Invalid, "bypass_duration",
			"a bypass lasts more than 0 and at most %g hours, not %v", longest.Hours(), lasting).
			WithFix("give --for 30m; for longer, change the mode")
	}
	if _, err := Policy(dir); err != nil {
		return boundary.Grant{}, err
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	g := boundary.Grant{ID: c.ID, Reason: c.Reason, By: c.By, Since: at, Until: at.Add(lasting), Session: session}
	l := c.line(folder.KindGrant)
	l.Grant, l.Session = &g, session
	if err := dir.Append(l); err != nil {
		return g, err
	}
	return g, dir.AddGrant(g, at)
}

// EndBypass ends a bypass that is in force before its time: the one with an id, or with what begins like no other id;
// or AllBypasses. Each end is noted before it is one. The change needs no reason. newID names further lines of the
// journal. The policy need not be readable.
func EndBypass(dir folder.Dir, id string, c Change, newID func() string) (ended []boundary.Grant, err error) {
	if err := checkText("reason", c.Reason); err != nil {
		return nil, err
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	err = folder.ChangeGrants(dir, at, func(all []boundary.Grant) ([]boundary.Grant, error) {
		chosen, err := inForce(all, id, at)
		if err != nil {
			return nil, err
		}
		for _, i := range chosen {
			all[i].Until = at
			ended = append(ended, all[i])
		}
		return all, noteEnds(dir, ended, c, newID)
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// noteEnds notes that bypasses end.
func noteEnds(dir folder.Dir, ended []boundary.Grant, c Change, newID func() string) error {
	for i, g := range ended {
		if i > 0 {
			c.ID = newID()
		}
		l := c.line(folder.KindGrant)
		l.Grant, l.Session, l.Revoked = &g, g.Session, true
		if err := dir.Append(l); err != nil {
			return err
		}
	}
	return nil
}

// inForce returns the places of the bypasses in force that an id names.
func inForce(all []boundary.Grant, id string, at time.Time) (chosen []int, err error) {
	const shortest = 4
	var begun, known []string
	for i, g := range all {
		if !at.Before(g.Until) {
			continue
		}
		known = append(known, g.ID+" of "+g.By+" until "+g.Until.UTC().Format(time.RFC3339))
		switch {
		case g.ID == id:
			return []int{i}, nil
		case id == AllBypasses, len(id) >= shortest && strings.HasPrefix(g.ID, id):
			chosen, begun = append(chosen, i), append(begun, g.ID)
		}
	}
	switch {
	case len(known) == 0:
		return nil, fault.New(fault.NotFound, "unknown_bypass", "no bypass is in force").
			WithFix("nothing is to be done; orchestrator boundary log shows which there were")
	case len(begun) == 0:
		return nil, fault.New(fault.NotFound, "unknown_bypass", "no bypass %q is in force", fault.Clip(id, 40)).
			WithFix("end one of these, or all: %s", fault.Clip(strings.Join(known, "; "), maxReason))
	case len(begun) > 1 && id != AllBypasses:
		return nil, fault.New(fault.Conflict, "ambiguous_bypass", "%d bypasses in force begin with %s", len(begun), id).
			WithFix("end one of these, or all: %s", fault.Clip(strings.Join(begun, ", "), maxReason))
	}
	return chosen, nil
}
