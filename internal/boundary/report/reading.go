package report

import (
	"crypto/sha256"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Read reads the whole journal of a project.
func Read(dir folder.Dir) (*History, error) { return readAll(dir.Root, dir.Read) }

// FromFiles reads the whole journal of a project when it is asked to.
func FromFiles(dir folder.Dir) func() (*History, error) {
	return func() (*History, error) { return Read(dir) }
}

// ReadFile reads any one file of a journal.
func ReadFile(path string) (*History, error) {
	h, err := readAll("", func(visit func(folder.Line, error) error) error {
		return folder.ReadFile(path, visit)
	})
	if err != nil {
		return nil, fault.New(fault.NotFound, "journal_missing", "the journal %s cannot be read", path).
			WithFix("name a file of .orchestrator/boundary/journal").Because(err)
	}
	return h, nil
}

// readAll reads a history from lines of a journal, in the order in which lines gives them.
func readAll(root string, lines func(func(folder.Line, error) error) error) (*History, error) {
	r := NewReading(root)
	err := lines(func(l folder.Line, err error) error {
		r.Add(l, err)
		return nil
	})
	return r.History(), err
}

// Reading is a journal that is read line by line. What it has read so far is a history, which can be asked at any time;
// to read on takes as long as what is new. It is not for use by several goroutines.
type Reading struct {
	h      History
	lines  ids           // noDecision, or which of the decisions a line is or repeats
	uses   map[use]int32 // the latest decision on each
	told   map[gist]*told
	who    map[session]*session
	actors map[boundary.Actor]*boundary.Actor
	ruled  map[ruling]*boundary.Verdict
	texts  map[string]string // that many lines have, each once
}

const noDecision = -1

// gist is the digest of all that decisions on the same call have in common.
type gist [sha256.Size]byte

// ruling is what reports show of a verdict.
type ruling struct {
	decision, would boundary.Decision
	rule            string
	class           boundary.Class
	reason, bypass  string
	mode            boundary.Mode
}

// NewReading returns an empty history, which is to be read. The agents of its sessions are looked for in the project at
// root; where that is "" only those count that come with the clients.
func NewReading(root string) *Reading {
	return &Reading{
		h:     History{Clients: map[string]Seen{}, orphans: map[use]orphan{}, root: root},
		lines: newIDs(), uses: map[use]int32{}, told: map[gist]*told{}, who: map[session]*session{},
		actors: map[boundary.Actor]*boundary.Actor{}, ruled: map[ruling]*boundary.Verdict{}, texts: map[string]string{},
	}
}

// History returns what was read so far. It changes with what is read next; Copy keeps it.
func (r *Reading) History() *History { return &r.h }

// Lines returns how many lines were read, by which the reading takes memory.
func (r *Reading) Lines() int { return r.lines.len() }

// Add reads one more line. One that cannot be read, which err says, is counted.
func (r *Reading) Add(l folder.Line, err error) {
	if err != nil {
		r.h.Malformed++
		return
	}
	if _, known := r.lines.of(l.ID); known {
		return // a copy: the first one counts
	}
	r.lines.set(l.ID, noDecision)
	if r.h.First.IsZero() || l.At.Before(r.h.First) {
		r.h.First = l.At
	}
	l.Client = r.text(l.Client)
	if l.Client != "" {
		r.h.Clients[l.Client] = r.h.Clients[l.Client].with(l)
	}
	switch l.Kind {
	case folder.KindDecision:
		r.decide(l)
	case folder.KindOutcome:
		if l.ToolUseID != "" {
			r.end(use{r.session(l), l.ToolUseID}, orphan{l.At, r.text(l.What)})
		}
	case folder.KindLabel:
		if i, known := r.lines.of(l.Of); known && i != noDecision {
			label := r.text(l.What)
			r.h.Decisions[i].Label = &label
		}
	default:
		r.keep(l)
	}
}

// decide adds a decision, unless it repeats the last one on the same use of a tool.
func (r *Reading) decide(l folder.Line) {
	if l.Verdict == nil {
		r.h.Malformed++
		return
	}
	d := Decision{ID: l.ID, At: l.At, who: r.session(l), Actor: r.actor(l.Actor), Micros: l.Micros, told: r.common(l)}
	next := int32(len(r.h.Decisions))
	if l.ToolUseID != "" {
		of := use{d.who, l.ToolUseID}
		if i, known := r.uses[of]; known {
			before := &r.h.Decisions[i]
			if d.told == before.told && d.Actor == before.Actor && folder.AtOnce(d.At, before.At) {
				r.lines.set(l.ID, i)
				r.h.Repeated = append(r.h.Repeated, l.At)
				return
			}
			d.Outcome, before.Outcome = before.Outcome, ""
		} else if o, ran := r.h.orphans[of]; ran {
			d.Outcome = o.what
			delete(r.h.orphans, of)
		}
		r.uses[of] = next
	}
	r.lines.set(l.ID, next)
	r.h.Decisions = append(r.h.Decisions, d)
}

// end notes what became of a use of a tool: of the latest decision on it, which may still come.
func (r *Reading) end(of use, o orphan) {
	if i, known := r.uses[of]; known {
		r.h.Decisions[i].Outcome = o.what
		return
	}
	r.h.orphans[of] = o
}

// common returns what a decision has in common with others.
func (r *Reading) common(l folder.Line) *told {
	raw, _ := l.Gist() // a line that was read can be written
	of := gist(sha256.Sum256(raw))
	if t := r.told[of]; t != nil {
		return t
	}
	t := &told{
		Client: l.Client, Tool: r.text(l.Tool), OwnTool: r.text(l.OwnTool), Mode: l.Mode, Shell: l.Shell,
		Guarded: l.Guarded, Puts: l.Puts, Notes: l.Notes, Named: l.Named, Reads: l.Reads, Parts: l.Parts,
		Homes: l.Homes, Verdict: r.verdict(*l.Verdict),
	}
	t.does = t.named()
	r.told[of] = t
	return t
}

// verdict returns what reports show of a verdict.
func (r *Reading) verdict(v boundary.Verdict) *boundary.Verdict {
	of := ruling{v.Decision, v.Would, v.Rule, v.Class, v.Reason, v.Bypass, v.Mode}
	known := r.ruled[of]
	if known == nil {
		known = &boundary.Verdict{Decision: v.Decision, Would: v.Would, Rule: v.Rule, Class: v.Class, Reason: v.Reason,
			Bypass: v.Bypass, Mode: v.Mode}
		r.ruled[of] = known
	}
	return known
}

func (r *Reading) session(l folder.Line) *session {
	s := session{l.Client, l.Session}
	known := r.who[s]
	if known == nil {
		known = &s
		r.who[s] = known
	}
	return known
}

func (r *Reading) actor(a *boundary.Actor) *boundary.Actor {
	if a == nil {
		return nil
	}
	known := r.actors[*a]
	if known == nil {
		known = a
		r.actors[*a] = a
	}
	return known
}

func (r *Reading) text(s string) string {
	if known, met := r.texts[s]; met {
		return known
	}
	r.texts[s] = s
	return s
}

// keep keeps a line that is about no call.
func (r *Reading) keep(l folder.Line) {
	h := &r.h
	switch l.Kind {
	case folder.KindError:
		h.Errors = append(h.Errors, ErrorSeen{l.At, l.Client, l.Reason})
	case folder.KindMode:
		h.Modes = append(h.Modes, l)
	case folder.KindGrant:
		h.Bypasses = append(h.Bypasses, l)
	case folder.KindDrill:
		h.Drills = append(h.Drills, l)
	case folder.KindImported:
		h.Imported = append(h.Imported, importedOf(l))
	case folder.KindAttestation:
		h.Attestations = append(h.Attestations, l)
	case folder.KindRecovery:
		h.Accounts = append(h.Accounts, l)
	case folder.KindReview:
		h.Reviewed = append(h.Reviewed, l)
	}
}

func importedOf(l folder.Line) imported {
	i := imported{id: l.ID, tool: l.Tool, at: l.At}
	if len(l.Named) > 0 && l.Actor != nil {
		i.file, i.source = l.Named[0].Path, &l.Actor.Kind
	}
	return i
}
