package tail

// Unsettled returns how many keys the WAL has written and the file not yet.
func (t *Tail) Unsettled() int {
	l := t.layers.Load()
	return l.young.Len() + l.old.Len()
}

// SettleAll gives the file everything, and keeps the WAL.
func (t *Tail) SettleAll() error {
	t.writing.Lock()
	defer t.writing.Unlock()
	return t.settleAll()
}

// Rest waits until nothing is being settled.
func (t *Tail) Rest() {
	_ = t.settle()
}

// Remembers reports whether a batch looks each entry of the file up once.
func Remembers(on Ground) bool {
	g, is := on.(*inWAL)
	if is {
		_, is = g.file.(*remembering)
	}
	return is
}
