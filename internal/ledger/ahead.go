package ledger

// inTwoSteps calls produce on a goroutine of its own and consume on this one, for every item that produce yields, in
// order; up to ahead items wait between the two. It returns the first error in the order of the items, which is what
// doing one after the other would have met: one of consume, or else that of produce. yield is false when consume has
// failed, and produce must return then. When it returns, both have ended.
func inTwoSteps[T any](ahead int, produce func(yield func(T) bool) error, consume func(T) error) error {
	items, stop := make(chan T, ahead), make(chan struct{})
	var produced error
	go func() {
		defer close(items)
		produced = produce(func(item T) bool {
			select {
			case <-stop: // looked at by itself first: when both are ready, select takes either
				return false
			default:
			}
			select {
			case items <- item:
				return true
			case <-stop:
				return false
			}
		})
	}()
	for item := range items {
		if err := consume(item); err != nil {
			close(stop)
			for range items { // until produce has ended
			}
			return err
		}
	}
	return produced
}
