package review

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"unique"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/rules/lifecycle"
)

// Source is what a requirement is read from. One that is equal to another has the same requirement.
type Source interface{ Requirement() lifecycle.Requirement }

// Rows keeps what a review makes of each requirement, so that the next one reads and judges those alone that changed.
// The zero value has nothing yet. It must not be used by two at a time.
type Rows struct {
	workflow string // by which the lines were judged
	lines    []*line
}

// maxKept bounds what is kept from one review to the next, in bytes of encoded rows.
const maxKept = 64 << 20

// line is what a review makes of one requirement. It never changes.
type line struct {
	source Source
	ids    *idmatch.IDs            // that tell whether its tests cover it; nil where it cites none
	files  []unique.Handle[string] // of its implementation
	dirty  []string                // those of them that have uncommitted changes
	row    encoded
	facts
}

// encoded is a row in JSON, in three parts one after the other. What is next and what is missing is the same for many
// requirements, and what follows as well: these parts are shared.
type encoded struct {
	head         string
	middle, tail unique.Handle[string]
}

// Full reviews a project, as the function Full does, but for the requirements and the files with uncommitted changes of
// in: sources has the requirements by their ids, in the same order, and dirty returns which of some files have such
// changes. By the time that dirty is called, r has what was judged, and a copy of it may be used.
func (r *Rows) Full(in Input, sources iter.Seq2[string, Source], dirty func(paths []string) map[string]bool) Encoded {
	if r.workflow != in.Workflow.Name {
		*r = Rows{workflow: in.Workflow.Name}
	}
	in.Requirements, in.Dirty = nil, nil
	known, ends := lookup{kept: r.lines}, in.Workflow.DeadEnds()
	lines := make([]*line, 0, len(r.lines))
	for id, source := range sources {
		l := known.at(len(lines), id)
		if l == nil || l.source != source || l.ids != nil && l.ids != in.IDs {
			l = in.line(ends, source)
		}
		lines = append(lines, l)
	}
	r.keep(lines, maxKept)
	in.Dirty = dirty(filesOf(lines))
	lines = slices.Clone(lines) // a copy of r may have the others
	p, t := in.frame(), newTally(in.Workflow)
	for i, l := range lines {
		if !slices.Equal(l.dirty, dirtyAmong(l.paths(), in.Dirty)) {
			l = in.line(ends, l.source)
			lines[i] = l
		}
		t.add(l.facts)
	}
	p.conclude(t)
	r.keep(lines, maxKept)
	return Encoded{p, in, lines}
}

// line makes the line of one requirement anew.
func (in Input) line(dead []lifecycle.Status, source Source) *line {
	req := source.Requirement()
	row := in.row(dead, req)
	l := &line{source: source, dirty: row.Dirty, row: encode(row), facts: factsOf(row, req)}
	if row.Covered != nil {
		l.ids = in.IDs
	}
	for _, path := range FilesOf(req) {
		l.files = append(l.files, unique.Make(path))
	}
	l.status = unique.Make(row.Status).Value()
	return l
}

func (l *line) paths() []string {
	paths := make([]string, len(l.files))
	for i, f := range l.files {
		paths[i] = f.Value()
	}
	return paths
}

// filesOf returns the files of all implementations, sorted, each once.
func filesOf(lines []*line) []string {
	all := map[unique.Handle[string]]struct{}{}
	for _, l := range lines {
		for _, f := range l.files {
			all[f] = struct{}{}
		}
	}
	paths := make([]string, 0, len(all))
	for f := range maps.Keys(all) {
		paths = append(paths, f.Value())
	}
	slices.Sort(paths)
	return paths
}

// keep keeps the lines for the next review, as many of them as most bytes have room for.
func (r *Rows) keep(lines []*line, most int) {
	size := 0
	for i, l := range lines {
		if size += len(l.row.head) + len(l.row.tail.Value()); size > most {
			lines = lines[:i:i]
			break
		}
	}
	r.lines = lines
}

// lookup finds the kept line of a requirement.
type lookup struct {
	kept []*line
	byID map[string]*line // once they are in another order
}

// at returns the line of an id, which most have at the place that they had before; nil where there is none.
func (k *lookup) at(place int, id string) *line {
	if place < len(k.kept) && k.kept[place].id == id {
		return k.kept[place]
	}
	if k.byID == nil {
		k.byID = make(map[string]*line, len(k.kept))
		for _, l := range k.kept {
			k.byID[l.id] = l
		}
	}
	return k.byID[id]
}

// encode encodes a row, and cuts it where what is common to many begins and ends. No text of a row can look like the
// name of a member, since a quote in it is escaped.
func encode(row Requirement) encoded {
	b, err := jsonv2.Marshal(row, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // it has nothing that JSON has not
	}
	from := max(bytes.Index(b, []byte(`,"ok":`)), 0)
	to := len(b)
	for _, name := range []string{`,"stale":`, `,"moved":`, `,"suspect":`} {
		if at := bytes.Index(b[from:], []byte(name)); at >= 0 {
			to = min(to, from+at)
		}
	}
	return encoded{string(b[:from]), unique.Make(string(b[from:to])), unique.Make(string(b[to:]))}
}
