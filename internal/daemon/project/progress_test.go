package project

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/reqdoc"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

func TestTheLogSaysHowFarAnImportIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		done := 0
		stop := logging(zerolog.New(&lines))(func() (int, int, string) {
			done += 30_000
			return done, 100_000, "requirements stored"
		})
		time.Sleep(progressEvery - time.Millisecond)
		synctest.Wait()
		require.Empty(t, lines.String(), "what is done soon leaves no line")
		time.Sleep(progressEvery)
		synctest.Wait()
		require.Equal(t, 1, strings.Count(lines.String(), "\n"))
		require.Contains(t, lines.String(), `"done":30000,"of":100000,"what":"requirements stored","message":"importing"`)
		stop()
		time.Sleep(time.Hour)
		require.Equal(t, 1, strings.Count(lines.String(), "\n"))
	})
}

// Where nobody looks at a terminal, an import at the start is followed in the log.
func TestAnImportIsFollowedInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		i := &importer{log: zerolog.New(&lines), progress: &drift.Progress{}}
		i.progress.Of(reqdoc.Options{}).OnRead(1, 2)
		hide := i.showProgress()
		time.Sleep(progressEvery)
		synctest.Wait()
		hide()
		require.Contains(t, lines.String(), `"done":1,"of":2,"what":"documents read"`)
	})
}
