package feed

// Kept returns how many records are kept.
func (f *Feed) Kept() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.kept)
}
