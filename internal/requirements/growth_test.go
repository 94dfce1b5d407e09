package requirements

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/lifecycle"
)

// An import of more requirements than are encoded at once, some of them known, has each of them in the log and the
// state.
func TestAnImportOfMany(t *testing.T) {
	const few, many = 100, 700
	r := start(t, store.NewMemory())
	for _, n := range []int{few, many} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "- **REQ-%03d**: A customer can do the thing with the number %d, of %d.\n", i, i, n)
		}
		r.mustImport("# Shop\n\n" + text.String())
		r.verified()
		require.Equal(t, n, r.State().Requirements)
	}
	for i := range many {
		req, found := r.current.Load().Find(fmt.Sprintf("REQ-%03d", i))
		require.True(t, found)
		require.Equal(t, fmt.Sprintf("A customer can do the thing with the number %d, of %d.", i, many),
			req.Requirement().Text)
	}
}

// TestGrowth measures what a decision costs on disk; docs/growth.md has its figures. go test -run Growth -v prints them.
func TestGrowth(t *testing.T) {
	const requirements, rounds = 50, 10
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	defer s.Close()
	r := start(t, s, func(o *Options) { o.ExportPath, o.ExportWait = "", 0 })
	var text strings.Builder
	for n := range requirements {
		fmt.Fprintf(&text, "- **REQ-%03d**: A customer can do the thing with the number %d, and is told how it went.\n", n, n)
	}
	r.mustImport("# Shop\n\n" + text.String())
	id := func(n int) string { return fmt.Sprintf("REQ-%03d", n%requirements) }
	cody, ada := lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}, lifecycle.Actor{Name: "ada", Role: lifecycle.Architect}
	change := `{"implementation":{"summary":"Appends the record in the transaction that makes the change %d.","files":[{"path":"internal/ledger/tx.go","lines":"40-88"}],"commits":["%012x"]}}`

	for _, c := range []struct {
		what string
		most float64 // bytes of a record
		do   func(n int)
	}{
		{"a note of 60 bytes", 600, func(n int) {
			r.must(paula, id(n), fmt.Sprintf(`{"pm_notes":[{"text":"agreed with the customer on the phone, call number %d"}]}`, n))
		}},
		{"an implementation of 150 bytes", 800, func(n int) { r.must(cody, id(n), fmt.Sprintf(change, n, n)) }},
		{"a refused move", 1200, func(n int) {
			r.clock.wind(time.Minute) // so that none is folded
			r.refused(ada, id(n), `{"status":"done"}`, "field_forbidden")
		}},
	} {
		before, size := r.ledger.Head(), tablesOf(t, r.ledger)
		for n := range requirements * rounds {
			c.do(n)
		}
		after := tablesOf(t, r.ledger)
		n := float64(r.ledger.Head().Size - before.Size)
		require.InDelta(t, requirements*rounds, n, 0)
		per := func(table string) float64 { return float64(after[table]-size[table]) / n }
		require.Less(t, per("audit"), c.most)
		require.Zero(t, after["hashes"], "the nodes of the tree lie in the rows of the records")
		t.Logf("%-32s record and tree %4.0f bytes, requirement and others %4.0f", c.what, per("audit"),
			per("requirements")+per("subjects")+per("project")+per("meta"))
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	tables := tablesOf(t, r.ledger)
	var all int
	for _, bytes := range tables {
		all += bytes
	}
	t.Logf("%d records: entries %.1f MB, file %.1f MB", r.ledger.Head().Size, float64(all)/1e6, float64(info.Size())/1e6)
}

// tablesOf is the bytes of keys and values by table.
func tablesOf(t *testing.T, l *ledger.Ledger) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for _, table := range []string{"audit", "hashes", "subjects", "requirements", "project", "meta", "idempotency", "blobs"} {
			sum := 0
			err := r.Scan(table, "", "", func(key string, value []byte) error {
				sum += len(key) + len(value)
				return nil
			})
			if err != nil {
				return err
			}
			sizes[table] = sum
		}
		return nil
	}))
	return sizes
}
