package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Older is a line of the older journal, delegation_audit.jsonl.
type Older struct {
	Timestamp string `json:"timestamp"`
	File      string `json:"file"`
	Tool      string `json:"tool"`
	Source    string `json:"source"` // main or agent
}

// olderWriting are the tools that the older journal counts as violations of a main session.
var olderWriting = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}

func (o Older) violation() bool { return o.Source == "main" && slices.Contains(olderWriting, o.Tool) }

// ReadOlder reads the older journal. Lines that cannot be read are counted.
func ReadOlder(from io.Reader) (lines []Older, malformed int, err error) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		raw, err := r.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return lines, malformed, err
		}
		if raw = bytes.TrimSpace(raw); long || len(raw) > 0 {
			if o, ok := parseOlder(raw); ok && !long {
				lines = append(lines, o)
			} else {
				malformed++
			}
		}
		if errors.Is(err, io.EOF) {
			return lines, malformed, nil
		}
	}
}

func parseOlder(raw []byte) (o Older, ok bool) {
	err := jsonv2.Unmarshal(raw, &o, jsontext.AllowDuplicateNames(true))
	if err != nil || o.Tool == "" || o.Source != "main" && o.Source != "agent" {
		return o, false
	}
	_, ok = olderTime(o.Timestamp)
	return o, ok
}

// olderTime reads a time with or without its zone; without one it is UTC.
func olderTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			at = at.UTC().Truncate(time.Microsecond)
			return at, at.Year() >= 1970 && at.Year() <= 9999 // which a line of the journal can have
		}
	}
	return time.Time{}, false
}

// WriteOlderReport writes the report of the older journal: how many violations, and the first ten of them.
func WriteOlderReport(to io.Writer, lines []Older) error {
	const most = 10
	var found []Older
	for _, o := range lines {
		if o.violation() {
			found = append(found, o)
		}
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(to, "No boundary violations: the journal is clean")
		return err
	}
	if _, err := fmt.Fprintf(to, "Found %d boundary violation(s)\n", len(found)); err != nil {
		return err
	}
	for _, o := range found[:min(most, len(found))] {
		if _, err := fmt.Fprintf(to, "  %s  %s  %s\n", oneLine(o.Timestamp), oneLine(o.Tool),
			oneLine(o.File)); err != nil {
			return err
		}
	}
	if more := len(found) - most; more > 0 {
		_, err := fmt.Fprintf(to, "... and %d more\n", more)
		return err
	}
	return nil
}

func oneLine(s string) string {
	quoted := fmt.Sprintf("%q", s)
	return quoted[1 : len(quoted)-1]
}

// ImportOlder adds the lines to the journal of a project, but for those that were added before. It returns how many are
// new.
func ImportOlder(dir folder.Dir, lines []Older) (added int, err error) {
	h, err := Read(dir)
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for _, l := range h.Imported {
		known[l.id] = true
	}
	for _, o := range lines {
		l := o.line()
		if known[l.ID] {
			continue
		}
		if err := dir.Append(l); err != nil {
			return added, err
		}
		known[l.ID] = true
		added++
	}
	return added, nil
}

// line returns a call out of the older journal in the form of the new one; the same call gives the same line.
func (o Older) line() folder.Line {
	at, _ := olderTime(o.Timestamp)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", o.Timestamp, o.File, o.Tool, o.Source))
	return folder.Line{
		ID: hex.EncodeToString(sum[:8]), At: at, Kind: folder.KindImported, Tool: o.Tool, Actor: &boundary.Actor{
			Kind: boundary.ActorKind(o.Source)},
		Named: []boundary.Target{{Path: fault.Clip(o.File, 2000)}},
	}
}

// WriteOlder writes what a project's journal has of files that were to be written, in the older form: a line for each
// file.
func (h *History) WriteOlder(to io.Writer) error {
	write := func(o Older) error {
		raw, err := jsonv2.Marshal(o)
		if err == nil {
			_, err = to.Write(append(raw, '\n'))
		}
		return err
	}
	for _, l := range h.Imported {
		if l.source == nil {
			continue // nobody wrote this but by hand
		}
		if err := write(Older{l.at.Format(time.RFC3339Nano), l.file, l.tool, string(*l.source)}); err != nil {
			return err
		}
	}
	for i := range h.Decisions {
		d := &h.Decisions[i]
		if d.Verdict.Class != boundary.Writes || d.Actor == nil {
			continue
		}
		source := "main"
		if d.byAgent() {
			source = "agent"
		}
		for _, t := range d.targets() {
			if err := write(Older{d.At.Format(time.RFC3339Nano), nameOf(t), d.Tool, source}); err != nil {
				return err
			}
		}
	}
	return nil
}
