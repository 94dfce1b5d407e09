package replay

import (
	"bytes"
	"compress/flate"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// How many bytes of requirements, as encoded, a replay keeps decoded, and how many it keeps encoded before it
// compresses them: few projects have more. What is compressed leaves them less room, but a third of it at least.
const (
	maxHot     = 5 << 20
	maxResting = 24 << 20
)

// states are the requirements that a log amounts to so far. They can be more than memory should hold, and few are
// worked on at a time: those used last are kept decoded, the others rest, first encoded and then compressed.
type states struct {
	byID    map[string]*replayed // nil before the first
	hot     pile                 // the one used last in front
	resting pile                 // encoded; the one laid to rest last in front
	packed  int                  // bytes of those that are compressed

	encoder jsonobject.Writer
	encoded []byte // the last encoding
	packer
}

// pile is requirements that are kept in one way.
type pile struct {
	list.List     // of *replayed
	size      int // of all, as encoded
	most      int
}

// overfull reports whether a pile has too much beside what there is already. It may always have one.
func (p *pile) overfull(beside int) bool { return p.size > p.most-beside && p.Len() > 1 }

// replayed is one requirement.
type replayed struct {
	id      string
	size    int           // in bytes, as encoded
	sum     ledger.Sum    // of the encoding
	packed  []byte        // the encoding, compressed; or nil
	resting []byte        // the encoding; or nil. While both are, hot has it in pieces
	at      *list.Element // of states.resting; nil where resting is
	hot     *hotState     // nil while it rests

	status                  lifecycle.Status
	suspect, stale, retired bool
	revision                uint64
}

// hotState is a requirement as it is worked on.
type hotState struct {
	req lifecycle.Requirement
	at  *list.Element
	pieces
}

func newStates(mostHot, mostResting int) *states {
	return &states{hot: pile{most: mostHot}, resting: pile{most: mostResting}}
}

// find implements decision.Finder.
func (s *states) find(id string) (lifecycle.Requirement, int, error) {
	one := s.byID[id]
	if one == nil {
		return lifecycle.Requirement{}, 0, nil
	}
	if one.hot != nil {
		s.hot.MoveToFront(one.hot.at)
		return one.hot.req, one.size, nil
	}
	req, _, err := projection.TableRequirements.Decode(id, s.raw(id))
	if err == nil {
		s.heat(one, req, pieces{})
	}
	return req, one.size, err
}

// put takes the place of what was known of a requirement, and returns its encoding, which is valid until the next one.
func (s *states) put(req lifecycle.Requirement) ([]byte, error) {
	return s.encode(req, lifecycle.Requirement{}, pieces{})
}

// putChanged puts a requirement that a change came to. What the change left alone is not encoded again.
func (s *states) putChanged(req lifecycle.Requirement) ([]byte, error) {
	if one := s.byID[req.ID]; one != nil && one.hot != nil {
		return s.encode(req, one.hot.req, one.hot.pieces)
	}
	return s.put(req)
}

// encode puts a requirement in the place of another one that has the given pieces.
func (s *states) encode(req, before lifecycle.Requirement, known pieces) ([]byte, error) {
	p, err := known.after(&s.encoder, before, req)
	if err != nil {
		return nil, err
	}
	s.encoded = p.append(s.encoded[:0])
	s.replace(req, p)
	return s.encoded, nil
}

// replace keeps a requirement with its encoding.
func (s *states) replace(req lifecycle.Requirement, p pieces) {
	one := s.byID[req.ID]
	if one == nil {
		if s.byID == nil {
			s.byID = map[string]*replayed{}
		}
		one = &replayed{id: req.ID}
		s.byID[req.ID] = one
	}
	s.forget(one)
	one.size, one.sum = len(s.encoded), sha256.Sum256(s.encoded)
	one.status, one.suspect, one.stale, one.retired, one.revision = req.Status, req.Suspect, len(req.Stale) > 0,
		req.Retired, req.Revision
	s.heat(one, req, p)
}

// remove forgets a requirement.
func (s *states) remove(id string) {
	one := s.byID[id]
	if one == nil {
		return
	}
	s.forget(one)
	if one.hot != nil {
		s.hot.Remove(one.hot.at)
	}
	delete(s.byID, id)
}

// forget lets go of the encoding of a requirement, which is to be another.
func (s *states) forget(one *replayed) {
	if one.hot != nil {
		s.hot.size -= one.size
	}
	s.packed -= len(one.packed)
	one.packed = nil
	s.forgetResting(one)
}

func (s *states) forgetResting(one *replayed) {
	if one.resting == nil {
		return
	}
	s.resting.Remove(one.at)
	s.resting.size -= one.size
	one.resting, one.at = nil, nil
}

// heat keeps a requirement decoded, and lays those to rest that were used longest ago.
func (s *states) heat(one *replayed, req lifecycle.Requirement, p pieces) {
	if one.hot == nil {
		one.hot = &hotState{at: s.hot.PushFront(one)}
	} else {
		s.hot.MoveToFront(one.hot.at)
	}
	one.hot.req, one.hot.pieces = req, p
	for s.hot.size += one.size; s.hot.overfull(0); {
		oldest := s.hot.Remove(s.hot.Back()).(*replayed)
		s.hot.size -= oldest.size
		s.rest(oldest)
		oldest.hot = nil
	}
}

// rest keeps a requirement encoded, and compresses those that have rested for the longest time.
func (s *states) rest(one *replayed) {
	if one.packed != nil || one.resting != nil {
		return
	}
	one.resting = one.hot.append(make([]byte, 0, one.size))
	one.at = s.resting.PushFront(one)
	for s.resting.size += one.size; s.resting.overfull(s.besideResting()); {
		oldest := s.resting.Back().Value.(*replayed)
		oldest.packed = s.pack(oldest.resting)
		s.packed += len(oldest.packed)
		s.forgetResting(oldest)
	}
}

// besideResting returns how much of the room for what rests is taken by what is compressed.
func (s *states) besideResting() int { return min(s.packed, s.resting.most*2/3) }

// table returns the requirements as a table.
func (s *states) table() ledger.Contents {
	return ledger.Contents{
		Table: projection.TableRequirements.Name,
		Sums:  sumsOf(s.byID, func(one *replayed) ledger.Sum { return one.sum }),
		Entry: s.raw,
	}
}

// digest returns the digest of a requirement that is known, in hexadecimal.
func (s *states) digest(id string) string { return hex.EncodeToString(s.byID[id].sum[:]) }

// raw returns the encoding of a requirement that is known.
func (s *states) raw(id string) []byte {
	one := s.byID[id]
	switch {
	case one.resting != nil:
		return one.resting
	case one.packed != nil:
		return s.unpack(one.packed, one.size)
	}
	return one.hot.append(make([]byte, 0, one.size))
}

// packer compresses what is seldom needed. Its zero value is ready to use.
type packer struct {
	w *flate.Writer
	r io.ReadCloser
	b bytes.Buffer
}

func (p *packer) pack(raw []byte) []byte {
	p.b.Reset()
	if p.w == nil {
		p.w, _ = flate.NewWriter(&p.b, flate.BestSpeed) // fails for an unknown level alone
	}
	p.w.Reset(&p.b)
	_, err := p.w.Write(raw)
	if err == nil {
		err = p.w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes all
	}
	return bytes.Clone(p.b.Bytes())
}

// unpack gives back what was packed, which had so many bytes.
func (p *packer) unpack(packed []byte, size int) []byte {
	if p.r == nil {
		p.r = flate.NewReader(nil)
	}
	raw := make([]byte, size)
	err := p.r.(flate.Resetter).Reset(bytes.NewReader(packed), nil)
	if err == nil {
		_, err = io.ReadFull(p.r, raw)
	}
	if err != nil {
		panic(err) // it was packed here
	}
	return raw
}
