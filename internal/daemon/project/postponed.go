package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/token"
)

// catchUpEvery is how often work is tried again that a full disk put off.
const catchUpEvery = time.Second

// isFull tells whether nothing is wrong but that the disk has no room.
func isFull(err error) bool {
	return errors.Is(err, fault.InsufficientStorage) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// dueWork is what the service does as soon as there is room, by name.
type dueWork struct {
	mu   sync.Mutex
	work map[string]func(context.Context) error
}

// putOff has work done when there is room. Work of the same name takes its place.
func (s *server) putOff(name string, cause error, work func(context.Context) error) {
	s.due.mu.Lock()
	defer s.due.mu.Unlock()
	if s.due.work == nil {
		s.due.work = map[string]func(context.Context) error{}
	}
	s.due.work[name] = work
	s.log.Warn().Err(cause).Str("work", name).Msg("the disk is full: this is done as soon as there is room")
}

// orPutOff puts work off whose error is that the disk is full; every other is returned.
func (s *server) orPutOff(name string, err error, work func(context.Context) error) error {
	if isFull(err) {
		s.putOff(name, err, work)
		return nil
	}
	return err
}

// catchUp does what was put off.
func (s *server) catchUp(ctx context.Context) {
	for s.awaitRoom(ctx) {
		s.due.mu.Lock()
		work := s.due.work
		s.due.work = nil
		s.due.mu.Unlock()
		for name, do := range work {
			err := do(ctx)
			switch {
			case isFull(err):
				s.putOff(name, err, do)
			case err != nil:
				s.log.Error().Err(err).Str("work", name).Msg("what a full disk put off has failed")
			default:
				s.log.Info().Str("work", name).Msg("what a full disk put off is done")
			}
		}
	}
}

// awaitRoom waits a moment, and then until the database has room for changes; false means that ctx has ended.
func (s *server) awaitRoom(ctx context.Context) bool {
	ticks := time.NewTicker(catchUpEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if s.store.Full() == nil {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// checkRoom says whether changes are refused for want of room.
func (s *server) checkRoom() httpapi.Check {
	room := httpapi.Check{Name: "room", Status: httpapi.CheckOK}
	if full := s.store.Full(); full != nil {
		room.Status, room.Detail = httpapi.CheckWarning, "the disk is full: changes are refused, reads go on"
	}
	return room
}

// startNeedsRoom says of a start that has to put something on record why it cannot go on without room.
func startNeedsRoom(err error) error {
	if !isFull(err) {
		return err
	}
	return fault.New(fault.InsufficientStorage, "disk_full",
		"the disk is full, and this start has something to put on record first").
		WithFix("make room; or start with the flags and the key of the last start, which needs no record and serves what there is").Because(err)
}

// writeAddr says where the service answers. An old address must not stay: another service may have it now.
func (s *server) writeAddr(addr string) error {
	path := filepath.Join(s.options.Data, "addr")
	write := func(context.Context) error {
		return durable.WriteFile(path, 0o600, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, addr)
			return err
		})
	}
	err := write(context.Background())
	if isFull(err) {
		_ = os.Remove(path)
		err = write(context.Background()) // what it took may be enough
	}
	return s.orPutOff("addr", err, write)
}

// accountAtStart brings the tokens into force. Where those that changed cannot be put on record, the others are.
func (s *server) accountAtStart(ctx context.Context) error {
	err := s.tokens.Account(s.accountForTokens)
	if !isFull(err) {
		return err
	}
	known, err2 := s.service.TokensOnRecord(ctx)
	if err2 != nil {
		return err2
	}
	s.tokens.Keep(func(t token.Token) bool { return known(credential(t)) })
	s.putOff("tokens", err, s.reloadTokens)
	return nil
}
