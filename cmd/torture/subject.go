package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"orchestrator/internal/system/child"
)

// requirements are few, so that a restart is quick and a requirement has many changes.
const requirements = 40

func requirementID(i int) string { return fmt.Sprintf("REQ-%03d", i+1) }

// subject is a project under torture, and what its clients were told.
type subject struct {
	name, binary string
	seed         uint32
	dir          string // the project
	flags        []string
	mayTear      bool   // as that of the row
	logFile      string // outside of dir: a full disk must not stop it
	token        string
	service      *child.Process
	account      account
	made         atomic.Int64 // changes
}

// newSubject writes the documents of a project into dir.
func newSubject(name, binary, dir, logFile string, seed uint32, r row) (*subject, error) {
	var doc bytes.Buffer
	doc.WriteString("# Torture\n")
	for i := range requirements {
		fmt.Fprintf(&doc, "\n### %s: Decision %d is kept\n\nThe service keeps decision %d through whatever happens.\n", requirementID(i), i+1, i+1)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	err := os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), doc.Bytes(), 0o600)
	return &subject{name: name, binary: binary, seed: seed, dir: dir, logFile: logFile,
		flags: r.flags, mayTear: r.mayTear}, err
}

func (s *subject) command(flags ...string) child.Command {
	args := []string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json", "--evidence",
		"record"}
	return child.Command{Dir: s.dir, Log: s.logFile, Program: s.binary, Args: slices.Concat(args, s.flags, flags),
		Answers: s.answers}
}

// answers reads the token, which the first start makes, and asks for the project with it.
func (s *subject) answers(p *child.Process) (err error) {
	if s.token, err = child.Secret(s.dir, "pm"); err != nil {
		return err
	}
	c := newClient(p.Addr, s.token)
	defer c.close()
	_, err = c.get("/workflow")
	return err
}

// start starts the service. When it cannot, the one before stays known.
func (s *subject) start(ctx context.Context, flags ...string) error {
	service, err := child.Start(ctx, s.command(flags...))
	if err == nil {
		s.service = service
	}
	return err
}

// startAgain starts the service after a crash. A start that is refused is counted, and tried once more with leave to go
// on from what is there. Without an error the service runs.
func (s *subject) startAgain(ctx context.Context, t *tally) error {
	err := s.start(ctx)
	if err == nil || !errors.Is(err, child.ErrEnded) {
		return err
	}
	t.StartsRefused++
	t.find("%s: a start was refused: %v", s.name, err)
	return s.start(ctx, "--accept-rollback", "the disk failed in a test")
}

// verify lets the product verify its database, which nobody may use, and the signed checkpoint beside it, and compares
// the length of the log with that of the export.
func (s *subject) verify(ctx context.Context, t *tally) {
	args := []string{"verify", "--json"}
	checkpoint := filepath.Join(s.dir, "project_status.checkpoint")
	if _, err := os.Stat(checkpoint); err == nil {
		args = append(args, "--against", checkpoint)
	}
	export := filepath.Join(s.dir, "project_status.json")
	if s.mayTear && torn(export) {
		t.note("the export was torn, and written anew at the start")
		args, export = append(args, "--export", "none"), ""
	}
	cmd := exec.CommandContext(ctx, s.binary, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = s.dir, &said
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return
	}
	var report struct {
		Records uint64 `json:"records"`
	}
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		t.VerifyFailed++
		t.find("%s: verify: %v: %s", s.name, err, strings.TrimSpace(said.String()))
		return
	}
	if err := exportBehind(export, report.Records); err != nil {
		t.Misbehaved++
		t.find("%s: %v", s.name, err)
	}
}

// torn reports whether there is an export that is not whole.
func torn(export string) bool {
	content, err := os.ReadFile(export)
	return err == nil && !json.Valid(content)
}

// exportBehind makes sure that an export, where there is one, is whole, and shows no more of the log than there is.
func exportBehind(path string, records uint64) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var export struct {
		Log struct {
			Size uint64 `json:"size"`
		} `json:"log"`
	}
	if err == nil {
		err = json.Unmarshal(content, &export)
	}
	if err != nil {
		return fmt.Errorf("the export is not whole: %w", err)
	}
	if export.Log.Size > records {
		return fmt.Errorf("the export shows %d records, and the log has %d", export.Log.Size, records)
	}
	return nil
}

// settle compares what the running service has with what its clients were told.
func (s *subject) settle(t *tally) error {
	c := newClient(s.service.Addr, s.token)
	defer c.close()
	found, err := c.found()
	if err != nil {
		return err
	}
	for _, finding := range s.account.settle(found) {
		t.find("%s", finding)
	}
	return nil
}

// resolve sends the changes without an answer again, each with its Idempotency-Key, so that each is applied once.
func (s *subject) resolve() error {
	c := newClient(s.service.Addr, s.token)
	defer c.close()
	for _, change := range s.account.unresolved() {
		status, err := c.propose(&s.account, change)
		if err == nil && status/100 == 5 {
			err = fmt.Errorf("a change that was sent again was answered %d", status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
