package control

import (
	"strings"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
	"orchestrator/internal/system/lazyregexp"
)

// maxLink is the most bytes of a link: a line of the journal has room for it beside two texts of maxReason.
const maxLink = 300

// Attest notes that a person vouches for an item, or takes that back. The note is the reason of the change.
func Attest(dir folder.Dir, item string, revoke bool, c Change) (said boundary.Attestation, err error) {
	if err := checkItem(item); err != nil {
		return said, err
	}
	if err := required("note", c.Reason, "say what was done, and when: --note TEXT, or note in a request"); err != nil {
		return said, err
	}
	if _, err := Policy(dir); err != nil {
		return said, err
	}
	l := c.line(folder.KindAttestation)
	l.What, l.Revoked = item, revoke
	return boundary.Attestation{Item: item, At: l.At, By: l.By, Note: l.Reason, Revoked: revoke}, dir.Append(l)
}

// checkItem refuses what nobody vouches for.
func checkItem(item string) error {
	items := boundary.AttestableItems()
	for _, known := range items {
		if item == known {
			return nil
		}
	}
	return fault.New(fault.Invalid, "unknown_attestation", "%q is nothing to attest", fault.Clip(item, 64)).
		WithFix("give one of %s", strings.Join(items, ", "))
}

// required refuses a text that is missing, too long, or holds a secret.
func required(what, text, fix string) error {
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.Invalid, "reason_required", "this needs a %s, which goes on record", what).
			WithFix("%s", fix)
	}
	return checkText(what, text)
}

// Account is what a person records of a rollback, besides its cause.
type Account struct {
	Link string // where it was looked into
	Mend string // what was done about it
}

// linkOrIssue matches a URL, or an issue by its number or its id: #12, owner/name#12, ORC-12.
var linkOrIssue = lazyregexp.New(`^([a-z]+://[^\s/]+\S*|\S*#\d+|[A-Za-z][A-Za-z0-9_]*-\d+)$`)

// Recover notes what led to a rollback, which is the reason of the change, where that was analysed, and what was done
// about it. It replaces what was recorded of the same rollback before, and returns that.
func Recover(dir folder.Dir, a Account, c Change) (before *boundary.Account, err error) {
	if err := a.check(c.Reason); err != nil {
		return nil, err
	}
	if _, err := Policy(dir); err != nil {
		return nil, err
	}
	h, err := report.Read(dir)
	if err != nil {
		return nil, err
	}
	r := h.Recovery()
	if r == nil {
		return nil, fault.New(fault.Conflict, "no_rollback",
			"there was no rollback, or the boundary has recovered from it").
			WithFix("orchestrator boundary status shows the mode, and since when it is in force")
	}
	l := c.line(folder.KindRecovery)
	l.Link, l.Mend = a.Link, a.Mend
	if r.Account != nil {
		l.Of = h.Accounts[len(h.Accounts)-1].ID
	}
	return r.Account, dir.Append(l)
}

// check refuses an account that lacks something, or is not what it is to be.
func (a Account) check(cause string) error {
	for _, given := range []struct{ what, text, fix string }{
		{"cause", cause, "say what led to the rollback: --cause TEXT"},
		{"link", a.Link, "give the place where the cause was analysed: --link URL"},
		{"mend", a.Mend, "say what was done about it: --mend TEXT"},
	} {
		if err := required(given.what, given.text, given.fix); err != nil {
			return err
		}
	}
	if len(a.Link) > maxLink {
		return fault.New(fault.Invalid, "reason_too_long", "the link has %d bytes; at most %d are allowed",
			len(a.Link), maxLink).WithFix("give a shorter one")
	}
	if !linkOrIssue().MatchString(a.Link) {
		return fault.New(fault.Invalid, "no_link", "%q is neither a URL nor the id of an issue", a.Link).
			WithFix("give the place where the cause was analysed, such as " +
				"--link https://example.com/issues/12, --link '#12' or --link ORC-12")
	}
	return nil
}

// Review notes that a person looked at the boundary again, and closes a review that is due: the one of a name, or with
// "" the one that is due longest. The note is the reason of the change.
func Review(dir folder.Dir, name string, c Change) (closed reviewing.Review, err error) {
	if err := required("note", c.Reason, "say what was looked at, and what was found: --note TEXT"); err != nil {
		return closed, err
	}
	p, err := Policy(dir)
	if err != nil {
		return closed, err
	}
	h, err := report.Read(dir)
	if err != nil {
		return closed, err
	}
	if closed, err = dueReview(h.Reviews(p.Thresholds, c.At), name); err != nil {
		return closed, err
	}
	l := c.line(folder.KindReview)
	l.What = closed.Name
	return closed, dir.Append(l)
}

// dueReview returns the review of a name, or the first, if it is due.
func dueReview(all []reviewing.Review, name string) (reviewing.Review, error) {
	for _, r := range all {
		switch {
		case name != "" && r.Name != name:
		case r.State == reviewing.Due:
			return r, nil
		case name != "" && r.State == reviewing.Coming:
			return r, fault.New(fault.Conflict, "review_not_due", "the review %s is not due before %s", r.Name,
				r.At.UTC().Format("2006-01-02 15:04 UTC")).
				WithFix("review it then")
		}
	}
	what := "no review"
	if name != "" {
		what = "no review " + fault.Clip(name, 40)
	}
	return reviewing.Review{}, fault.New(fault.Conflict, "review_not_due", "%s of the boundary is due", what).
		WithFix("orchestrator boundary status lists the reviews that are due or coming; the names are %s",
			strings.Join(reviewing.Names(), ", "))
}
