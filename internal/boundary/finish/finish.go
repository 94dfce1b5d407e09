// Package finish reminds a session that wants to end while a requirement that it has claimed is incomplete, and tells
// it what is lacking: for each requirement once a session.
//
// It never stands in the way. Whatever is not there, cannot be read or does not answer in time, the session ends as it
// would without it; the exit code is 0, or what the client wants of a session that goes on.
package finish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// TokenVariable names the file with the token of a session. Without it a session works on no requirement.
const TokenVariable = "ORCHESTRATOR_TOKEN_FILE"

// The time that it may take: for the answer of the service, and for all of it.
const (
	Patience = 300 * time.Millisecond
	Within   = 900 * time.Millisecond
)

// Input is what a client's call is answered with.
type Input struct {
	Client string
	Root   string // of the project; "" finds it
	Stdin  io.Reader
	Getenv func(string) string
	Cwd    string

	// Lacking asks the service of a project what the session has claimed and what that lacks. It heeds the deadline of
	// ctx.
	Lacking func(ctx context.Context, root string) ([]boundary.Lack, error)

	Patience, Within time.Duration // 0 is what the constants say

	claim func() bool // reports whether the caller may answer; only the first caller may
}

// Run answers a call by which a client says that a session is done.
func Run(ctx context.Context, in Input) agentclient.Answer {
	client, known := agentclient.Named(in.Client)
	if !known {
		return agentclient.Answer{} // a name that settings have wrong holds nobody up
	}
	var answered atomic.Bool
	in.claim = func() bool { return answered.CompareAndSwap(false, true) }
	answers := make(chan agentclient.Answer, 1)
	go func() { answers <- in.answer(ctx, client) }()
	within := cmp.Or(in.Within, Within)
	select {
	case a := <-answers:
		return a
	case <-time.After(within):
	}
	if in.claim() {
		return client.Let()
	}
	select { // it is being noted that the session was told, so it is told
	case a := <-answers:
		return a
	case <-time.After(within): // the disk does not answer
		return client.Let()
	}
}

// answer reads the call and answers it. A panic lets the session end, as any other failure does.
func (in Input) answer(ctx context.Context, client *agentclient.Client) (a agentclient.Answer) {
	a = client.Let()
	defer func() {
		if recover() != nil {
			a = client.Let()
		}
	}()
	const most = 32 << 20
	raw, err := io.ReadAll(io.LimitReader(in.Stdin, most))
	if err != nil || in.Getenv(TokenVariable) == "" {
		return a
	}
	e, err := client.Ending(raw)
	if err != nil {
		return a
	}
	dir, found := folder.FindFor(in.Root, in.Getenv, e.Cwd, in.Cwd)
	if !found || e.Again || e.Session == "" || !judges(dir) {
		return e.Let()
	}
	if lacks := in.untold(ctx, dir, e); len(lacks) > 0 {
		return e.Hold(boundary.Unfinished(lacks))
	}
	return e.Let()
}

// judges reports whether the boundary of a project is there and not off.
func judges(dir folder.Dir) bool {
	p, err := dir.Policy()
	return err == nil && p.Mode != boundary.Off
}

// untold returns what the session's claims lack and it was not told before, and notes that it is told now.
func (in Input) untold(ctx context.Context, dir folder.Dir, e agentclient.Ending) []boundary.Lack {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.Patience, Patience))
	defer cancel()
	lacks, err := in.Lacking(ctx, dir.Root)
	if err != nil || ctx.Err() != nil {
		return nil
	}
	lacks = slices.DeleteFunc(lacks, func(l boundary.Lack) bool {
		return e.OfTask() && !names(e.Task, l.Requirement)
	})
	if len(lacks) == 0 || !in.claim() {
		return nil // the session has ended: what it was not told is not noted
	}
	return slices.DeleteFunc(lacks, func(l boundary.Lack) bool { return note(dir, e.Session, l.Requirement) != nil })
}

// names reports whether a text has an id in it that is no part of a longer one.
func names(text, id string) bool {
	for rest := text; id != ""; {
		before, after, found := strings.Cut(rest, id)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, size := utf8.DecodeRuneInString(after)
		if strings.ContainsRune("-.", next) {
			next, _ = utf8.DecodeRuneInString(after[size:]) // at the end of a sentence it is no part of the id
		}
		if !inWord(last) && last != '-' && !inWord(next) {
			return true
		}
		rest = after
	}
	return false
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// note notes that a session was told of a requirement. Only the first who does that succeeds, whichever of the client's
// events comes first; whoever cannot note it does not tell it.
func note(dir folder.Dir, session, requirement string) error {
	told := filepath.Join(dir.Path(), "journal", "told")
	if err := os.MkdirAll(told, 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(session + "\x00" + requirement))
	f, err := os.OpenFile(filepath.Join(told, hex.EncodeToString(sum[:16])), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("told before, or not to be noted: %w", err)
	}
	forget(told)
	return f.Close()
}

// forget removes the notes of sessions that have been over for long.
func forget(told string) {
	const kept = 30 * 24 * time.Hour
	entries, _ := os.ReadDir(told) // what cannot be looked at stays
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > kept {
			_ = os.Remove(filepath.Join(told, e.Name()))
		}
	}
}
