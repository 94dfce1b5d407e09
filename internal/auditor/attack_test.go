package auditor

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/system/measure"
)

// short is a log of few records, with data beside it.
func short(t testing.TB) *living {
	t.Helper()
	l := born(t, store.NewMemory(), signerOf(t, "example.org/shop", "a"), 0)
	l.live(step{document: document(2, true)})
	l.live(walk("REQ-001")...)
	return l
}

// requireBad demands a finding with a code.
func requireBad(t *testing.T, err error, code string) *Bad {
	t.Helper()
	var b *Bad
	require.ErrorAs(t, err, &b)
	require.Equal(t, code, string(b.Fault.Code), "%v", err)
	require.NotEmpty(t, b.Fault.Fix)
	return b
}

// counting counts the files that are asked for.
type counting struct {
	Source
	files int
}

func (c *counting) Read(ctx context.Context, path string) ([]byte, error) {
	c.files++
	return c.Source.Read(ctx, path)
}

// The claim of a checkpoint costs nothing before it is borne out.
func TestACheckpointOfAnImmenseLog(t *testing.T) {
	l := short(t)
	log := l.copy()
	for _, size := range []uint64{1 << 20, 1 << 40, 1 << 62} {
		signed, err := l.signer.Sign(audit.Head{Size: size, Root: l.ledger.Head().Root})
		require.NoError(t, err)
		f := log.lay(t)
		f[pathCheckpoint] = signed
		read := &counting{Source: f}
		allocated := measure.Allocated(func() {
			_, err = Verify(t.Context(), read, Options{})
			require.EqualValues(t, 0, *requireBad(t, err, "log_missing").Record)
			_, err = WriteBundle(t.Context(), io.Discard, read, nil)
			requireBad(t, err, "log_missing")
		})
		require.Less(t, read.files, 20)
		require.Less(t, allocated, uint64(32<<20))

		_, err = Verify(t.Context(), log.lay(t), Options{Against: []Kept{{"immense", signed}}})
		requireBad(t, err, "log_shorter")
	}
}

// Witnesses add signatures; their number is bounded.
func TestForeignSignatures(t *testing.T) {
	l := short(t)
	log := l.copy()
	add := func(n int) []byte {
		signed := bytes.Clone(log.checkpoint)
		for i := range n {
			foreign, err := signerOf(t, fmt.Sprintf("witness.example/%d", i), "b").Sign(l.ledger.Head())
			require.NoError(t, err)
			lines := bytes.SplitAfter(foreign, []byte("\n"))
			signed = append(signed, lines[len(lines)-2]...)
		}
		return signed
	}
	f := log.lay(t)
	f[pathCheckpoint] = add(99)
	_, err := Verify(t.Context(), f, Options{Against: []Kept{{"with witnesses", add(99)}}})
	require.NoError(t, err)
	f[pathCheckpoint] = add(101)
	_, err = Verify(t.Context(), f, Options{})
	requireBad(t, err, "log_checkpoint")
}

func TestRecordsThatNoLogHas(t *testing.T) {
	l := short(t)
	for name, c := range map[string]struct {
		spoil func(*copied)
		at    int
		want  string
	}{
		"another beginning": {func(c *copied) {
			c.records[0] = edited(t, c.records[0], func(r *audit.Record) { r.Kind = "requirement.refused" })
		}, 0, "not ledger.created"},
		"a second beginning": {func(c *copied) {
			c.records[7] = edited(t, c.records[7], func(r *audit.Record) { r.Kind, r.Data = "ledger.created", []byte(`{"format":5}`) })
		}, 7, "says that the log begins there"},
		"a digest that is a path": {func(c *copied) {
			c.records[7] = edited(t, c.records[7], func(r *audit.Record) { r.Data = []byte(`{"blob":"../../etc/passwd","size":1}`) })
		}, 7, "is no digest"},
		"data that is not there": {func(c *copied) {
			c.records[7] = edited(t, c.records[7], func(r *audit.Record) { r.Data = []byte(`{"blob":"` + strings.Repeat("ab", 32) + `","size":1}`) })
		}, 7, "is missing"},
		"another chain": {func(c *copied) {
			c.records[7] = edited(t, c.records[7], func(r *audit.Record) { r.Prev += 2 })
		}, 7, "as the one before it"},
	} {
		t.Run(name, func(t *testing.T) {
			log := l.copy()
			c.spoil(&log)
			log.tree = log.records
			log.resign(t, l.signer)
			_, err := Verify(t.Context(), log.lay(t), Options{})
			require.ErrorContains(t, err, c.want)
			var b *Bad
			require.ErrorAs(t, err, &b)
			require.EqualValues(t, c.at, *b.Record)
		})
	}
	log := l.copy()
	log.records[0] = edited(t, log.records[0], func(r *audit.Record) { r.Data = fmt.Appendf(nil, `{"format":%d}`, ledger.Format+1) })
	log.tree = log.records
	log.resign(t, l.signer)
	_, err := Verify(t.Context(), log.lay(t), Options{})
	require.ErrorContains(t, err, fmt.Sprintf("the log has format %d; this program knows formats 4 to %d", ledger.Format+1, ledger.Format))
	require.False(t, errors.As(err, new(*Bad)), "what another version wrote is not bad")
}

