package auditor

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

var caseCount = flag.Int("cases", 0, "random cases of each kind of tampering (default 100 with -v, else 30)")

// cases is how often each kind of tampering is tried, in each of its forms by turns.
func cases() int {
	switch {
	case *caseCount > 0:
		return *caseCount
	case raceEnabled: // which makes each ten times slower
		return 3
	case testing.Short():
		return 3 // one of each form
	case testing.Verbose():
		return 100
	}
	return 30
}

const columns = 3

const (
	all  = 100
	none = 0
	some = -1 // measured, and not demanded
)

// row is one kind of tampering. The figures are percent found with nothing from outside; with the key and a checkpoint
// kept from before the place that was changed, if there is such a one; and with the key and one from after it.
type row struct {
	name  string
	forms string // "server bundle database"
	spoil func(*testing.T, *rand.Rand, *world) copied
	want  [columns]int
	named bool // the first bad record must be named
}

var everywhere, outside = "server bundle database", "server bundle"

// flip changes one bit or more of one byte, in a copy.
func flip(rnd *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
	return b
}

// place is a record to tamper with, not among those that the first start makes.
func (w *world) place(rnd *rand.Rand) int { return 5 + rnd.IntN(len(w.log.records)-7) }

// changes of the records, each with the first record that is another.
var changes = []struct {
	name   string
	change func(*testing.T, *rand.Rand, *copied, int)
}{
	{"flip a byte of a record", func(_ *testing.T, rnd *rand.Rand, c *copied, n int) { c.records[n] = flip(rnd, c.records[n]) }},
	{"delete a record", func(_ *testing.T, _ *rand.Rand, c *copied, n int) { c.records = slices.Delete(c.records, n, n+1) }},
	{"reorder two records", func(_ *testing.T, rnd *rand.Rand, c *copied, n int) {
		other := n + 1 + rnd.IntN(len(c.records)-n-1)
		c.records[n], c.records[other] = c.records[other], c.records[n]
	}},
	{"duplicate a record", func(_ *testing.T, _ *rand.Rand, c *copied, n int) {
		c.records = slices.Insert(c.records, n, c.records[n-1])
	}},
	{"insert a forged record", func(t *testing.T, _ *rand.Rand, c *copied, n int) {
		c.records = slices.Insert(c.records, n, edited(t, c.records[n], func(r *audit.Record) { r.Actor.Name = "mallory" }))
	}},
}

// edited is a record with changes, encoded as records are.
func edited(t *testing.T, raw []byte, edit func(*audit.Record)) []byte {
	t.Helper()
	r, err := audit.Decode(raw)
	require.NoError(t, err)
	edit(&r)
	raw, err = audit.Encode(r)
	require.NoError(t, err)
	return raw
}

// rowsOfRecords are the changes of records, by somebody who changes nothing else, who computes all hashes anew, and
// who holds the key and signs that anew.
func rowsOfRecords() (rows []row) {
	for _, c := range changes {
		change := func(with func(*testing.T, *copied, *world)) func(*testing.T, *rand.Rand, *world) copied {
			return func(t *testing.T, rnd *rand.Rand, w *world) copied {
				t.Helper()
				log, n := w.log.clone(), w.place(rnd)
				c.change(t, rnd, &log, n)
				log.first, log.from = n, uint64(n)
				if with != nil {
					log.tree = log.records
					with(t, &log, w)
				} else {
					log.gap = len(log.records) < len(log.tree)
				}
				return log
			}
		}
		flipped := strings.HasPrefix(c.name, "flip")
		anew := row{c.name + ", all signed anew", everywhere, change(func(t *testing.T, log *copied, w *world) { log.resign(t, w.signer) }), [columns]int{all, all, all}, true}
		if flipped { // a time or the name of a request is as good as another
			anew.want = [columns]int{some, some, all}
			anew.named = false
		}
		rows = append(rows,
			row{c.name, everywhere, change(nil), [columns]int{all, all, all}, true},
			row{c.name + ", hashes recomputed", outside, change(func(*testing.T, *copied, *world) {}), [columns]int{all, all, all}, !flipped}, anew)
	}
	return rows
}

