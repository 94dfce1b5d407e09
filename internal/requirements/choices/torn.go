package choices

import (
	"context"

	"orchestrator/internal/ledger"
)

// mostMixed is how many of the last records are searched for the contents that a power cut mixed. Between two exports a
// busy service takes some thousands.
const mostMixed = 1 << 14

// isMixed reports whether the moment of an unsynced file is explained by moments that the log has gone through: a power
// cut can leave a part of one content beside a part of another, and cuts between any two characters of the file. So the
// root begins as one root of the log and ends as another, or it is one of them and the size is another's. What a
// rollback has lost has a root that the log does not have.
func isMixed(ctx context.Context, l *ledger.Ledger, m Moment) (bool, error) {
	if !m.Unsynced {
		return false, nil
	}
	read := m.Root.String()
	begin, end := 0, 0
	size := l.Head().Size
	for last := size - min(size, mostMixed); size > last; size-- {
		root, err := l.RootAt(ctx, size)
		if err != nil {
			return false, err
		}
		known := root.String()
		begin, end = max(begin, sameBegin(read, known)), max(end, sameEnd(read, known))
		if begin+end >= len(read) {
			return true, nil
		}
	}
	return false, nil
}

// sameBegin returns how many bytes two texts of one length begin with alike.
func sameBegin(a, b string) (n int) {
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// sameEnd returns how many bytes two texts of one length end with alike.
func sameEnd(a, b string) (n int) {
	for n < len(a) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
