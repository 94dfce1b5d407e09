package render

import (
	"strings"

	"orchestrator/internal/requirements/review"
)

// textChanges returns a block with a row for each field that changed; who, when and by which record stand in the first
// of a change.
func (d Dossier) textChanges() block {
	b := block{heading: "Changes of the text", heads: []string{"When", "By", "Record", "Field", "What changed"}}
	for _, c := range d.Texts {
		b.rows = append(b.rows, fieldRows([]cell{prose(moment(c.At)), name(c.By), number(int(c.Record))}, c.Fields)...)
	}
	return b
}

// sinceApproved returns a block with what changed in the text since each approval of another one.
func (d Dossier) sinceApproved() block {
	b := block{heading: "Changes of the text since an approval",
		heads: []string{"Approved", "By", "Field", "What changed"}}
	for _, a := range d.Approvals {
		b.rows = append(b.rows, fieldRows([]cell{prose(moment(a.At)), name(a.By)}, a.TextSince)...)
	}
	return b
}

// fieldRows returns a row for each field; what it changed in stands in the first one.
func fieldRows(of []cell, fields []review.FieldChange) (rows [][]cell) {
	for _, f := range fields {
		rows = append(rows, append(of, prose(f.Field), prose(marked(f.Words))))
		of = make([]cell, len(of))
	}
	return rows
}

// marked returns words in which [-…-] was taken out and {+…+} came in.
func marked(words []review.Words) string {
	all := make([]string, len(words))
	for i, w := range words {
		switch all[i] = w.Text; w.Op {
		case review.Out:
			all[i] = "[-" + w.Text + "-]"
		case review.In:
			all[i] = "{+" + w.Text + "+}"
		}
	}
	return strings.Join(all, " ")
}
