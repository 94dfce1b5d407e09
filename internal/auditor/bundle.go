package auditor

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// WriteBundle writes all of a log as a ZIP file: the files of a Source under their paths, so that unpacked it is a
// static log as C2SP tlog-tiles has it. progress, unless it is nil, is told how many of how many records are written.
// It returns the checkpoint that the bundle has. besides are files of a backup.
func WriteBundle(ctx context.Context, w io.Writer, src Source, progress func(done, total int),
	besides ...File) (audit.Checkpoint, error) {
	h, err := readHeader(ctx, src, "")
	if err != nil {
		return h.checkpoint, err
	}
	b := bundler{src: src, zip: zip.NewWriter(w), blobs: map[string]bool{}}
	b.add(pathCheckpoint, h.signed)
	b.add(pathKey, []byte(h.key+"\n"))
	if h.state != nil {
		state, err := h.state()
		if err != nil {
			return h.checkpoint, err
		}
		b.addFrom(pathState, state)
	}
	for t := range tiles(h.checkpoint.Size) {
		if err := b.entries(ctx, t); err != nil {
			return h.checkpoint, err
		}
		if progress != nil {
			progress(int(t.Needs()), int(h.checkpoint.Size))
		}
	}
	for _, t := range audit.TilesFor(0, h.checkpoint.Size) {
		if err := b.copy(ctx, tilePrefix+t.Path()); err != nil {
			return h.checkpoint, err
		}
	}
	for _, f := range besides {
		b.add(f.Path, f.Content)
	}
	return h.checkpoint, errors.Join(b.err, b.zip.Close())
}

// File is a file in a bundle.
type File struct {
	Path    string
	Content []byte
}

// The files that a backup has besides those of a bundle. They are no part of the log: nothing vouches for them.
const (
	PathAbout     = "backup.json"
	PathKey       = "private/audit.key"
	PathPublicKey = "private/audit.pub"
	PathTokens    = "private/tokens.json"
)

func besidesLog(path string) bool {
	return path == PathAbout || path == PathKey || path == PathPublicKey || path == PathTokens
}

type bundler struct {
	src   Source
	zip   *zip.Writer
	blobs map[string]bool // that are written
	err   error           // the first of writing
}

func (b *bundler) add(path string, content []byte) { b.addFrom(path, bytes.NewReader(content)) }

func (b *bundler) addFrom(path string, content io.Reader) {
	if b.err != nil {
		return
	}
	// equal logs give equal bundles
	w, err := b.zip.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate, Modified: time.Time{}})
	if err == nil {
		_, err = io.Copy(w, content)
	}
	b.err = err
}

func (b *bundler) copy(ctx context.Context, path string) error {
	content, err := read(ctx, b.src, path)
	if err != nil {
		return err
	}
	b.add(path, content)
	return b.err
}

// entries adds a tile of records, and the data that lies beside the log for them.
func (b *bundler) entries(ctx context.Context, t audit.Tile) error {
	records, err := readEntries(ctx, b.src, t)
	if err != nil {
		return err
	}
	var bundle []byte
	for _, raw := range records {
		bundle = audit.AppendEntry(bundle, raw)
		record, err := audit.Decode(raw)
		if err != nil {
			return bad("log_record", "%v", err)
		}
		digest := ledger.BlobOf(record)
		if digest == "" || b.blobs[digest] {
			continue
		}
		b.blobs[digest] = true
		if err := b.copy(ctx, blobPrefix+digest); err != nil {
			return err
		}
	}
	b.add(tilePrefix+t.Path(), bundle)
	return b.err
}

// Bundle is a file that WriteBundle wrote. It is safe for concurrent use.
type Bundle struct {
	path  string
	file  *os.File
	files map[string]*zip.File
}

// OpenBundle opens a bundle; nothing in it is believed yet.
func OpenBundle(path string) (*Bundle, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "bundle_missing", "there is no file %s", path).
			WithFix("orchestrator backup -o FILE writes one").Because(err)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	b := &Bundle{path, file, map[string]*zip.File{}}
	if err := b.list(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bundle) list() error {
	info, err := b.file.Stat()
	if err != nil {
		return unreadable(b.path, err)
	}
	all, err := zip.NewReader(b.file, info.Size())
	if err != nil {
		return unreadable(b.path, err)
	}
	for _, f := range all.File {
		if strings.HasSuffix(f.Name, "/") && f.UncompressedSize64 == 0 {
			continue // a folder: somebody packed it anew
		}
		if b.files[f.Name] != nil {
			return bad("log_bundle", "%s has the file %q twice", b.path, f.Name)
		}
		b.files[f.Name] = f
	}
	return nil
}

// SHA256 returns the digest of the whole file, in hexadecimal, and its size in bytes.
func (b *Bundle) SHA256() (digest string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, io.NewSectionReader(b.file, 0, math.MaxInt64))
	return hex.EncodeToString(h.Sum(nil)), size, err
}

func unreadable(path string, cause error) error {
	return fault.New(fault.Invalid, "bundle_unreadable", "%s is no bundle, or is not whole", path).
		WithFix("get it again; orchestrator audit bundle -o FILE writes one").Because(cause)
}

// Name returns the path of the file.
func (b *Bundle) Name() string { return b.path }

// Close lets go of the file.
func (b *Bundle) Close() error { return b.file.Close() }

// Files returns the paths of all files, in order.
func (b *Bundle) Files() []string { return slices.Sorted(maps.Keys(b.files)) }

// Read makes Bundle a Source. No more is unpacked than a file of its kind can have.
func (b *Bundle) Read(_ context.Context, path string) ([]byte, error) {
	f, err := b.open(path, mostOf(path))
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	content.Grow(int(min(b.files[path].UncompressedSize64, maxBelieved)) + bytes.MinRead)
	_, err = content.ReadFrom(f)
	return content.Bytes(), err
}

// maxBelieved is how much memory is taken for a file because it says that it is so large.
const maxBelieved = 1 << 20

// Open opens a file that need not be held in memory.
func (b *Bundle) Open(path string) (io.Reader, error) { return b.open(path, maxState) }

func (b *Bundle) open(path string, most int64) (io.Reader, error) {
	f := b.files[path]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	r, err := f.Open()
	file := &bundleFile{unpacked: r, bundle: b.path, path: path, left: most, most: most}
	return file, file.wrong(err)
}

// bundleFile is a file of a bundle as it is unpacked.
type bundleFile struct {
	unpacked     io.Reader
	bundle, path string
	left, most   int64
}

func (f *bundleFile) Read(p []byte) (int, error) {
	n, err := f.unpacked.Read(p[:min(int64(len(p)), f.left+1)])
	if f.left -= int64(n); f.left < 0 {
		return 0, tooLarge(f.path, f.most)
	}
	return n, f.wrong(err)
}

// wrong distinguishes an error of the disk from one of what is on it.
func (f *bundleFile) wrong(err error) error {
	var disk syscall.Errno
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &disk) {
		return err
	}
	return bad("log_bundle", "%s in %s cannot be read: %v", f.path, f.bundle, err)
}
