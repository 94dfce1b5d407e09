package drift

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Edit is a run of words that two wordings share, or that one of them has alone.
type Edit struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// What became of the words of an Edit.
const (
	OpEqual  = "equal"  // both wordings have them
	OpDelete = "delete" // the earlier one alone
	OpInsert = "insert" // the later one alone
)

// Inserts reports whether the later wording alone has the words.
func (e Edit) Inserts() bool { return e.Op == OpInsert }

// Deletes reports whether the earlier wording alone has the words.
func (e Edit) Deletes() bool { return e.Op == OpDelete }

// Limits of a word diff, so that no text that somebody writes makes it slow or its answer large. The library
// gives up looking for a shorter diff after 100 edits.
const (
	longestDiffed = 64 << 10 // bytes of a wording that is compared word by word
	longestEqual  = 12       // words of an equal run that is shown whole
	aroundChange  = 5        // words that are left of a longer one beside a change
	beforeChange  = 40       // bytes that are left of equal text before a change that is not compared by words
	LongestEdit   = 1_000    // bytes of one edit
	longestDiff   = 8_000    // bytes of all edits
)

const ellipsis = "…"

// wordDiff returns what changed between two definitions of a requirement, word by word. Breaks between title, text and
// criteria count as words; white space inside of them does not.
func wordDiff(before, after lifecycle.Definition) []Edit {
	return diff(wording(before), wording(after))
}

// diff returns what changed between two wordings.
func diff(old, now string) []Edit {
	if max(len(old), len(now)) > longestDiffed {
		return replaced(old, now)
	}
	a, b := words(old), words(now)
	changes := lcs.DiffLines(a, b)
	if len(changes) == 0 {
		return replaced(old, now) // what differs is no word
	}
	return bounded(edits(a, b, changes))
}

// wording returns a definition as one text for people.
func wording(d lifecycle.Definition) string {
	var parts []string
	if !beginsWith(d.Text, d.Title) {
		parts = append(parts, d.Title)
	}
	if d.Text != "" {
		parts = append(parts, d.Text)
	}
	for _, c := range d.Acceptance {
		label := "- "
		if c.ID != "" {
			label += c.ID + ": "
		}
		parts = append(parts, label+c.Text)
	}
	return strings.Join(parts, partBreak)
}

// beginsWith reports whether a text begins with its title, as it does when the title was made from it; marks such as
// those of bold stand in the text alone.
func beginsWith(text, title string) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, want := range title {
		if !letter(want) {
			continue
		}
		at := strings.IndexFunc(text, letter)
		if at < 0 || !strings.HasPrefix(text[at:], string(want)) {
			return false
		}
		text = text[at+utf8.RuneLen(want):]
	}
	return true
}

// partBreak cannot stand in a document, which is refused when it holds a NUL.
const partBreak = "\x00"

func words(wording string) []string {
	var all []string
	for i, part := range strings.Split(wording, partBreak) {
		if i > 0 {
			all = append(all, "\n")
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}

func joined(words []string) string {
	text := strings.Join(words, " ")
	return strings.ReplaceAll(strings.ReplaceAll(text, " \n", "\n"), "\n ", "\n")
}

// replaced returns the diff of wordings that are not compared word by word: of each what follows the first difference.
func replaced(old, now string) []Edit {
	same := 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	from := max(0, same-beforeChange)
	return []Edit{{OpDelete, excerpt(old, from)}, {OpInsert, excerpt(now, from)}}
}

func excerpt(wording string, from int) string {
	text := strings.ToValidUTF8(wording[from:min(len(wording), from+LongestEdit)], "")
	if from > 0 {
		text = ellipsis + text
	}
	if from+LongestEdit < len(wording) {
		text += ellipsis
	}
	return strings.ReplaceAll(text, partBreak, "\n")
}

func edits(a, b []string, changes []lcs.Diff) []Edit {
	var all []Edit
	add := func(op string, words []string) {
		if len(words) > 0 {
			all = append(all, Edit{op, joined(words)})
		}
	}
	at := 0
	for _, c := range changes {
		add(OpEqual, shortened(a[at:c.Start], at > 0, true))
		add(OpDelete, a[c.Start:c.End])
		add(OpInsert, b[c.ReplStart:c.ReplEnd])
		at = c.End
	}
	add(OpEqual, shortened(a[at:], at > 0, false))
	return all
}

// shortened leaves of a long equal run what stands beside a change before or after it.
func shortened(run []string, before, after bool) []string {
	if len(run) <= longestEqual {
		return run
	}
	var short []string
	if before {
		short = append(short, run[:aroundChange]...)
	}
	short = append(short, ellipsis)
	if after {
		short = append(short, run[len(run)-aroundChange:]...)
	}
	return short
}

func bounded(all []Edit) []Edit {
	size := 0
	for i := range all {
		all[i].Text = fault.Clip(all[i].Text, LongestEdit)
		if size += len(all[i].Text); size > longestDiff {
			return append(slices.Clip(all[:i]), Edit{OpEqual, ellipsis})
		}
	}
	return all
}

// Difference returns what changed between two definitions of a requirement, word by word.
func Difference(before, after lifecycle.Definition) []Edit { return wordDiff(before, after) }
