package review

import "time"

// Shown is what a piece of evidence is about. What was not asked for, or cannot be had, is nil.
type Shown struct {
	Lines  *Excerpt `json:"lines,omitempty"`  // of a file: where the citation stands, or what stands in its place
	Cited  *Excerpt `json:"cited,omitempty"`  // of a file, stale: as it was cited
	Tests  *Tests   `json:"tests,omitempty"`  // of a test
	Commit *Commit  `json:"commit,omitempty"` // of a commit
}

// Excerpt is some lines of a file, without the secrets in them.
type Excerpt struct {
	Path   string `json:"path"`
	From   int    `json:"from"`             // the number of the first line
	Commit string `json:"commit,omitempty"` // that has the file; "" in the working tree
	Text   string `json:"text"`
	More   int    `json:"more,omitzero"`   // lines that are not shown
	Binary bool   `json:"binary,omitzero"` // the file is no text, and is not shown
}

// Tests are the cases that a test stands for in its report.
type Tests struct {
	Cases []TestCase `json:"cases"`
	More  int        `json:"more,omitzero"` // cases that are not shown
}

// TestCase is a test of a report, by its full name.
type TestCase struct {
	Name   string `json:"name"`
	Result string `json:"result"` // pass, fail or skip
}

// Commit is what a commit says of itself, which nobody has checked.
type Commit struct {
	ID         string    `json:"id"`
	Subject    string    `json:"subject"`
	AuthoredAt time.Time `json:"authored_at,omitzero"`
}
