// Package rechecking says what a look at the evidence of a requirement puts on record. It is pure.
package rechecking

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

// Of returns what is new of the citations of a requirement by how they stand now.
func Of(req lifecycle.Requirement, standings []evidence.Standing, now time.Time) lifecycle.Recheck {
	found := lifecycle.Recheck{Revision: req.Revision, Rechecks: req.Rechecks}
	for i, c := range req.Citations() {
		switch v := standings[i]; {
		case v.Reason != "":
			found.Stale = append(found.Stale, lifecycle.Stale{Part: c.Part, Pointer: c.Pointer, Reason: v.Reason,
				Detail: Remark(v), Since: now})
		case len(v.MovedTo) > maxPlace:
			found.Stale = append(found.Stale, lifecycle.Stale{Part: c.Part, Pointer: c.Pointer, Reason: lifecycle.FileGone,
				Detail: fmt.Sprintf("it stands at a path of %d bytes now; at most %d are kept", len(v.MovedTo), maxPlace),
				Since:  now})
		case v.MovedTo != "":
			found.Moved = append(found.Moved, lifecycle.Relocated{Pointer: c.Pointer, To: secret.Mask(v.MovedTo), Since: now})
		}
	}
	return found
}

// Remark returns what is said of a piece of evidence on record: it may quote names of the repository.
func Remark(v evidence.Standing) string { return fault.Clip(secret.Mask(v.Detail), MaxRemark) }

// MaxRemark and maxPlace bound what a recheck adds to a requirement, in bytes of one remark and of one place.
const MaxRemark, maxPlace = 300, 1000

// KeepUnread puts what is known in the place of what could not be read, and returns why that was; "" when all was read.
func KeepUnread(req lifecycle.Requirement, found *lifecycle.Recheck) (detail string) {
	unread := map[string]bool{}
	found.Stale = slices.DeleteFunc(found.Stale, func(s lifecycle.Stale) bool {
		if s.Reason != lifecycle.Unreadable {
			return false
		}
		unread[s.Pointer], detail = true, s.Detail
		return true
	})
	for _, known := range req.Stale {
		if unread[known.Pointer] {
			found.Stale = append(found.Stale, known)
		}
	}
	for _, known := range req.Moved {
		if unread[known.Pointer] {
			found.Moved = append(found.Moved, known)
		}
	}
	return detail
}

// Unknown returns why some evidence of a requirement is unknown; nil where none is.
func Unknown(req lifecycle.Requirement) error {
	for _, stale := range req.Stale {
		if stale.Reason == lifecycle.Unknown {
			return fault.New(fault.Unavailable, evidence.CodeUnreadable, "evidence of %s is unknown: %s", req.ID,
				stale.Detail).WithFix("see docs/evidence.md for what makes evidence unknown")
		}
	}
	return nil
}

// MayBeUnknown reports whether a requirement, as it is stored, can have unknown evidence.
func MayBeUnknown(stored []byte) bool { return bytes.Contains(stored, unknown) }

// unknown is the reason of that name, as it is stored.
var unknown = []byte(`"` + lifecycle.Unknown + `"`)
