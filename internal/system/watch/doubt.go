package watch

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"time"
)

// doubt is that a file is whole. Who writes a file in place empties it first, and may pause in the middle: what is
// there then is no change that anybody made. Nothing tells when the writer is done but that the file is left alone.
type doubt struct {
	sum   [sha256.Size]byte      // of what was seen last
	files map[string]fs.FileInfo // that are being written, by name
	until time.Time              // when it ends in any case
}

// doubtful reports whether what is there now may be half written. It is believed when it was left alone since the last
// look, which is as long ago as postpone makes it; a look that finds other content, without any event, begins anew.
func (f *file) doubtful(now content, at time.Time, debounce time.Duration) bool {
	files := f.shortened(now)
	if len(files) == 0 {
		f.doubt = nil
		return false
	}
	if f.doubt == nil {
		f.doubt = &doubt{until: at.Add(patience * settling * debounce)}
	} else if f.doubt.sum == now.sum || !at.Before(f.doubt.until) {
		f.doubt = nil
		return false
	}
	f.doubt.sum, f.doubt.files = now.sum, files
	return true
}

// shortened returns the files that were written in place and lost something, or everything. A file that was in doubt
// stays so when it grows: its writer may pause more than once.
func (f *file) shortened(now content) map[string]fs.FileInfo {
	files := map[string]fs.FileInfo{}
	for name, it := range now.parts {
		was, known := f.last.parts[name]
		lost := known && it.size < was.size && (it.size == 0 || os.SameFile(it.info, was.info))
		if f.doubt != nil && !lost {
			before := f.doubt.files[name]
			lost = before != nil && os.SameFile(it.info, before)
		}
		if lost {
			files[name] = it.info
		}
	}
	return files
}
