package session

import "sync"

// mostForms is how many forms of a session are remembered that were carried out.
const mostForms = 64

// forms remembers what became of forms, by the key that each has from the page that it stands on. The zero value
// remembers nothing. It is safe for concurrent use.
type forms struct {
	mu    sync.Mutex
	byKey map[string]*carried
	order []string
}

// carried is a form that is carried out, or was.
type carried struct {
	mu      sync.Mutex
	outcome any // nil as long as it was not accepted
}

// Once carries a form out by act, unless a form with its key was accepted before: then it returns what that came to. A
// form that was refused may be sent again, and so may one whose outcome act returns as nil, as of a trial.
func (s *Session) Once(key string, act func() (outcome any, err error)) (any, error) {
	if key == "" {
		return act()
	}
	c := s.forms.of(key)
	c.mu.Lock() // a second click waits for the first
	defer c.mu.Unlock()
	if c.outcome != nil {
		return c.outcome, nil
	}
	outcome, err := act()
	if err == nil {
		c.outcome = outcome
	}
	return outcome, err
}

func (f *forms) of(key string) *carried {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byKey == nil {
		f.byKey = map[string]*carried{}
	}
	if f.byKey[key] == nil {
		f.byKey[key] = &carried{}
		if f.order = append(f.order, key); len(f.order) > mostForms {
			delete(f.byKey, f.order[0])
			f.order = f.order[1:]
		}
	}
	return f.byKey[key]
}
