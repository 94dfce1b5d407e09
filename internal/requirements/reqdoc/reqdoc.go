// Package reqdoc reads the requirements out of requirement documents in Markdown.
//
// Ids are read, never invented, unless the reader asks for it (Options.Assign). What is doubtful is not taken but
// listed in Set.Skipped with its line, the reason and a way to mend it.
//
// People write requirements by several habits, called families here; the table families, in family.go, says what
// marks each, and every block of a document is read by the first family that claims it. A family has a file of its
// own. What follows holds for all that no other family claims.
//
// # Which text defines a requirement
//
//  1. Shape: letters, then groups of letters and digits joined by '-', '_' or '.', with at least one digit,
//     such as REQ-001, FR1, FR-005a, FR-1.1, REQ-F-001 or S1. A word with a number inside, such as L10N, is no id.
//  2. Place: the start of a heading, of a list item (after its check box) or of a paragraph, or a table column
//     whose body cells are all ids. Code, HTML, comments and block quotes define nothing, nor does an id later in a line.
//  3. Mark: the id is bold, alone or as "**ID: title**"; or a delimiter follows it: ':', a dash with a space after it,
//     or '.' and a space. In a heading white space is mark enough; in a paragraph nothing less than bold is.
//     A label that names two ids ("FR-001 – FR-010") is a reference.
//  4. Series: ids that share everything up to the last number are a series. It counts when one of its members has a
//     number with a leading zero, is bold with a joiner inside (or so in a column headed "ID"), is numbered 0 or 1
//     after a joiner, or has a neighbour one higher. "S3 buckets" and "HTTP2" fail here.
//  5. Never, except with a leading zero: names of standards and priorities (UTF-8, SHA-256, P1, v1.2). Small letters
//     need bold and a leading zero; a single letter and a number (S1) needs bold.
//
// A table is a list of references, not of definitions, if all its ids are defined outside tables, or in an earlier
// table with other column names.
//
// # What belongs to a requirement
//
// A heading owns everything up to the next heading of its level or higher, a paragraph everything up to the next
// heading or thematic break, a list item its item, a table row its row; each ends where the next definition begins,
// but an item goes on after an item with an id of its own within it. Text that this leaves to nobody is a warning.
// List items under a label such as "Acceptance criteria" (a heading, or a paragraph that is bold or ends in a colon),
// ids such as AC-1.1 and headings "Scenario: name" are criteria of the requirement in whose text they stand, and no
// part of it. The heading of a section (package vocabulary) tells what is out of scope, for the future, or a success
// criterion.
//
// # What is refused
//
// Two texts for one id, ids that a reader would take for one another, and templates that are not filled in. The
// package does no I/O and reads no clock: equal bytes give an equal Set. A document of more than 16 MiB, 500,000 lines
// or blocks, or 64 levels is refused before it can cost time.
package reqdoc

import "orchestrator/internal/requirements/vocabulary"

// maxListed is how many problems one answer lists.
const maxListed = 1_000

// The kinds of what a document holds. Requirements, stories, goals and future requirements with an id are tracked
// through the lifecycle; the rest is listed.
const (
	KindRequirement      = "requirement"
	KindAcceptance       = vocabulary.Acceptance
	KindScenario         = vocabulary.Scenario
	KindSuccessCriterion = vocabulary.SuccessCriterion
	KindStory            = vocabulary.Story
	KindGoal             = vocabulary.Goal
	KindEdgeCase         = vocabulary.EdgeCase
	KindOutOfScope       = vocabulary.OutOfScope
	KindFuture           = vocabulary.Future
)

// Ticks of a check box. They are what the author claims, never a status.
const (
	TickOpen   = "open"
	TickTicked = "ticked"
)

// Place is where something stands.
type Place struct {
	Path string // as File names it
	Line int    // 1-based
}

// Requirement is one definition in a document.
type Requirement struct {
	Place // of the id

	ID         string
	Title      string // plain text, never empty
	Text       string // the source of the body without title, check box and acceptance criteria; LF line ends
	Kind       string
	Acceptance []Criterion
	Parents    []string // ids of what it was derived from
	DependsOn  []string // ids of what it needs
	EndLine    int      // last line of the body
	Section    []string // plain headings above it, outermost first
	Family     string   // by which it was read
	Assigned   bool     // the id was made from section and item
	Priority   string   // as the document has it
	Tick       string   // TickOpen, TickTicked, or "" without a check box and a mark such as ✓
	Change     string   // of a delta: DeltaAdded or DeltaModified; else ""
	// "sha256:" and 64 hexadecimal digits over title, text and acceptance; the id has no part in it
	Fingerprint string
	// what releases gave for it that left marks such as ✓ in titles; "" where it is the same
	Earlier string
	written *written // if marks were taken out of it
}

// Criterion is an acceptance criterion or scenario of a requirement, on one line.
type Criterion struct {
	ID   string // as the document has it, if it does
	Kind string // KindAcceptance or KindScenario
	Text string
}

// Entry is something of a document that is no requirement of its own.
type Entry struct {
	Place

	ID    string // if the document has one
	Kind  string
	Title string
}

// Why something was skipped, or is warned of.
const (
	ReasonNearMiss    = "near_miss"   // it has an id and looks like a requirement
	ReasonPlaceholder = "placeholder" // a template is to be filled in there
	ReasonReference   = "reference"   // it refers to requirements
	ReasonHidden      = "hidden"      // it stands in code, HTML, a comment or a block quote
	ReasonUnrelated   = "unrelated"   // it has an id of something else: a standard, a risk, the document
	ReasonTotal       = "total"       // the document states another number of requirements
	ReasonRepeated    = "repeated"    // it stands there twice, word for word
	ReasonShared      = "shared"      // its id is what other documents call another one
	ReasonLink        = "link"        // it leads nowhere, or in a circle
	ReasonQuestion    = "question"    // it leaves a question open
	ReasonDelta       = "delta"       // a change to what does not exist, or a half one
	ReasonEmpty       = "empty"       // nothing was read of the document
	ReasonTemplate    = "template"    // the document was left out: it is to be filled in yet
	ReasonDraft       = "draft"       // the document was left out: it says that it is a draft
)

// Problem is one remark on a document and what to do about it.
type Problem struct {
	Place

	ID      string
	Message string
	Fix     string
	Reason  string // of what was skipped and of warnings
	Excerpt string // of the line, at most 120 characters
}

// Document is what was read of one document.
type Document struct {
	Path     string
	SHA256   string         // of its bytes, in hexadecimal
	Title    string         // first level-1 heading, plain text
	Family   string         // by which most of it was read; "" when nothing was
	Mark     string         // what shows the family, for people
	Families map[string]int // requirements by family
	Rows     int            // what looks like a requirement: those found, and the near misses among what was skipped
	Found    int            // requirements
	Others   map[string]int // what is no requirement, by kind
	Delta    bool           // it changes other documents
}
