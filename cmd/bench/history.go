package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/cmd/bench/fixture"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// history is a project that lives at full speed: the service itself, in this process, with its rules and its store,
// but without HTTP and without git, which finds whatever is looked up. Its clock runs by itself, so that the log spans
// weeks, and Idempotency-Keys expire.
type history struct {
	store   *boltstore.Store
	ledger  *ledger.Ledger
	service *requirements.Service

	requirements int

	now  atomic.Int64 // of the clock, in microseconds
	next atomic.Int64 // the requirement that nobody works on yet
}

// atOnce is how many requirements are worked on at a time; their changes share transactions.
const atOnce = 256

// perChange is how far the clock moves on when it is read, about two times for each change.
const perChange = 2500 * time.Millisecond

// requirementsFor returns how many requirements live through so many records.
func requirementsFor(records int) int { return records/len(fixture.Life) + atOnce }

// newHistory makes a database in dir with so many requirements to live.
func newHistory(ctx context.Context, dir string, count int) (*history, error) {
	h := &history{requirements: count}
	h.now.Store(time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC).UnixMicro())
	private, err := audit.GenerateKey(rand.Reader, "cmd/bench/history")
	if err != nil {
		return nil, err
	}
	signer, err := audit.ParseSigner(private)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(datadir.Dir(dir).Key(), []byte(private+"\n"), 0o600); err != nil {
		return nil, err
	}
	if h.store, err = boltstore.Open(datadir.Dir(dir).Database(), boltstore.Options{}); err != nil {
		return nil, err
	}
	if h.ledger, err = ledger.Open(ctx, h.store, h.clock); err != nil {
		return nil, errors.Join(err, h.store.Close())
	}
	h.service, err = requirements.Open(ctx, h.ledger, h.clock,
		requirements.Options{Workflow: lifecycle.V1, Evidence: projection.EvidenceVerified, Repository: repository{h},
			Signer: signer})
	if err == nil {
		err = h.importAll(ctx, count)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *history) close() error { return h.ledger.Close() }

func (h *history) clock() time.Time { return time.UnixMicro(h.now.Add(perChange.Microseconds())).UTC() }

func (h *history) importAll(ctx context.Context, count int) error {
	var files []reqdoc.File
	for first := 0; first < count; first += perDocument {
		content := document(first, min(first+perDocument, count), shortText)
		files = append(files, reqdoc.File{Path: fmt.Sprintf("REQUIREMENTS-%d.md", len(files)+1), Content: content})
	}
	_, err := h.service.Import(ctx, fixture.Actors["pm"], func() ([]reqdoc.File, error) { return files, nil },
		requirements.ImportOptions{})
	return err
}

// grow lets requirements live until the log has so many records.
func (h *history) grow(ctx context.Context, records uint64) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for ctx.Err() == nil && h.ledger.Head().Size < records {
				if err := h.live(ctx, int(h.next.Add(1)-1), records); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Go(func() { stop(h.tidy(ctx, records)) })
	workers.Wait()
	if h.ledger.Head().Size < records {
		return context.Cause(ctx)
	}
	return nil
}

// errGrown ends a growth that came to its end.
var errGrown = errors.New("the log has all its records")

// perSweep is after how many records expired keys are forgotten; by the clock of the history some hours.
const perSweep = 2500

// tidy forgets expired keys as serve does, and shows how far the log is.
func (h *history) tidy(ctx context.Context, records uint64) error {
	swept, shown := uint64(0), time.Now()
	for ctx.Err() == nil {
		size := h.ledger.Head().Size
		if size >= records {
			return errGrown
		}
		if size-swept > perSweep {
			n, err := h.service.ForgetKeys(ctx)
			if err != nil {
				return err
			}
			if n == 0 { // it takes so many at a time
				swept = size
			}
		}
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			say("%d of %d records, %.0f MB", size, records, float64(h.store.Stats().Size)/1e6)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ctx.Err()
}

// live takes one requirement through its life.
func (h *history) live(ctx context.Context, n int, records uint64) error {
	for i, s := range fixture.Life {
		if h.ledger.Head().Size >= records {
			return nil
		}
		p := requirements.Proposal{
			Request: "PATCH /requirements/{id}", ID: requirementID(n), Body: s.Body(n,
				i), IfMatch: s.IfMatch, RequestID: fmt.Sprintf("bench-%06x-%02d", n, i),
		}
		if (n+i)%10 == 0 {
			p.IdempotencyKey = fmt.Sprintf("%08d-%04d-4000-8000-%012d", n, i, n)
		}
		_, err := h.service.Patch(ctx, fixture.Actors[s.Role], p)
		if code := codeOf(err); code != s.Refused {
			return fmt.Errorf("step %d of %s: %q was to be answered, not: %w", i, p.ID, s.Refused, err)
		}
	}
	return nil
}

// change adds a note to one of the requirements that nobody worked on: they are as large in a long history as in a
// short one.
func (h *history) change(ctx context.Context, n int) error {
	id := requirementID(h.requirements - 1 - n%(atOnce/2))
	_, err := h.service.Patch(ctx, fixture.Actors["pm"], requirements.Proposal{
		Request: "PATCH /requirements/{id}", ID: id, Body: fmt.Appendf(nil, fixture.Note, n,
			n), RequestID: fmt.Sprintf("bench-end-%06x", n),
	})
	return err
}

// codeOf returns the code of a refusal, "" of an acceptance.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	if f := fault.As(err); f != nil {
		return string(f.Code)
	}
	return err.Error()
}

// repository finds all that is looked up, but what lies under gone/.
type repository struct{ h *history }

func (r repository) Look(_ context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	switch e.Kind {
	case lifecycle.EvidenceFile:
		if filepath.Dir(e.Path) == "gone" {
			return nil, &fault.Field{Code: "file_missing", Detail: e.Path + " is not there", Fix: "cite a file that is"}
		}
		return &lifecycle.Found{In: lifecycle.InHead, Commit: digest[:40], Blob: digest[24:], SHA256: digest,
			Bytes: 1234}, nil
	case lifecycle.EvidenceCommit:
		return &lifecycle.Found{In: lifecycle.InCommit, Commit: digest[:40]}, nil
	}
	return &lifecycle.Found{In: lifecycle.InWorktree, SHA256: digest, Bytes: 4321, Modified: r.h.clock(),
		Format: "junit", Counts: &lifecycle.Results{Passed: 12, Skipped: 1}}, nil
}

func (r repository) Recheck(_ context.Context, subjects []evidence.Subject) (evidence.Checked, error) {
	all := evidence.Checked{Fixed: make([]bool, len(subjects))}
	for _, subject := range subjects {
		all.Standings = append(all.Standings, make([]evidence.Standing, len(subject.Cited)))
	}
	return all, nil
}

func (repository) Base(string) string                                       { return "" }
func (repository) Dirty(context.Context, []string) (map[string]bool, error) { return nil, nil }
func (repository) Show(context.Context, string, lifecycle.Evidence, evidence.Standing) (none evidence.Shown) {
	return
}
func (repository) Follow(string)                              {}
func (repository) HeadBranch(context.Context) (string, error) { return "main", nil }
func (repository) Tip(context.Context) (string, error)        { return strings.Repeat("9", 40), nil }
