package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// safe is a buffer that may be read while it is written, and counts its writes.
type safe struct {
	mu     sync.Mutex
	buffer bytes.Buffer
	writes int
}

func (s *safe) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.buffer.Write(b)
}

func (s *safe) read() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.String(), s.writes
}

func TestLinesAreWrittenInGroups(t *testing.T) { synctest.Test(t, linesAreWrittenInGroups) }

func linesAreWrittenInGroups(t *testing.T) {
	out := &safe{}
	b := &lineBuffer{out: out}
	log := zerolog.New(b)
	for range 10 {
		log.Info().Msg("one of many")
	}
	time.Sleep(flushEvery)
	synctest.Wait()
	written, writes := out.read()
	require.Equal(t, 10, strings.Count(written, "\n"))
	require.Equal(t, 1, writes)

	log.Info().Msg("before")
	log.Error().Msg("at once")
	text, _ := out.read()
	require.Contains(t, text, "at once")
	require.Less(t, strings.Index(text, "before"), strings.Index(text, "at once"), "in order")

	log.Info().Msg("last")
	require.NoError(t, b.Flush())
	text, _ = out.read()
	require.Contains(t, text, "last")
	require.NoError(t, b.Flush())

	_, before := out.read()
	log.Info().Msg(strings.Repeat("x", flushBytes))
	_, after := out.read()
	require.Equal(t, before+1, after, "a full buffer does not wait")
}
