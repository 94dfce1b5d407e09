package applying

import (
	"context"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/system/shellquote"
)

// answered is what the service answers to a change.
type answered struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Revision  uint64 `json:"revision"`
	Unchanged bool   `json:"unchanged"`

	replayed bool
}

// maxWaits is how often a line waits because its token asks too often.
const maxWaits = 30

// decided has a line decided. A refusal that the service remembers is asked for anew: what it was refused for may have
// been mended.
func (a *application) decided(ctx context.Context, s *state, l adoption.Line, o order) (answered, error) {
	got, err := a.send(ctx, s, l, o, o.key(s, l))
	if refuses(fault.As(err)) && got.replayed {
		got, err = a.send(ctx, s, l, o, apiclient.NewKey())
	}
	return got, err
}

func (a *application) send(ctx context.Context, s *state, l adoption.Line, o order, key string) (answered, error) {
	return apiclient.ByID(s.ID, func(id string) (got answered, err error) {
		request := apiclient.Request{Method: o.method, Path: path(id, o.below), Body: o.body, Media: o.media,
			IfMatch: ifMatch(s, l), Key: key}
		answer, err := a.Clients[l.Role].Send(ctx, request)
		for n := 0; errors.Is(err, fault.RateLimited) && n < maxWaits && ctx.Err() == nil; n++ {
			answer, err = a.Clients[l.Role].Send(ctx, request)
		}
		got.replayed = answer.Replayed
		if err != nil {
			return got, err
		}
		return got, got.read(answer.Body)
	})
}

// read reads the answer to a change, which is the requirement, or to a report, which has it as a member.
func (a *answered) read(body []byte) error {
	var report struct {
		Requirement *answered `json:"requirement"`
	}
	err := jsonv2.Unmarshal(body, &report)
	if err == nil && report.Requirement != nil {
		was := a.replayed
		*a = *report.Requirement
		a.replayed = was
		return nil
	}
	if err := jsonv2.Unmarshal(body, a); err != nil || a.ID == "" {
		return fault.New(fault.Unavailable, apiclient.CodeUnreachable,
			"the service answered with something else than a requirement").
			WithFix("use the program of the same version as the service").Because(err)
	}
	return nil
}

// history is what the log has about a requirement, by the revision that a record made.
type history struct{ made map[uint64]made }

// made is a change that was accepted.
type made struct{ body, report string }

// codeStale is the code of a change that was meant for another revision.
const codeStale fault.Code = "stale_revision"

// maxPages bounds what is read of the log about one requirement.
const maxPages = 20

// historyOf reads the log about a requirement, once.
func (a *application) historyOf(ctx context.Context, s *state, l adoption.Line) (*history, error) {
	if s.log != nil {
		return s.log, nil
	}
	found := &history{made: map[uint64]made{}}
	next := path(s.ID, "/history?limit=100")
	for n := 0; next != "" && n < maxPages; n++ {
		var page struct {
			Records []struct {
				Kind string `json:"kind"`
				Data struct {
					Revision   uint64 `json:"revision"`
					BodySHA256 string `json:"body_sha256"`
					Report     struct {
						SHA256 string `json:"sha256"`
					} `json:"report"`
				} `json:"data"`
			} `json:"records"`
			Next string `json:"next"`
		}
		answer, err := a.Clients[l.Role].Send(ctx, apiclient.Request{Method: "GET", Path: next})
		if err != nil {
			return nil, err
		}
		if err := jsonv2.Unmarshal(answer.Body, &page); err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			if r.Kind == "requirement.changed" {
				found.made[r.Data.Revision] = made{r.Data.BodySHA256, r.Data.Report.SHA256}
			}
		}
		next = page.Next
	}
	s.log = found
	return found, nil
}

// bodyDigest returns the digest by which the log knows the body of a change that had a key.
func (o order) bodyDigest(id string) string {
	whole := append([]byte(id+"\x00"), o.body...)
	if o.options != "" {
		whole = append(whole, "\x00"+o.options...)
	}
	return digestOf(whole)
}

// stale decides about a line that was meant for another revision than the requirement has: it was made before, as the
// log shows, or something else changed.
func (a *application) stale(ctx context.Context, s *state, l adoption.Line, o order, became *Line,
	now *fault.Current) error {
	before := l.Revision
	if before == 0 {
		before = s.Revision
	}
	log, err := a.historyOf(ctx, s, l)
	if err != nil {
		became.Outcome = NotAsked
		return err
	}
	if log.made[before+1].body == o.bodyDigest(s.ID) {
		s.was(now, before+1, became)
		return nil
	}
	at, why := "another revision", "it has changed since"
	if now != nil {
		at = fmt.Sprintf("revision %d (%s)", now.Revision, now.Status)
		if now.Revision < before {
			why = "lines that come before it are missing"
		}
	}
	became.refuse(s.ID, fault.New(fault.Stale, codeStale, "%s is at %s, and the line was written for revision %d: %s",
		s.ID, at, before, why).
		WithFix("orchestrator show %s shows how it stands; write the plan anew with orchestrator adopt", shellquote.Quote(s.ID)))
	return nil
}

// was notes that a line had been accepted before.
func (s *state) was(now *fault.Current, revision uint64, became *Line) {
	became.Outcome, became.Revision = There, revision
	s.Revision, s.known = revision, true
	if now != nil {
		s.Status = now.Status
	}
}

// unreadable decides about a line whose report is not what it was: it was attached before, or it is refused.
func (a *application) unreadable(ctx context.Context, s *state, l adoption.Line, became *Line,
	cause error) error {
	if l.Revision != 0 && l.Report.SHA256 != "" {
		log, err := a.historyOf(ctx, s, l)
		if err == nil && log.made[l.Revision+1].report == l.Report.SHA256 {
			s.was(nil, l.Revision+1, became)
			return nil
		}
		if err != nil && !refuses(fault.As(err)) {
			became.Outcome = NotAsked
			return err
		}
	}
	became.refuse(s.ID, fault.As(cause))
	return nil
}
