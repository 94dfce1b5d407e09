package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/cmd/bench/fixture"
)

// citedFiles are in the repository of the review, with so many lines; each is cited by as many requirements.
const citedFiles, citedLines = 100, started/100 + 10

// cited is the body of a PATCH whose evidence is looked up: lines of a file.
const cited = `{"implementation":{"summary":"done","files":[{"path":"src/%02d.txt","lines":"%d-%d"}]}}`

// reviewing measures a review of n requirements, of which some cite lines of a file in git: when nothing has changed
// since the last one, and after a commit that changed every file.
func (b *bench) reviewing(ctx context.Context, n int, goal float64) (rows []row, err error) {
	dir, err := b.folder(fmt.Sprint("review-", n), n, shortText)
	if err != nil {
		return nil, err
	}
	if err := fixture.CommitFiles(ctx, dir, citedFiles, citedLines, 0); err != nil {
		return nil, err
	}
	s, err := b.product(ctx, dir, "--evidence=verify", "--recheck=0", "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	say("citing a file for each of %d requirements", started)
	if err := errors.Join(s.once(ctx, s.cite, started), s.calm(ctx)); err != nil {
		return nil, err
	}
	var same, changed []float64
	for round := range b.rounds {
		if err := fixture.CommitFiles(ctx, dir, citedFiles, citedLines, round+1); err != nil {
			return nil, err
		}
		for _, into := range []*[]float64{&changed, &same} {
			took, err := s.ask("/project/review", n)
			if err != nil {
				return nil, err
			}
			*into = append(*into, took)
		}
		say("reviewed in %.3f s after a commit, then in %.3f s", changed[round], same[round])
	}
	of := fmt.Sprintf(", %d requirements, %d cite %d files", n, started, citedFiles)
	return []row{
		newRow("review"+of, "s", nil, same, nil, atMost(goal)),
		newRow("review after a commit that changes every file"+of, "s", nil, changed, nil, nil),
	}, nil
}

// cite returns a PATCH by the coder that cites lines of a file.
func (s *server) cite(dst []byte, n int) []byte {
	line := 1 + n/citedFiles
	return s.patchOne(dst, "coder", n, fmt.Appendf(nil, cited, n%citedFiles, line, line+9))
}

// patchOne returns a PATCH of one requirement.
func (s *server) patchOne(dst []byte, role string, n int, body []byte) []byte {
	return fmt.Appendf(dst,
		"PATCH /requirements/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		requirementID(n), s.addr, s.secret(role), len(body), body)
}

// ask asks for what is told of n requirements, and wants every one in it.
func (s *server) ask(path string, n int) (seconds float64, err error) {
	begun := time.Now()
	answer, err := fetch(s.addr, s.get("viewer", path)(nil, 0))
	took := time.Since(begun).Seconds()
	if err == nil && !bytes.Contains(answer, fmt.Appendf(nil, `"total":%d`, n)) {
		err = fmt.Errorf("%s does not have %d requirements: %.300s", path, n, answer)
	}
	return took, err
}
