package pending

import (
	"fmt"
	"slices"
	"strconv"

	"orchestrator/internal/requirements/qualify"
)

// Proposal is what an open change would do to a requirement, as it is shown.
type Proposal struct {
	Change      string   `json:"change"`
	Does        string   `json:"does"`
	Requirement string   `json:"requirement"`  // its whole id
	To          string   `json:"to,omitempty"` // the whole id that it would have
	Path        string   `json:"path"`
	Line        int      `json:"line"`
	Applied     bool     `json:"applied,omitzero"`    // the documents have its text already
	Conflicts   []string `json:"conflicts,omitempty"` // what stands against it

	fingerprint string
}

// Open is what all open changes propose. A nil Open proposes nothing.
type Open struct {
	Proposals []Proposal `json:"proposals"`
	Remarks   []Remark   `json:"remarks,omitempty"`
	More      int        `json:"more,omitzero"` // proposals and remarks that are not kept
}

// Known says what the documents have of a requirement: the fingerprint of its text; false if they do not define it. Of
// a requirement that they once defined, and no longer do, the fingerprint is not empty.
type Known func(id string) (fingerprint string, defined bool)

// Of returns what deltas propose to the requirements of a project, whose ids have a form of package qualify; nil if
// there are no deltas.
func Of(deltas []Delta, form string, known Known) *Open {
	if len(deltas) == 0 {
		return nil
	}
	open := &Open{Proposals: []Proposal{}}
	for _, d := range deltas {
		open.Proposals = append(open.Proposals, d.proposals(form, known)...)
		for _, r := range d.Remarks {
			r.Path = d.Path
			open.Remarks = append(open.Remarks, r)
		}
		open.More += d.More
	}
	by := map[string][]*Proposal{}
	for i := range open.Proposals {
		for _, id := range open.Proposals[i].touches() {
			by[id] = append(by[id], &open.Proposals[i])
		}
	}
	for i := range open.Proposals {
		open.Proposals[i].judge(known, by)
	}
	return open
}

// String returns what a change would do, or did already, as one line.
func (p Proposal) String() string {
	to := ""
	if p.To != "" {
		to = " to " + p.To
	}
	if p.Applied {
		return p.Change + " would " + p.Does + " " + p.Requirement + to + ", as the documents have it already"
	}
	return p.Change + " would " + p.Does + " " + p.Requirement + to
}

// Summary returns how many proposals there are, and how many of them something stands against.
func (o *Open) Summary() string {
	conflicts := 0
	for _, p := range o.Proposals {
		if len(p.Conflicts) > 0 {
			conflicts++
		}
	}
	if conflicts == 0 {
		return strconv.Itoa(len(o.Proposals))
	}
	return fmt.Sprintf("%d, of which %d in conflict", len(o.Proposals), conflicts)
}

// On returns what is proposed to a requirement, by its id or by the one that it would get.
func (o *Open) On(id string) (all []Proposal) {
	if o == nil {
		return nil
	}
	for _, p := range o.Proposals {
		if slices.Contains(p.touches(), id) {
			all = append(all, p)
		}
	}
	return all
}

// proposals returns the entries with whole ids. What is modified under its new name is called as the documents call it.
func (d Delta) proposals(form string, known Known) (all []Proposal) {
	folder := qualify.FolderOf(form, d.Path, true)
	old := map[string]string{}
	for _, e := range d.Entries {
		if e.Does == Rename {
			old[e.To] = e.Name
		}
	}
	for _, e := range d.Entries {
		name := e.Name
		if before := old[name]; e.Does == Modify && before != "" {
			if _, renamed := known(qualify.Whole(folder, name)); !renamed {
				name = before
			}
		}
		p := Proposal{Change: d.Change, Does: e.Does, Requirement: qualify.Whole(folder, name), Path: d.Path, Line: e.Line,
			fingerprint: e.Fingerprint}
		if e.Does == Rename {
			p.To = qualify.Whole(folder, e.To)
		}
		all = append(all, p)
	}
	return all
}

func (p Proposal) touches() []string {
	if p.To != "" {
		return []string{p.Requirement, p.To}
	}
	return []string{p.Requirement}
}

// maxNamed is how many proposals are named that stand against one.
const maxNamed = 5

// judge says what stands against a proposal: the documents, and other open changes.
func (p *Proposal) judge(known Known, by map[string][]*Proposal) {
	_, defined := known(p.Requirement)
	_, taken := known(p.To)
	others := make([]*Proposal, 0, len(by[p.Requirement]))
	for _, id := range p.touches() {
		for _, other := range by[id] {
			if other.Change != p.Change {
				others = append(others, other)
			}
		}
	}
	p.Applied = p.made(known)
	switch {
	case p.Applied:
	case p.Does == Add && defined:
		p.against("the documents define it with another text")
	case p.Does != Add && !defined:
		p.againstNothing(others)
	}
	if !p.Applied && p.To != "" && taken {
		p.against("the documents define %s already", p.To)
	}
	n := 0
	for _, other := range others {
		if p.agrees(other) {
			continue
		}
		if n++; n <= maxNamed {
			p.against("%s would %s it, too (%s:%d)", other.Change, other.Does, other.Path, other.Line)
		}
	}
	if n > maxNamed {
		p.against("%d more changes stand against it", n-maxNamed)
	}
}

// made reports whether the documents are as the proposal would make them.
func (p *Proposal) made(known Known) bool {
	fingerprint, defined := known(p.Requirement)
	switch p.Does {
	case Remove:
		return !defined && fingerprint != ""
	case Rename:
		_, taken := known(p.To)
		return !defined && taken
	}
	return defined && fingerprint == p.fingerprint
}

// againstNothing says that there is nothing to change, unless another change brings it.
func (p *Proposal) againstNothing(others []*Proposal) {
	for _, other := range others {
		if other.Does == Add && other.Requirement == p.Requirement || other.To == p.Requirement {
			return
		}
	}
	p.against("no document defines it")
}

func (p *Proposal) against(format string, args ...any) {
	if conflict := fmt.Sprintf(format, args...); !slices.Contains(p.Conflicts, conflict) {
		p.Conflicts = append(p.Conflicts, conflict)
	}
}

// agrees reports whether two changes can both be made, in one order or the other: they come to the same, or one is made
// to what the other adds.
func (p *Proposal) agrees(other *Proposal) bool {
	switch {
	case p.Does == Add && other.Does == Add, p.Does == Modify && other.Does == Modify:
		return p.fingerprint == other.fingerprint
	case p.Does == Remove && other.Does == Remove:
		return true
	case p.Does == Rename && other.Does == Rename:
		return p.Requirement == other.Requirement && p.To == other.To
	case p.Does == Add && p.Requirement == other.Requirement:
		return other.Does != Add
	case other.Does == Add && p.Requirement == other.Requirement:
		return true
	}
	return false
}
