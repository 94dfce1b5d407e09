package turn

import (
	"context"
	"time"
)

// Idle drops what is kept for somebody, once nobody has asked for it for a while. The zero value is ready. It belongs
// to whoever has the turn.
type Idle struct{ timer *time.Timer }

// StayAwake keeps what there is for another while. Then drop is called, with the turn.
func (i *Idle) StayAwake(t Turn, while time.Duration, drop func()) {
	if i.timer == nil {
		i.timer = time.AfterFunc(while, func() {
			if t.Take(context.Background()) == nil {
				defer t.Leave()
				drop()
			}
		})
	}
	i.timer.Reset(while)
}
