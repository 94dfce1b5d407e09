package feed

// Kept returns how many records are kept, and how many bytes they have.
func (f *Feed) Kept() (records, bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pace == nil {
		return 0, 0
	}
	f.pace.mu.Lock()
	defer f.pace.mu.Unlock()
	for _, p := range f.pace.kept.pieces {
		records, bytes = records+len(p.records), bytes+cap(p.bytes)
	}
	return records, bytes
}