// raw is a ZIP file made entry by entry.
func raw(t *testing.T, f files, more func(*zip.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for path, content := range f {
		to, err := w.Create(path)
		require.NoError(t, err)
		_, err = to.Write(content)
		require.NoError(t, err)
	}
	if more != nil {
		more(w)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Whatever a source gives, no more is taken than a file of its kind can have.
func TestFilesThatAreTooLarge(t *testing.T) {
	good := short(t).copy().lay(t)
	for path, most := range map[string]int{pathKey: maxNote, pathCheckpoint: maxNote, "tile/0/000.p/" + width(good): 256 * 32, "tile/entries/000.p/" + width(good): 256 * (2 + 1<<16)} {
		f := maps.Clone(good)
		f[path] = make([]byte, most+1)
		_, err := Verify(t.Context(), f, Options{})
		requireBad(t, err, "log_too_large")
		f[path] = f[path][:most]
		_, err = Verify(t.Context(), f, Options{})
		require.ErrorAs(t, err, new(*Bad))
		require.NotContains(t, err.Error(), "more than")
	}
}

func TestZIPFilesThatAreNoBundles(t *testing.T) {
	good := short(t).copy().lay(t)
	_, err := verifyFile(t, raw(t, good, nil), Options{})
	require.NoError(t, err)
	bomb := bytes.Repeat([]byte{0}, 64<<20)
	entry := func(h zip.FileHeader, content []byte) func(*zip.Writer) {
		return func(w *zip.Writer) {
			to, err := w.CreateHeader(&h)
			require.NoError(t, err)
			_, err = to.Write(content)
			require.NoError(t, err)
		}
	}
	for name, c := range map[string]struct {
		without string
		more    func(*zip.Writer)
		want    string
	}{
		"a bomb for a tile":        {"tile/entries/000.p/" + width(good), entry(zip.FileHeader{Name: "tile/entries/000.p/" + width(good), Method: zip.Deflate}, bomb), "log_too_large"},
		"a bomb for a checkpoint":  {pathCheckpoint, entry(zip.FileHeader{Name: pathCheckpoint, Method: zip.Deflate}, bomb), "log_too_large"},
		"a file given twice":       {"", entry(zip.FileHeader{Name: pathKey}, good[pathKey]), "log_bundle"},
		"a path upwards":           {"", entry(zip.FileHeader{Name: "../" + pathKey}, good[pathKey]), "log_extra"},
		"a private file":           {"", entry(zip.FileHeader{Name: "private/other"}, []byte("x")), "log_extra"},
		"an absolute path":         {"", entry(zip.FileHeader{Name: "/key"}, good[pathKey]), "log_extra"},
		"a tile beyond its size":   {"", entry(zip.FileHeader{Name: "tile/entries/001"}, []byte("x")), "log_extra"},
		"a narrower tile":          {"", entry(zip.FileHeader{Name: "tile/0/000.p/1"}, []byte("x")), "log_extra"},
		"a path written otherwise": {"", entry(zip.FileHeader{Name: "tile/0/./000.p/1"}, []byte("x")), "log_extra"},
		"an unknown compression": {pathKey, func(w *zip.Writer) {
			to, err := w.CreateRaw(&zip.FileHeader{Name: pathKey, Method: 99, UncompressedSize64: 1, CompressedSize64: 1})
			require.NoError(t, err)
			_, _ = to.Write([]byte("x"))
		}, "log_bundle"},
		"an immense entry": {pathKey, func(w *zip.Writer) {
			to, err := w.CreateRaw(&zip.FileHeader{Name: pathKey, Method: zip.Store, UncompressedSize64: 1 << 60, CompressedSize64: 1 << 60})
			require.NoError(t, err)
			_, _ = to.Write([]byte("x"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := files{}
			for path, content := range good {
				if path != c.without {
					f[path] = content
				}
			}
			content := raw(t, f, c.more)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := verifyFile(t, content, Options{})
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(120<<20), "a bomb of 64 MiB, which would take five times as much, is not unpacked")
			if c.want == "" {
				require.Error(t, err)
				return
			}
			requireBad(t, err, c.want)
		})
	}
	// Folders, as a packer makes them of an unpacked bundle, do no harm.
	_, err = verifyFile(t, raw(t, good, entry(zip.FileHeader{Name: "tile/"}, nil)), Options{})
	require.NoError(t, err)
}

// width is that of the only tile of a short log.
func width(f files) string {
	for path := range f {
		if w, ok := strings.CutPrefix(path, "tile/entries/000.p/"); ok {
			return w
		}
	}
	return ""
}
