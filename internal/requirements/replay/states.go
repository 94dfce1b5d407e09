package replay

import (
	"bytes"
	"compress/flate"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

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

	spare []byte // for the next encoding
	packer
}

// replayed is one requirement.
type replayed struct {
	id     string
	size   int        // in bytes, as encoded
	sum    ledger.Sum // of the encoding
	packed []byte     // the encoding, compressed; nil when only hot has it
	hot    *hotState  // nil while it rests

	status                  lifecycle.Status
	suspect, stale, retired bool
	revision                uint64
}

// hotState is a requirement as it is worked on.
type hotState struct {
	req lifecycle.Requirement
	raw []byte // its encoding
	at  *list.Element

	history []jsontext.Value // the entries of its history, as encoded; nil while nobody has asked
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
		s.heat(one, req, raw)
	}
	return req, one.size, err
}

// put takes the place of what was known of a requirement, and returns its encoding.
func (s *states) put(req lifecycle.Requirement) ([]byte, error) {
	raw, err := ledger.Encode(req)
	if err == nil {
		s.replace(req, raw, sha256.Sum256(raw), nil)
	}
	return raw, err
}

// putChanged puts a requirement that a change came to. A history only grows: its entries are encoded once. The
// encoding is valid until the next one.
func (s *states) putChanged(req lifecycle.Requirement) ([]byte, error) {
	one := s.byID[req.ID]
	if one == nil || one.hot == nil || !grew(one.hot.req.History, req.History) {
		return s.put(req)
	}
	history := one.hot.history
	for _, entry := range req.History[len(history):] {
		encoded, err := ledger.Encode(entry)
		if err != nil {
			return nil, err
		}
		history = append(history, encoded)
	}
	b := bytes.NewBuffer(slices.Grow(s.spare[:0], one.size+roomToGrow))
	if err := ledger.EncodeTo(b, withHistory{req, history}); err != nil {
		return nil, err
	}
	s.spare = one.hot.raw // which nobody needs any more
	s.replace(req, b.Bytes(), sha256.Sum256(b.Bytes()), history)
	return b.Bytes(), nil
}

// roomToGrow is by how many bytes most changes let the encoding of a requirement grow.
const roomToGrow = 1 << 10

// withHistory is a requirement whose history is encoded already. It takes the place of the requirement's own, which is
// its last member too.
type withHistory struct {
	lifecycle.Requirement
	History []jsontext.Value `json:"history"`
}

// grew reports whether a history begins with the very entries of another one.
func grew(before, after []lifecycle.HistoryEntry) bool {
	return len(after) >= len(before) && slices.EqualFunc(before, after[:len(before)], sameEntry)
}

func sameEntry(a, b lifecycle.HistoryEntry) bool {
	cited, same := a.Justification.Evidence, b.Justification.Evidence
	return a.Stamp == b.Stamp && a.From == b.From && a.To == b.To && a.Justification.Reason == b.Justification.Reason &&
		len(cited) == len(same) && (len(cited) == 0 || &cited[0] == &same[0])
}

// replace keeps a requirement with its encoding, and that of the entries of its history; nil when they are not known.
func (s *states) replace(req lifecycle.Requirement, raw []byte, sum ledger.Sum, history []jsontext.Value) {
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

// remove forgets a requirement.
func (s *states) remove(id string) {
	if one := s.byID[id]; one != nil && one.hot != nil {
		s.hot.Remove(one.hot.at)
		s.size -= one.size
	}
	delete(s.byID, id)
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
