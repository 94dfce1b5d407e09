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
const maxHot = 6 << 20

// states are the requirements that a log amounts to so far. They can be more than memory should hold, and few are
// worked on at a time: those used last are kept decoded, the others rest compressed.
type states struct {
	byID map[string]*replayed // nil before the first
	hot  list.List            // of *replayed, the one used last in front
	size int                  // of the hot ones, as encoded
	most int

	spare []byte // for the next encoding
	packer
}

// replayed is one requirement.
type replayed struct {
	id     string
	size   int               // in bytes, as encoded
	sum    [sha256.Size]byte // of the encoding
	packed []byte            // the encoding, compressed; nil when only hot has it
	hot    *hotState         // nil while it rests

	status                  lifecycle.Status
	suspect, stale, retired bool
	revision                uint64
}

type hotState struct {
	req lifecycle.Requirement
	raw []byte // its encoding
	at  *list.Element

	history int // where the entries of the history begin in raw; 0 while nobody has asked
}

func newStates(most int) *states { return &states{most: most} }

// find makes states a finder.
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
		s.heat(one, req, raw)
	}
	return req, one.size, err
}

// put takes the place of what was known of a requirement, and returns its encoding.
func (s *states) put(req lifecycle.Requirement) ([]byte, error) {
	raw, err := ledger.Encode(req)
	if err == nil {
		s.replace(req, raw, sha256.Sum256(raw), 0)
	}
	return raw, err
}

// putChanged is put for what a change came to, which is to have a digest, in hexadecimal. It returns the digest that
// it has. What is encoded already is not encoded again, unless that gives another digest. The encoding is valid until
// the next one.
func (s *states) putChanged(req lifecycle.Requirement, want string) (raw []byte, digest string, err error) {
	if one := s.byID[req.ID]; one != nil && one.hot != nil && grew(one.hot.req.History, req.History) {
		raw, history, err := one.hot.appended(s.spare, req)
		if err != nil {
			return nil, "", err
		}
		s.spare = raw
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) == want {
			s.spare = one.hot.raw // which nobody needs any more
			s.replace(req, raw, sum, history)
			return raw, want, nil
		}
	}
	raw, err = s.put(req)
	if err == nil {
		digest = hex.EncodeToString(s.byID[req.ID].sum[:])
	}
	return raw, digest, err
}

// appended is the encoding of a requirement after a change, in the place of spare, and where its history begins. The
// history, the last and often the largest member, only grows: what was encoded of it is taken over.
func (h *hotState) appended(spare []byte, req lifecycle.Requirement) (raw []byte, history int, err error) {
	b := bytes.NewBuffer(spare[:0])
	if h.history == 0 {
		if err := withoutHistory(b, h.req); err != nil {
			return nil, 0, err
		}
		h.history = b.Len()
		b.Reset()
	}
	if err := withoutHistory(b, req); err != nil {
		return nil, 0, err
	}
	history = b.Len()
	b.Write(h.raw[h.history : len(h.raw)-len(historyEnd)])
	for i := len(h.req.History); i < len(req.History); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := ledger.EncodeTo(b, req.History[i]); err != nil {
			return nil, 0, err
		}
	}
	b.WriteString(historyEnd)
	return b.Bytes(), history, nil
}

// grew tells whether a history begins with the very entries of another one.
func grew(before, after []lifecycle.HistoryEntry) bool {
	if len(after) < len(before) {
		return false
	}
	for i, b := range before {
		a := after[i]
		cited, same := b.Justification.Evidence, a.Justification.Evidence
		if a.Stamp != b.Stamp || a.From != b.From || a.To != b.To || a.Justification.Reason != b.Justification.Reason ||
			len(cited) != len(same) || len(cited) > 0 && &cited[0] != &same[0] {
			return false
		}
	}
	return true
}

// historyEnd ends the encoding of a requirement.
const historyEnd = "]}"

// withoutHistory encodes a requirement up to the first entry of its history.
func withoutHistory(b *bytes.Buffer, req lifecycle.Requirement) error {
	req.History = nil
	err := ledger.EncodeTo(b, req)
	b.Truncate(max(0, b.Len()-len(historyEnd)))
	return err
}

// replace keeps a requirement with its encoding, in which its history begins at a place; 0 when that is not known.
func (s *states) replace(req lifecycle.Requirement, raw []byte, sum [sha256.Size]byte, history int) {
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
	one.size, one.sum, one.packed = len(raw), sum, nil
	one.status, one.suspect, one.stale, one.retired, one.revision = req.Status, req.Suspect, len(req.Stale) > 0,
		req.Retired, req.Revision
	s.heat(one, req, raw)
	one.hot.history = history
}

// heat keeps a requirement decoded, and lays those to rest that were used longest ago.
func (s *states) heat(one *replayed, req lifecycle.Requirement, raw []byte) {
	one.hot = &hotState{req: req, raw: raw, at: s.hot.PushFront(one)}
	for s.size += one.size; s.size > s.most && s.hot.Len() > 1; {
		oldest := s.hot.Remove(s.hot.Back()).(*replayed)
		s.size -= oldest.size
		if oldest.packed == nil {
			oldest.packed = s.pack(oldest.hot.raw)
		}
		oldest.hot = nil
	}
}

// raw is the encoding of a requirement that is known.
func (s *states) raw(id string) []byte {
	one := s.byID[id]
	if one.hot != nil {
		return one.hot.raw
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
