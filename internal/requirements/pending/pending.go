// Package pending has what open changes of OpenSpec propose: which change would add, modify, remove or rename which
// requirement, and where it says so. A proposal changes nothing. Several may touch one requirement, and what stands
// against one is worked out from the requirements as they are. It does no I/O; package deltas reads the files.
//
// What was read of the files is part of the state. It has names as the files have them, so that it stays right when the
// ids of requirements get another form.
package pending

import (
	"fmt"
	"reflect"
)

// What a change would do to a requirement.
const (
	Add    = "add"
	Modify = "modify"
	Remove = "remove"
	Rename = "rename"
)

// Delta is what one file of an open change proposes.
type Delta struct {
	Change  string   `json:"change"`
	Path    string   `json:"path"`
	SHA256  string   `json:"sha256,omitempty"`   // of the file; "" if it could not be read
	Entries []Entry  `json:"entries,omitempty"`  // by line
	Remarks []Remark `json:"remarks,omitempty"`  // what is wrong with the file
	More    int      `json:"more,omitzero"`      // entries and remarks that are not kept
	Same    bool     `json:"unchanged,omitzero"` // in a record: it is as the record before it left it
}

// Entry is a proposal as the file has it.
type Entry struct {
	Does        string `json:"does"`
	Name        string `json:"name"`
	To          string `json:"to,omitempty"` // the new name, if it is renamed
	Line        int    `json:"line"`
	Fingerprint string `json:"fingerprint,omitempty"` // of the text that is added, or takes the place of another
}

// Remark is something that is wrong with a file.
type Remark struct {
	Path    string `json:"path,omitempty"` // absent in Delta, which has it
	Line    int    `json:"line,omitzero"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Changes returns the deltas as a record keeps them: nil where all are as before, else each of them, and of those that
// are as before no more than their path.
func Changes(before, now []Delta) []Delta {
	if len(before) == len(now) && reflect.DeepEqual(append([]Delta{}, before...), append([]Delta{}, now...)) {
		return nil
	}
	known := byPath(before)
	changes := append([]Delta{}, now...) // not nil: there may be none any more
	for i, d := range changes {
		if was, is := known[d.Path]; is && reflect.DeepEqual(was, d) {
			changes[i] = Delta{Change: d.Change, Path: d.Path, Same: true}
		}
	}
	return changes
}

// Apply returns the deltas that the ones before and what a record keeps amount to. It reverses Changes.
func Apply(before, changes []Delta) ([]Delta, error) {
	if changes == nil {
		return before, nil
	}
	known := byPath(before)
	var now []Delta
	for _, d := range changes {
		if d.Same {
			was, is := known[d.Path]
			if !is {
				return nil, fmt.Errorf("it says that %s proposes what it did, and it proposed nothing", d.Path)
			}
			d = was
		}
		now = append(now, d)
	}
	return now, nil
}

func byPath(all []Delta) map[string]Delta {
	by := make(map[string]Delta, len(all))
	for _, d := range all {
		by[d.Path] = d
	}
	return by
}
