package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	clients     = 8
	answerWait  = 20 * time.Second
	beforeRetry = 20 * time.Millisecond // of a change without an answer, while the service is alive
)

// client sends changes with a token to a service.
type client struct {
	http        *http.Client
	base, token string
}

func newClient(addr, token string) *client {
	return &client{&http.Client{Transport: &http.Transport{}, Timeout: answerWait}, "http://" + addr, token}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// answer is what a service answered.
type answer struct {
	status int
	etag   string
	body   []byte
}

// do makes a request and reads its answer to the end. It is not cut off by a context: a change whose answer nobody
// waits for would count for nothing.
func (c *client) do(method, path, key, body string) (answer, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header.Get("ETag"), content}, err
}

// get reads a page.
func (c *client) get(path string) ([]byte, error) {
	got, err := c.do(http.MethodGet, path, "", "")
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d: %.300s", path, got.status, got.body)
	}
	return got.body, err
}

// propose sends a change and enters its outcome. An error means that no answer came.
func (c *client) propose(a *account, ch *change) (status int, err error) {
	got, err := c.do(http.MethodPatch, "/requirements/"+ch.requirement, ch.key, ch.body)
	if err != nil {
		return 0, err
	}
	switch got.status / 100 {
	case 2:
		revision, err := strconv.ParseUint(strings.Trim(got.etag, `"`), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the answer to a change has no revision for its ETag: %w", err)
		}
		a.close(ch, accepted, revision)
	case 4:
		a.close(ch, refused, 0)
	}
	return got.status, nil
}

// load is clients that send changes until they are told to stop or nobody answers.
type load struct {
	stop     chan struct{}
	stopping sync.Once
	running  sync.WaitGroup
	last     atomic.Int64 // the status of the answer that came last; 0 when none came
}

// startLoad starts the clients of a subject. Padding is how many bytes each note has besides its mark.
func startLoad(s *subject, rng *rand.Rand, padding int) *load {
	l := &load{stop: make(chan struct{})}
	for range clients {
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) //nolint:gosec // moments and choices that can be repeated
		l.running.Go(func() { l.client(s, own, padding) })
	}
	return l
}

func (l *load) client(s *subject, rng *rand.Rand, padding int) {
	c := newClient(s.service.Addr, s.token)
	defer c.close()
	for {
		select {
		case <-l.stop:
			return
		case <-s.service.Ended():
			return
		default:
		}
		l.send(s, c, s.newChange(rng, padding))
	}
}

// send sends a change, and again after 5xx, until it is answered or the load or the service ends.
func (l *load) send(s *subject, c *client, change *change) {
	s.account.enter(change)
	for {
		status, err := c.propose(&s.account, change)
		l.last.Store(int64(status))
		if err == nil && status/100 != 5 {
			return
		}
		select {
		case <-time.After(beforeRetry):
		case <-l.stop:
			return
		case <-s.service.Ended():
			return
		}
	}
}

// wait ends the load and waits for its last answers. A second call does nothing.
func (l *load) wait() {
	l.stopping.Do(func() { close(l.stop) })
	l.running.Wait()
}

// newChange makes a change of one of the subject's requirements. One of twenty must be refused.
func (s *subject) newChange(rng *rand.Rand, padding int) *change {
	n := s.made.Add(1)
	c := &change{
		mark: fmt.Sprintf("%s-%06d", s.name, n), key: fmt.Sprintf("%08x-0000-4000-8000-%012x", s.seed,
			n), requirement: requirementID(rng.IntN(requirements)),
	}
	text := strings.TrimSpace(c.mark + " " + strings.Repeat("x", padding))
	c.body = fmt.Sprintf(`{"pm_notes":[{"text":%q}]}`, text)
	if rng.IntN(20) == 0 {
		c.body = fmt.Sprintf(
			`{"pm_notes":[{"text":%q}],"status":"done",`+
				`"justification":{"reason":"to be refused","evidence":[{"kind":"commit","commit":"0123456789ab"}]}}`, text)
	}
	return c
}

// found reads all notes of a service, by mark.
func (c *client) found() (map[string][]place, error) {
	var project struct {
		Requirements []struct {
			ID    string `json:"id"`
			Notes []struct {
				Revision uint64 `json:"revision"`
				Text     string `json:"text"`
			} `json:"pm_notes"`
		} `json:"requirements"`
	}
	page, err := c.get("/project")
	if err == nil {
		err = json.Unmarshal(page, &project)
	}
	if err != nil {
		return nil, err
	}
	if len(project.Requirements) != requirements {
		return nil, fmt.Errorf("the project has %d requirements, not %d", len(project.Requirements), requirements)
	}
	found := map[string][]place{}
	for _, r := range project.Requirements {
		for _, note := range r.Notes {
			mark, _, _ := strings.Cut(note.Text, " ")
			found[mark] = append(found[mark], place{r.ID, note.Revision})
		}
	}
	return found, nil
}

// exportBehind reports whether the export still lacks records of the log.
func (c *client) exportBehind() (bool, error) {
	page, err := c.get("/metrics")
	if err != nil {
		return false, err
	}
	size := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			size[name] = value
		}
	}
	records, exported := size["orchestrator_log_records"], size["orchestrator_export_log_records"]
	if records == "" || exported == "" {
		return false, errors.New("/metrics does not show how long the log and the export are")
	}
	return records != exported, nil
}
