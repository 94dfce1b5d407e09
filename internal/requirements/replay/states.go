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
)

// maxHot is how many bytes of requirements, as encoded, a replay keeps decoded.
const maxHot = 5 << 20

// states are the requirements that a log amounts to so far. They can be more than memory should hold, and few are
// worked on at a time: those used last are kept decoded, the others rest compressed.
type states struct {
	byID map[string]*replayed // nil before the first
	hot  list.List            // of *replayed, the one used last in front
	size int                  // of the hot ones, as encoded
	most int

	encoded []byte // the last encoding
	resting []byte // the encoding of what was laid to rest last
	packer
}

// replayed is one requirement.
type replayed struct {
	id     string
	size   int        // in bytes, as encoded
	sum    ledger.Sum // of the encoding
	packed []byte     // the encoding, compressed; nil when hot has it in pieces
	hot    *hotState  // nil while it rests

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

func newStates(most int) *states { return &states{most: most} }

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
	raw := s.unpack(one.packed, one.size)
	req, _, err := projection.TableRequirements.Decode(id, raw)
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
	p, err := known.after(before, req)
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
	} else if one.hot != nil {
		s.hot.Remove(one.hot.at)
		s.size -= one.size
	}
	one.size, one.sum, one.packed = len(s.encoded), sha256.Sum256(s.encoded), nil
	one.status, one.suspect, one.stale, one.retired, one.revision = req.Status, req.Suspect, len(req.Stale) > 0,
		req.Retired, req.Revision
	s.heat(one, req, p)
}

// remove forgets a requirement.
func (s *states) remove(id string) {
	if one := s.byID[id]; one != nil && one.hot != nil {
		s.hot.Remove(one.hot.at)
		s.size -= one.size
	}
	delete(s.byID, id)
}

// heat keeps a requirement decoded, and lays those to rest that were used longest ago.
func (s *states) heat(one *replayed, req lifecycle.Requirement, p pieces) {
	one.hot = &hotState{req: req, pieces: p, at: s.hot.PushFront(one)}
	for s.size += one.size; s.size > s.most && s.hot.Len() > 1; {
		oldest := s.hot.Remove(s.hot.Back()).(*replayed)
		s.size -= oldest.size
		if oldest.packed == nil {
			s.resting = oldest.hot.append(s.resting[:0])
			oldest.packed = s.pack(s.resting)
		}
		oldest.hot = nil
	}
}

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
	if one.packed == nil {
		return one.hot.append(make([]byte, 0, one.size))
	}
	return s.unpack(one.packed, one.size)
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
