package matrix

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/lifecycle"
)

// row is a requirement in the matrix.
type row struct {
	page.Row
	Cells   []cell
	Suspect bool
	Retired bool
}

// cell says how it stands with one part.
type cell struct {
	Name string // of its column
	Mark string
	Word string
}

// columns are the parts, in the order in which they are made.
var columns = []column{
	{"Design", "c-short"}, {"Code", "c-long"}, {"Tests", "c-short"}, {"Result", "c-long"}, {"Approval", "c-longest"},
}

// column is the name of a column, and the class of its width.
type column struct{ Name, Class string }

// verified is how evidence is handled that the service looks up.
const verified = "verify"

func rowOf(l line, evidence string) row {
	r := row{Row: page.Row{ID: l.ID, Title: l.Title, Status: l.Status}, Suspect: l.Suspect, Retired: l.Retired}
	for i, c := range []cell{
		partOf(l, lifecycle.FieldDesignSpec, "there"),
		codeOf(l, evidence),
		partOf(l, lifecycle.FieldTest, standing(evidence)),
		resultOf(l),
		approvalOf(l),
	} {
		c.Name = columns[i].Name
		r.Cells = append(r.Cells, c)
	}
	return r
}

// standing returns the word for evidence against which nothing was found.
func standing(evidence string) string {
	if evidence == verified {
		return "holds"
	}
	return "said"
}

// partOf says how it stands with a part; good is the word for one against which nothing was found.
func partOf(l line, field, good string) cell {
	switch {
	case isStale(l, field):
		return cell{Mark: "m-stale", Word: "stale"}
	case slices.Contains(l.Parts, field) && good == "said":
		return cell{Mark: "m-unverified", Word: good}
	case slices.Contains(l.Parts, field):
		return cell{Mark: "m-holds", Word: good}
	}
	return absent(l)
}

// absent says that a part is not there: it is lacking where the requirement is done.
func absent(l line) cell {
	if l.Status == lifecycle.Done {
		return cell{Mark: "m-unmet", Word: "missing"}
	}
	return cell{Mark: "m-ahead", Word: "not yet"}
}

func isStale(l line, part string) bool {
	return slices.ContainsFunc(l.Stale, func(s lifecycle.Stale) bool { return s.Part == part })
}

// codeOf says how it stands with the implementation: files with uncommitted changes and lines that have moved as well.
func codeOf(l line, evidence string) cell {
	c := partOf(l, lifecycle.FieldImplementation, standing(evidence))
	if c.Mark != "m-holds" {
		return c
	}
	if len(l.Dirty) > 0 {
		return cell{Mark: "m-dirty", Word: "uncommitted"}
	}
	for _, m := range l.Moved {
		if strings.HasPrefix(m.Pointer, "/implementation") {
			return cell{Mark: "m-moved", Word: "moved"}
		}
	}
	return c
}

func resultOf(l line) cell {
	switch r := l.Results; {
	case r == nil:
		return absent(l)
	case r.Failed > 0:
		return cell{Mark: "m-refused", Word: fmt.Sprintf("%d failed", r.Failed)}
	case r.Passed > 0:
		return cell{Mark: "m-holds", Word: fmt.Sprintf("%d passed", r.Passed)}
	}
	return cell{Mark: "m-unmet", Word: "none ran"}
}

// gateApproval is the gate that an approval meets.
const gateApproval = "approval"

func approvalOf(l line) cell {
	switch l.Decision {
	case "":
		return absent(l)
	case lifecycle.Approved:
	default:
		return cell{Mark: "m-refused", Word: l.Decision}
	}
	for _, m := range l.Missing {
		if m.Gate == gateApproval {
			return cell{Mark: "m-stale", Word: "of another state"}
		}
	}
	if isStale(l, "approvals") {
		return cell{Mark: "m-stale", Word: "stale"}
	}
	return cell{Mark: "m-holds", Word: "approved"}
}
