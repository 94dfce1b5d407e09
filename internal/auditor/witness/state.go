package witness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/system/tree"
)

const maxState = 64 << 20

// State is what a witness knows. Its shape in the file is schemas/witness.schema.json.
type State struct {
	Witness string  `json:"witness"` // the key that verifies its cosignatures; empty before it has one
	Logs    []Log   `json:"logs"`
	Alarms  []Alarm `json:"alarms"` // never removed
}

// Log is what is kept of one log.
type Log struct {
	Origin     string     `json:"origin"`
	Key        string     `json:"key"`
	URLs       []string   `json:"urls"`       // the addresses that are pinned to it
	Checkpoint string     `json:"checkpoint"` // the last one accepted, cosigned
	Size       uint64     `json:"size"`
	Root       audit.Hash `json:"root"`
	FirstSeen  time.Time  `json:"first_seen"`
	LastSeen   time.Time  `json:"last_seen"`
}

// Alarm is a checkpoint that was refused, with what it contradicts.
type Alarm struct {
	At           time.Time          `json:"at"`
	URL          string             `json:"url"`
	Reason       string             `json:"reason"`
	Detail       string             `json:"detail"`
	Key          string             `json:"key"`                    // that the log is pinned to
	Kept         string             `json:"kept,omitempty"`         // the last checkpoint accepted, if there was one
	Presented    string             `json:"presented"`              // the checkpoint refused
	PresentedKey string             `json:"presented_key,omitzero"` // what the server says is its key, where it is another
	Proof        *audit.Consistency `json:"proof,omitzero"`         // what the server gave as a proof
}

// Newest returns the last checkpoint accepted of the log with a key, as a cosigned note.
func (s State) Newest(key string) (note string, ok bool) {
	i := slices.IndexFunc(s.Logs, func(l Log) bool { return l.Key == key })
	if i < 0 {
		return "", false
	}
	return s.Logs[i].Checkpoint, true
}

func (s State) byURL(url string) (Log, bool) {
	return s.find(func(l Log) bool { return slices.Contains(l.URLs, url) })
}

func (s State) byOrigin(origin string) (Log, bool) {
	return s.find(func(l Log) bool { return l.Origin == origin })
}

func (s State) find(wanted func(Log) bool) (Log, bool) {
	if i := slices.IndexFunc(s.Logs, wanted); i >= 0 {
		return s.Logs[i], true
	}
	return Log{}, false
}

// with returns the state with a log in the place of the one with its origin. s stays as it is.
func (s State) with(l Log) State {
	s.Logs = slices.DeleteFunc(slices.Clone(s.Logs), func(old Log) bool { return old.Origin == l.Origin })
	s.Logs = append(s.Logs, l)
	slices.SortFunc(s.Logs, func(a, b Log) int { return strings.Compare(a.Origin, b.Origin) })
	return s
}

// Read reads the state of a witness; fault.NotFound when there is none. A file that does not agree with the
// signatures in it is refused.
func Read(path string) (State, error) {
	raw, err := tree.ReadFile(context.Background(), path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, fault.New(fault.NotFound, "witness_state_missing",
			"there is no state of a witness at %s", path).
			WithFix("name the file that orchestrator audit witness keeps").Because(err)
	}
	var s State
	if err == nil {
		s, err = parse(raw)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return State{}, damaged(path, err)
	}
	return s, nil
}

// parse demands every member that write writes, and no other.
func parse(raw []byte) (s State, err error) {
	if err := jsonv2.Unmarshal(raw, &s, jsonv2.RejectUnknownMembers(true)); err != nil {
		return s, err
	}
	again, err := jsonv2.Marshal(s)
	if err != nil {
		return s, err
	}
	given, whole := jsontext.Value(raw), jsontext.Value(again)
	if err := errors.Join(given.Canonicalize(), whole.Canonicalize()); err != nil {
		return s, err
	}
	if !bytes.Equal(given, whole) {
		return s, errors.New("it has not all members of a state, or was written by another program")
	}
	return s, nil
}

func damaged(path string, cause error) error {
	return fault.New(fault.Conflict, "witness_state_damaged", "the state of the witness, %s, cannot be used: %v",
		path, cause).
		WithFix("put it back from a backup; without it the witness has forgotten what it cosigned").Because(cause)
}

// check holds the state against the signatures in it, and to its own rules.
func (s State) check() error {
	origins, urls := map[string]bool{}, map[string]bool{}
	for _, l := range s.Logs {
		c, err := audit.OpenCheckpoint([]byte(l.Checkpoint), l.Key)
		if err != nil {
			return fmt.Errorf("log %q: %w", l.Origin, err)
		}
		if c != (audit.Checkpoint{Origin: l.Origin, Size: l.Size, Root: l.Root}) {
			return fmt.Errorf("log %q is not the one of its checkpoint", l.Origin)
		}
		if origins[l.Origin] {
			return fmt.Errorf("log %q is there twice", l.Origin)
		}
		origins[l.Origin] = true
		for _, url := range l.URLs {
			if urls[url] {
				return fmt.Errorf("%s is pinned to two logs", url)
			}
			urls[url] = true
		}
	}
	return nil
}

func (s State) encode() ([]byte, error) {
	b, err := jsonv2.Marshal(s, jsontext.WithIndent("  "))
	return append(b, '\n'), err
}
