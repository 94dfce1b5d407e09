package feed

import "sort"

// Bounds of what is held in memory.
const (
	mostKept  = 4096     // records, for all readers
	mostBytes = 4 << 20  // of them
	pieceSize = 64 << 10 // of what one reader has; no record is larger
)

// piece is records that follow each other, with their bytes in one piece of memory. A reader that has some of them
// holds no other piece.
type piece struct {
	records []Record
	bytes   []byte
}

// pieces appends records to pieces, encoded. What others read of the last piece stays as it is.
func (f *Feed) pieces(to []piece, records []Record) []piece {
	var frame []byte
	for _, r := range records {
		frame = f.encode(frame[:0], r)
		if last := len(to) - 1; last < 0 || cap(to[last].bytes)-len(to[last].bytes) < len(frame) {
			to = append(to, piece{bytes: make([]byte, 0, max(pieceSize, len(frame)))})
		}
		p := &to[len(to)-1]
		p.bytes = append(p.bytes, frame...)
		r.Bytes = p.bytes[len(p.bytes)-len(frame):]
		p.records = append(p.records, r)
	}
	return to
}

// Together returns the bytes of records that follow each other in what Next has returned.
func Together(records []Record) []byte {
	n := 0
	for _, r := range records {
		n += len(r.Bytes)
	}
	return records[0].Bytes[:n]
}

// kept is the newest records.
type kept struct {
	pieces  []piece
	records int
	end     uint64 // number of the record that comes next
}

// from returns records from a number on, or that it is before what is kept.
func (k *kept) from(n uint64) (records []Record, before bool) {
	if n >= k.end {
		return nil, false
	}
	if n < k.end-uint64(k.records) {
		return nil, true
	}
	at := sort.Search(len(k.pieces), func(i int) bool { return k.pieces[i].records[0].Number > n }) - 1
	p := k.pieces[at].records
	return p[n-p[0].Number:], false
}

// forget lets the oldest go of what is too much.
func (k *kept) forget() {
	for k.records > mostKept || len(k.pieces) > mostBytes/pieceSize {
		k.records -= len(k.pieces[0].records)
		k.pieces[0] = piece{}
		k.pieces = k.pieces[1:]
	}
}
