package projection

import "io"

// ExportFileOf returns the export of a snapshot. Reading it takes no more memory than the snapshot does.
func ExportFileOf(s *Snapshot) ExportFile {
	return func() (io.Reader, error) {
		head, err := headOf(s)
		return &reader{snapshot: s, part: head}, err
	}
}

// reader reads an export part by part. The first part is the head; each requirement is two, after what separates it from
// the one before; the last part is the end of the file.
type reader struct {
	snapshot *Snapshot
	begun    int    // how many parts
	part     []byte // what is left of the last of them
}

func (r *reader) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if r.begun > 2*len(r.snapshot.position) {
			return 0, io.EOF
		}
		r.begun++
		r.part = r.at(r.begun)
	}
	n := copy(b, r.part)
	r.part = r.part[n:]
	return n, nil
}

// at returns a part after the head.
func (r *reader) at(part int) []byte {
	place := (part - 1) / 2
	switch {
	case place == len(r.snapshot.position):
		return []byte(fileEnd)
	case part%2 == 0:
		return r.snapshot.chunks[place/chunkSize][place%chunkSize].Raw
	case place == 0:
		return []byte(firstSeparator)
	}
	return []byte(nextSeparator)
}