// rowsOfFiles are flips of a byte of what is no record.
func rowsOfFiles() []row {
	file := func(pick func(*rand.Rand) string) func(*testing.T, *rand.Rand, *world) copied {
		return func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log, path := w.log.clone(), pick(rnd)
			content := w.log.lay(t)[path]
			require.NotEmpty(t, content, path)
			log.changed[path], log.first = flip(rnd, content), -1
			return log
		}
	}
	named := func(path string) func(*rand.Rand) string { return func(*rand.Rand) string { return path } }
	found := [columns]int{all, all, all}
	blob := func(_ *testing.T, rnd *rand.Rand, w *world) copied {
		log := w.log.clone()
		for digest, data := range log.blobs {
			log.blobs[digest] = flip(rnd, data)
			log.first = slices.IndexFunc(log.records, func(raw []byte) bool { return bytes.Contains(raw, []byte(digest)) })
		}
		return log
	}
	return []row{
		{"flip a byte of a tile of leaves", outside, file(func(rnd *rand.Rand) string { return fmt.Sprintf("tile/0/00%d", rnd.IntN(2)) }), found, false},
		{"flip a byte of a tile above", outside, file(named("tile/1/000.p/2")), found, false},
		{"flip a byte of the data beside", everywhere, blob, found, true},
		{"flip a byte of the checkpoint", outside, file(named(pathCheckpoint)), found, false},
		{"flip a byte of the key", outside, file(named(pathKey)), found, false},
		{"flip a byte of the state", everywhere, func(_ *testing.T, rnd *rand.Rand, w *world) copied {
			log := w.log.clone()
			log.state, log.first = flip(rnd, log.state), -1
			return log
		}, found, false},
		{"flip a byte of a stored node", "database", func(_ *testing.T, rnd *rand.Rand, w *world) copied {
			log := w.log.clone()
			n := w.place(rnd)
			log.tree[n], log.first = flip(rnd, log.tree[n]), -1
			return log
		}, found, false},
		{"take a file away", outside, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			log := w.log.clone()
			paths := []string{pathKey, pathCheckpoint, "tile/entries/000", "tile/0/001", "tile/1/000.p/2", blobPrefix + onlyKey(log.blobs)}
			log.changed[paths[rnd.IntN(len(paths))]], log.first = nil, -1
			return log
		}, found, false},
		{"put a file in", "bundle", func(_ *testing.T, rnd *rand.Rand, w *world) copied {
			log := w.log.clone()
			paths := []string{"tile/entries/000.p/7", "tile/entries/003", "tile/0/002", "tile/2/000.p/1", "blobs/" + strings.Repeat("a", 64), "../evil", "/etc/passwd", "readme.txt", "Key"}
			log.changed[paths[rnd.IntN(len(paths))]], log.first = []byte("x"), -1
			return log
		}, found, false},
	}
}

func onlyKey[V any](m map[string]V) (key string) {
	for key = range m {
	}
	return key
}

// figure is how many of the tried cases were found.
type figure struct{ found, tried int }

func (f *figure) add(found bool) {
	f.tried++
	if found {
		f.found++
	}
}

func (f figure) String() string {
	return fmt.Sprintf("%d %%", 100*f.found/f.tried)
}

// TestTamper applies every kind of tampering, in every form that a log reaches an outsider in, to random places, and
// holds what is found against what can be. -v prints the table that docs/audit.md has.
//
// Verifies: ORC-102
func TestTamper(t *testing.T) {
	w := wholeWorld(t)
	rows := slices.Concat(rowsOfRecords(), rowsOfFiles(), rowsOfRewriting())
	figures := make([][columns]figure, len(rows))
	t.Run("rows", func(t *testing.T) {
		for i, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				figures[i] = r.run(t, w)
			})
		}
	})
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| what was done\t| nothing from outside\t| key, and a checkpoint from before\t| key, and a checkpoint from after\t|")
	fmt.Fprintln(table, "| ---\t| ---\t| ---\t| ---\t|")
	for i, r := range rows {
		f := figures[i]
		fmt.Fprintf(table, "| %s\t| %v\t| %v\t| %v\t|\n", r.name, f[0], f[1], f[2])
	}
	require.NoError(t, table.Flush())
	t.Logf("%d cases each; found:\n%s", cases(), b.String())
}

func (r row) run(t *testing.T, w *world) (figures [columns]figure) {
	t.Helper()
	reaches := strings.Fields(r.forms)
	for i := range cases() {
		rnd := rand.New(rand.NewPCG(uint64(i), uint64(len(r.name))))
		log := r.spoil(t, rnd, w)
		options := r.options(t, rnd, w, log)
		verdict := func(column int) bool {
			form := reaches[i%len(reaches)]
			_, err := forms[form](t, log, options[column])
			require.True(t, r.right(t, form, log, err, r.want[column]), "form %s, case %d, column %d: first bad %d, found: %v", form, i, column, log.first, err)
			return err != nil
		}
		var found [columns]bool
		if i < 3 {
			found = [columns]bool{verdict(0), verdict(1), verdict(2)}
		} else { // who has more finds no less: what is found with less, or not found with more, is not tried again
			found[1] = r.want[1] == none && verdict(1)
			found[0] = (found[1] || r.want[1] != none) && verdict(0)
			found[1] = found[0] || found[1] || r.want[1] != none && verdict(1)
			found[2] = found[0] || verdict(2)
		}
		for column := range figures {
			figures[column].add(found[column])
		}
	}
	return figures
}

// options are what is known from outside in each column.
func (r row) options(t *testing.T, rnd *rand.Rand, w *world, log copied) [columns]Options {
	t.Helper()
	o := [columns]Options{{}, {Key: w.signer.Key}, {Key: w.signer.Key}}
	last := uint64(len(w.log.records))
	if log.from > 1 {
		o[1].Against = w.kept(t, 1+rnd.Uint64N(log.from))
	}
	o[2].Against = w.kept(t, log.from+1+rnd.Uint64N(last-log.from))
	return o
}

// right says whether a verdict is what the row demands.
func (r row) right(t *testing.T, form string, log copied, err error, want int) bool {
	t.Helper()
	var b *Bad
	switch isBad := errors.As(err, &b); {
	case err == nil:
		return want != all
	case want == none, !isBad && form != "database":
		return false
	case !r.named:
		return true
	case !isBad: // a database that cannot even be opened names what it stumbled over
		return !strings.HasPrefix(r.name, "flip a byte of a record")
	}
	require.NotNil(t, b.Record, "%v", err)
	return int(*b.Record) == log.first || strings.HasPrefix(r.name, "insert") && int(*b.Record) == log.first+1
}
