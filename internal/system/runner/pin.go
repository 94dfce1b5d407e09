package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"os"
	"strings"
	"syscall"

	"orchestrator/internal/fault"
)

// pin is the file that is run. Without a declared hash it is its path alone.
type pin struct {
	name string
	real string   // where the file was found
	file *os.File // nil without a declared hash
	want string
	was  identity // of file, before it was hashed
}

// openPin opens the file and holds its content to a SHA-256 in hexadecimal.
func openPin(ctx context.Context, name, path, want string) (*pin, error) {
	p := &pin{name: name, real: path}
	if want == "" {
		return p, nil
	}
	if sum, err := hex.DecodeString(want); err != nil || len(sum) != sha256.Size {
		return nil, undeclared("sha256 is not 64 hexadecimal digits", "write what `sha256sum "+path+"` prints")
	}
	// what has become a pipe since it was looked up keeps nobody waiting
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, missing(path, "it cannot be read, as its pin requires: "+reason(err))
	}
	p.file, p.want = file, want
	if err := p.check(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// check holds the open file to its pin.
func (p *pin) check(ctx context.Context) error {
	var err error
	if p.was, err = identityOf(p.file); err != nil {
		return notStarted(p.name, err)
	}
	got, err := hash(ctx, p.file)
	switch {
	case err != nil:
		return unhashed(ctx, p.name, err)
	case !strings.EqualFold(got, p.want):
		return mismatch(p.name, "has the SHA-256 "+got)
	}
	return p.unchanged()
}

func unhashed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Unavailable, "tool_timeout", "the time was over before %s had been hashed", name).
			WithFix("raise timeout_ms in its contract").Because(ctx.Err())
	}
	return notStarted(name, err)
}

// hash reads a file to its end, and stops with ctx.
func hash(ctx context.Context, file *os.File) (string, error) {
	from := io.NewSectionReader(file, 0, math.MaxInt64) // the offset is the program's too
	sum, buffer := sha256.New(), make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := from.Read(buffer)
		sum.Write(buffer[:n])
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func mismatch(name, what string) error {
	return fault.New(fault.Forbidden, CodePinMismatch, "%s %s, which is not what its contract pins", name, what).
		WithFix("find out who changed the program; if the change is wanted, write the new sha256 into the contract")
}

// unchanged returns nil while the file is as it was when it was hashed. A name that is taken from it or given to it is
// no change of the file, though the system dates it as one: then its content decides.
func (p *pin) unchanged() error {
	if p.file == nil {
		return nil
	}
	now, err := identityOf(p.file)
	if err == nil && now == p.was {
		return nil
	}
	if err == nil && now.content() == p.was.content() {
		got, err := hash(context.Background(), p.file)
		if err == nil && strings.EqualFold(got, p.want) {
			p.was = now
			return nil
		}
	}
	return mismatch(p.name, "was changed while it was checked or run")
}

func (p *pin) close() {
	if p != nil && p.file != nil {
		_ = p.file.Close()
	}
}
