// Package origin finds out of git where the content of requirement documents comes from: the last commit on HEAD that
// changed each, or none, where HEAD has another content.
//
// What git cannot tell, in time and without a program, a filter or the network, is left out. What a commit says of its
// author is text that anybody may have written: it is kept as one short visible line, without secrets.
package origin

import (
	"context"
	"crypto/sha1" //nolint:gosec // git names objects by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/git"
)

const (
	patience  = 5 * time.Second // for all documents together
	maxOutput = 64 << 10        // bytes of one answer of git
	maxName   = 200             // bytes of an author's name or address
)

// Of returns where documents come from, by their paths; those of which it cannot be told are left out.
//
// Implements: ORC-121
func Of(ctx context.Context, files []reqdoc.File) map[string]account.Origin {
	found := map[string]account.Origin{}
	command, err := git.Find("")
	if err != nil {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, f := range files {
		if ctx.Err() != nil {
			break
		}
		if one, known := of(ctx, command, f); known {
			found[f.Path] = one
		}
	}
	return found
}

func of(ctx context.Context, command string, f reqdoc.File) (account.Origin, bool) {
	path, err := filepath.EvalSymlinks(filepath.FromSlash(f.Path)) // git knows the file, and not the links to it
	if err != nil {
		return account.Origin{}, false
	}
	dir, name := filepath.Split(path)
	g := worktree{ctx, git.Command{Path: command, Dir: filepath.Clean(dir), Env: []string{"GIT_LITERAL_PATHSPECS=1"}}}
	if inside, err := g.ask("rev-parse", "--is-inside-work-tree"); err != nil || inside != "true\n" {
		return account.Origin{}, false
	}
	committed, err := g.ask("ls-tree", "-z", "HEAD", "--", name)
	switch {
	case g.ctx.Err() != nil:
		return account.Origin{}, false
	case err != nil || !names(committed, f.Content): // an error is that of a HEAD without commit
		return account.Origin{Uncommitted: true}, true
	}
	commit, err := g.ask("rev-list", "--max-count=1", "--encoding=UTF-8", "--format=tformat:%H%x00%an%x00%ae%x00%ct", "HEAD",
		"--", name)
	if err != nil {
		return account.Origin{}, false
	}
	return parse(commit)
}

// worktree is git in the folder of a document.
type worktree struct {
	ctx context.Context //nolint:containedctx // of one lookup
	git git.Command
}

func (w worktree) ask(args ...string) (string, error) {
	cmd, out := w.git.Prepare(w.ctx, args...), &git.Output{Most: maxOutput}
	cmd.Stdout = out
	err := cmd.Run()
	return out.String(), err
}

// names reports whether an entry of a tree, "mode blob id TAB name NUL", is the file with this content, or with the
// same lines ended otherwise, as git writes them on some systems.
func names(entry string, content []byte) bool {
	part := strings.Fields(entry)
	if len(part) < 4 || part[1] != "blob" || !strings.HasPrefix(part[0], "100") {
		return false
	}
	return part[2] == blobID(part[2], string(content)) ||
		part[2] == blobID(part[2], strings.ReplaceAll(string(content), "\r\n", "\n"))
}

// blobID returns the id of a file's content, in the format of another id.
func blobID(like, content string) string {
	sum := sha256.New()
	if len(like) == sha1.Size*2 {
		sum = sha1.New() //nolint:gosec // git names objects by it
	}
	fmt.Fprintf(sum, "blob %d\x00%s", len(content), content)
	return hex.EncodeToString(sum.Sum(nil))
}

// parse reads "commit id LF id NUL author NUL address NUL seconds LF".
func parse(out string) (account.Origin, bool) {
	_, line, _ := strings.Cut(out, "\n")
	part := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
	if len(part) != 4 || len(part[0]) < 40 {
		return account.Origin{}, false
	}
	o := account.Origin{Commit: part[0], Author: visible(part[1]), Email: visible(part[2])}
	if seconds, err := strconv.ParseInt(part[3], 10, 64); err == nil && seconds >= 0 && seconds < lastSecond {
		o.At = time.Unix(seconds, 0).UTC()
	}
	return o, true
}

// lastSecond is the first second of the year 10000, which no record can show.
const lastSecond = 253402300800

// visible returns a text as one line of visible characters, cut short, and without what looks like a secret.
func visible(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return fault.Clip(secret.Mask(strings.TrimSpace(s)), maxName)
}
