package control

// Positions lets tests see how far each file was read.
var Positions = (*Recorder).positions

// KeepAtMost bounds how many bytes of lines are kept in memory.
func (b *Boundary) KeepAtMost(bytes int) { b.kept.most = bytes }

// KeepFor is how long they are kept.
const KeepFor = keepFor

// Keeps returns how many lines are kept in memory.
func (b *Boundary) Keeps() int {
	b.kept.mu.RLock()
	defer b.kept.mu.RUnlock()
	if b.kept.reading == nil {
		return 0
	}
	return b.kept.reading.Lines()
}
