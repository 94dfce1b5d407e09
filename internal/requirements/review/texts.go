package review

import "time"

// TextChange is a change of what the documents say of a requirement.
type TextChange struct {
	At     time.Time     `json:"at"`
	By     string        `json:"by"`     // who imported it, or renamed the requirement
	Record uint64        `json:"record"` // of the import or the renaming
	Fields []FieldChange `json:"fields"`
}

// FieldChange is what changed in one field, word by word. Of long texts it has what stands around the changes.
type FieldChange struct {
	Field string  `json:"field"` // title, text, criteria, kind or priority
	Words []Words `json:"words"`
}

// Words is a run of words that two texts share, or that one of them has alone.
type Words struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// What became of Words.
const (
	Same = "same" // both texts have them
	Out  = "out"  // the earlier one alone
	In   = "in"   // the later one alone
)
