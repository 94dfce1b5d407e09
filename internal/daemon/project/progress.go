package project

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// progressEvery is how often the log says how far an import at the start is.
const progressEvery = 2 * time.Second

// logging returns what follows something in a log, where nobody looks at a terminal. What does not take long leaves no
// line.
func logging(log zerolog.Logger) Follow {
	return func(far func() (done, total int, what string)) (stop func()) {
		var line sync.WaitGroup
		ended := make(chan struct{})
		line.Go(func() {
			ticks := time.NewTicker(progressEvery)
			defer ticks.Stop()
			for {
				select {
				case <-ended:
					return
				case <-ticks.C:
					if done, total, what := far(); total > 0 {
						log.Info().Int("done", done).Int("of", total).Str("what", what).Msg("importing")
					}
				}
			}
		})
		return func() {
			close(ended)
			line.Wait()
		}
	}
}
