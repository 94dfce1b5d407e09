package fleet

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"orchestrator/internal/ledger/audit"
)

// outcome is what a client knows of its change.
type outcome int

const (
	unknown outcome = iota // it may or may not have been made
	accepted
	refused
)

// change is one change that a client asked for.
type change struct {
	mark, key, body, requirement string
	outcome                      outcome
	revision                     uint64 // that the answer named
	receipt                      receipt
}

// newChange makes a change that nothing else looks like.
func (l *Load) newChange(requirement string) *change {
	n := l.made.Add(1)
	mark := fmt.Sprintf("mark-%06d", n)
	return &change{
		mark: mark, key: fmt.Sprintf("00000000-0000-4000-8000-%012x", n), requirement: requirement,
		body: fmt.Sprintf(`{"implementation":{"summary":%q,"files":[],"commits":["%012x"]}}`, mark, n),
	}
}

// Account is what clients asked for and were told.
type Account struct {
	mu      sync.Mutex
	changes []*change
}

func (a *Account) enter(c *change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes = append(a.changes, c)
}

func (a *Account) close(c *change, o outcome, r receipt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.outcome, c.receipt = o, r
}

// Judgement is what became of the changes.
type Judgement struct {
	Sent, Acknowledged, Refused, Unknown int

	Lost     int // acknowledged, and not in the log where the answer said
	Survived int // in the log without an answer, which is allowed
	Wrong    int // refused and in the log, there twice, elsewhere, or never asked for
	Findings []string
}

// entry is a change as the log has it.
type entry struct {
	index, revision uint64
	requirement     string
}

// history is the log, as an outsider reads it.
type history struct {
	entries map[string][]entry // changes by mark
	roots   []string           // by the size of the log
}

// auditPage is a page of the log.
type auditPage struct {
	Size    uint64            `json:"size"`
	Records []json.RawMessage `json:"records"`
}

func readPage(got answer) (page auditPage, err error) {
	if got.status != http.StatusOK {
		return page, got.problem()
	}
	return page, json.Unmarshal(got.body, &page)
}

// Judge holds the log that a replica shows against what the clients were told. Their load has ended.
func (l *Load) Judge(r *Replica) (Judgement, error) {
	c := newCaller(r.Addr, l.project.secret)
	defer c.close()
	h, err := readHistory(c)
	if err != nil {
		return Judgement{}, err
	}
	return l.account.judge(h), nil
}

func readHistory(c *caller) (history, error) {
	h := history{entries: map[string][]entry{}, roots: []string{""}}
	var head audit.Head
	for {
		got, err := c.do(http.MethodGet, fmt.Sprintf("/audit?limit=1000&from=%d", head.Size), "")
		if err != nil {
			return h, err
		}
		page, err := readPage(got)
		if err != nil {
			return h, err
		}
		for _, raw := range page.Records {
			var record audit.Record
			if record, head, _, err = head.Next(raw); err != nil {
				return h, err
			}
			if err := h.add(record); err != nil {
				return h, err
			}
			h.roots = append(h.roots, base64.StdEncoding.EncodeToString(head.Root[:]))
		}
		if len(page.Records) == 0 || head.Size >= page.Size {
			return h, nil
		}
	}
}

// add takes one record.
func (h *history) add(record audit.Record) error {
	if record.Kind != "requirement.changed" {
		return nil
	}
	var data struct {
		Change struct {
			Implementation struct {
				Summary string `json:"summary"`
			} `json:"implementation"`
		} `json:"change"`
		Revision uint64 `json:"revision"`
	}
	if err := json.Unmarshal(record.Data, &data); err != nil {
		return err
	}
	mark := data.Change.Implementation.Summary
	h.entries[mark] = append(h.entries[mark], entry{record.Seq, data.Revision, record.Subject})
	return nil
}

// judge compares all changes with a log.
func (a *Account) judge(h history) (j Judgement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := map[string]bool{}
	for _, c := range a.changes {
		known[c.mark] = true
		j.count(c, h)
	}
	for mark, at := range h.entries {
		if !known[mark] {
			j.Wrong++
			j.find("%q is at %+v, and nobody asked for it", mark, at)
		}
	}
	slices.Sort(j.Findings)
	return j
}

// mostFindings is how many findings are kept; they are counted beyond it.
const mostFindings = 20

func (j *Judgement) find(format string, args ...any) {
	if len(j.Findings) < mostFindings {
		j.Findings = append(j.Findings, fmt.Sprintf(format, args...))
	}
}

func (j *Judgement) count(c *change, h history) {
	at := h.entries[c.mark]
	j.Sent++
	switch c.outcome {
	case accepted:
		j.Acknowledged++
		j.countAccepted(c, at, h)
		return
	case refused:
		j.Refused++
		if len(at) > 0 {
			j.Wrong++
			j.find("%s was refused, and is at %+v", c.mark, at)
		}
		return
	}
	j.Unknown++
	switch {
	case len(at) > 1:
		j.Wrong++
		j.find("%s was not answered, and is there more than once: %+v", c.mark, at)
	case len(at) == 1:
		j.Survived++
	}
}

func (j *Judgement) countAccepted(c *change, at []entry, h history) {
	said := entry{c.receipt.index, c.revision, c.requirement}
	switch {
	case len(at) == 0:
		j.Lost++
		j.find("%s was acknowledged as %+v, and is lost", c.mark, said)
	case len(at) > 1 || at[0] != said:
		j.Wrong++
		j.find("%s was acknowledged as %+v, and is at %+v", c.mark, said, at)
	case c.receipt.size >= uint64(len(h.roots)) || h.roots[c.receipt.size] != c.receipt.root:
		j.Wrong++
		j.find("%s has a receipt for another log of %d records", c.mark, c.receipt.size)
	}
}

// Err returns an error if anything was lost or is wrong.
func (j Judgement) Err() error {
	if j.Lost+j.Wrong == 0 {
		return nil
	}
	return fmt.Errorf("%d changes lost, %d wrong:\n%s", j.Lost, j.Wrong, strings.Join(j.Findings, "\n"))
}
