package feed

// Kept returns how many records are kept, and how many bytes they have.
func (f *Feed) Kept() (records, bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.kept), size(f.kept)
}
