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
		for after, want := range map[time.Duration]int{progressEvery - 1: 0, progressEvery: 1, 2*progressEvery + 1: 2} {
			var lines bytes.Buffer
			stop := logging(zerolog.New(&lines))(func() (int, int, string) { return 30_000, 100_000, "requirements stored" })
			time.Sleep(after)
			synctest.Wait()
			stop()
			time.Sleep(time.Hour)
			require.Equal(t, want, strings.Count(lines.String(), "\n"), after)
			if want > 0 {
				require.Contains(t, lines.String(),
					`"done":30000,"of":100000,"what":"requirements stored","message":"importing"`)
			}
		}
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
