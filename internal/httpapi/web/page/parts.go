package page

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// Bar shows how many requirements have each status, as one line with its key.
type Bar struct {
	Segments []Segment
	Said     string // the same in words
}

// Segment is the part of one status, in percent of the line.
type Segment struct {
	Status      lifecycle.Status
	Count       int
	From, Width string
}

// inBar are the statuses in the order of the bar: from what is done back to what was not begun, and what is held.
var inBar = []lifecycle.Status{
	lifecycle.Done, lifecycle.TestedPass, lifecycle.TestInProgress, lifecycle.TestedFail, lifecycle.Implemented,
	lifecycle.ImplementationInProgress, lifecycle.DesignReady, lifecycle.DesignInProgress, lifecycle.Planned,
	lifecycle.NotStarted, lifecycle.NeedsChanges, lifecycle.Blocked, lifecycle.Deferred,
}

// NewBar returns the bar of some counts.
func NewBar(counts map[lifecycle.Status]int) Bar {
	total := 0
	for _, n := range counts {
		total += n
	}
	var b Bar
	var said []string
	from := 0.0
	for _, s := range inBar {
		n := counts[s]
		if n == 0 {
			continue
		}
		width := 100 * float64(n) / float64(total)
		const gap = 0.2
		b.Segments = append(b.Segments, Segment{s, n, percent(from), percent(max(gap, width-gap))})
		said = append(said, words.Number(n)+" "+words.Status(string(s)))
		from += width
	}
	b.Said = "Of " + words.Number(total) + " requirements: " + words.And(said...)
	return b
}

func percent(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// Phrase is a piece of a sentence. One with an address is a link.
type Phrase struct{ Text, Href string }

// When is since when something is as it is.
type When struct {
	Since time.Time
	Age   string
	Long  bool // longer than the limit of its status
}

// Since returns how long something is as it is.
func Since(since, now time.Time, long bool) When {
	return When{since, words.Age(now.Sub(since)), long}
}

// Row is a requirement in a list.
type Row struct {
	ID, Title string
	Status    lifecycle.Status
	Says      string // what it lacks, after its status
	When
}

// shortID is how many characters an id may have to stand in the column of ids.
const shortID = 12

// IsLong reports whether the id has a line of its own.
func (r Row) IsLong() bool { return utf8.RuneCountInString(r.ID) > shortID }

// Href returns the address of the requirement.
func (r Row) Href() string { return To("requirements", r.ID) }

// Panel shows a refusal.
type Panel struct {
	*ask.Refusal
	Record uint64 // its number in the log; 0 where it is not on record
}

// NewPanel returns the panel of a refusal, or nil for none.
func NewPanel(r *ask.Refusal) *Panel {
	if r == nil {
		return nil
	}
	return &Panel{r, recordOf(r.Receipt)}
}

// JSON returns the problem as the API sent it.
func (p *Panel) JSON() string { return strings.TrimSpace(string(p.Body)) }

// recordOf returns the number of the record that a header Audit-Receipt names, or 0.
func recordOf(receipt string) uint64 {
	_, rest, _ := strings.Cut(receipt, "index=")
	digits, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Recorded returns a sentence about what was done, with the record that the answer names.
func Recorded(what string, got ask.Answer) string {
	if n := recordOf(got.Receipt()); n > 0 {
		return fmt.Sprintf("%s It is record %s of the log.", what, words.Number(int(n)))
	}
	return what
}

// NewKey makes an Idempotency-Key for a form. It is in lower case: the ids of access keys, which the service refuses to
// keep, begin with capital letters.
func NewKey() string { return strings.ToLower(rand.Text()) }
