package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// takeAway are the ways to take the database from under a running service, or to damage it. keeps names the file that
// has what was confirmed, as far as there is one; "" where what was confirmed is gone with the file, or damaged.
var takeAway = map[string]struct {
	do    func(data string) error
	says  string // on standard error
	keeps string
}{
	"remove":    {func(data string) error { return os.Remove(data + "/state.db") }, "removed or renamed", ""},
	"move away": {func(data string) error { return os.Rename(data+"/state.db", data+"/away.db") }, "removed or renamed", "/away.db"},
	"replace by copy": {func(data string) error {
		return replaceDatabaseBy(data, func(by string) error {
			b, err := os.ReadFile(data + "/state.db")
			if err != nil {
				return err
			}
			return os.WriteFile(by, b, 0o600)
		})
	}, "another file was put in its place", "/away.db"},
	"replace by link": {func(data string) error {
		return replaceDatabaseBy(data, func(by string) error { return os.Symlink("away.db", by) })
	}, "a symbolic link was put in its place", "/away.db"},
	"rename the folder":   {func(data string) error { return os.Rename(data, data+".away") }, "removed or renamed", ".away/state.db"},
	"truncate to nothing": {func(data string) error { return os.Truncate(data+"/state.db", 0) }, "damaged", ""},
	"truncate to half":    {truncateToHalf, "damaged", ""},
	"truncate to a page":  {func(data string) error { return os.Truncate(data+"/state.db", 8192) }, "damaged", ""},
	"clear the heads":     {overwrite(0, 2, 0), "damaged", ""},
	"smash the pages":     {overwrite(2, 1000, 0xFF), "damaged", ""},
}

// replaceDatabaseBy puts what is made in the place of the database, which is away.db from then on; at no moment is there none.
func replaceDatabaseBy(data string, make func(by string) error) error {
	if err := make(data + "/by"); err != nil {
		return err
	}
	if err := os.Link(data+"/state.db", data+"/away.db"); err != nil {
		return err
	}
	return os.Rename(data+"/by", data+"/state.db")
}

// truncateToHalf cuts the half of the pages in use.
func truncateToHalf(data string) error { return os.Truncate(data+"/state.db", 6*4096+100) }

func overwrite(page, pages int, by byte) func(string) error {
	return func(data string) error {
		f, err := os.OpenFile(data+"/state.db", os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt([]byte(strings.Repeat(string([]byte{by}), pages*4096)), int64(page*4096))
		return err
	}
}

// confirmed counts the changes of several clients until none is answered any more.
type confirmed struct {
	before, after atomic.Int64 // the attack was over
	attacked      atomic.Bool
	refused       atomic.Int64 // last answers: 503 before the process ended
	cutOff        atomic.Int64 // requests that were taken and never answered
}

func (c *confirmed) load(p *process, client int) {
	for n := 0; !p.ended() && c.after.Load() < 1000; n++ {
		late := c.attacked.Load()
		got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: fmt.Sprintf(`{"pm_notes":[{"text":"%d.%d"}]}`, client, n)})
		switch {
		case errors.Is(err, io.EOF):
			c.cutOff.Add(1)
			return
		case err != nil:
			return // its listener is closed
		case got.status == http.StatusOK && late:
			c.after.Add(1)
		case got.status == http.StatusOK:
			c.before.Add(1)
		default:
			c.refused.Add(1)
			return
		}
	}
}

// TestTheDatabaseIsTakenAway: nothing is confirmed that went into a dead file, the process says what happened and ends
// with 1, and what was confirmed before is in the file that it had open.
//
// Verifies: ORC-041
func TestTheDatabaseIsTakenAway(t *testing.T) {
	t.Parallel()
	var refused, cutOff int64
	for name, attack := range takeAway {
		t.Run(name, func(t *testing.T) {
			dir := newProject(t)
			p := startServer(t, dir, "--rate-limit", "0")
			var c confirmed
			var clients sync.WaitGroup
			for client := range 4 {
				clients.Go(func() { c.load(p, client) })
			}
			require.NoError(t, poll(func() error {
				if c.before.Load() < 40 {
					return fmt.Errorf("%d changes", c.before.Load())
				}
				return nil
			}))
			data := filepath.Join(dir, ".orchestrator")
			require.NoError(t, attack.do(data))
			c.attacked.Store(true)
			clients.Wait()
			require.NoError(t, p.awaitExit(1))
			require.Contains(t, p.log.String(), attack.says)
			require.Contains(t, p.log.String(), "\n  fix: ")
			t.Logf("%s: confirmed before %d, after %d; refused at the end %d, cut off %d", name, c.before.Load(), c.after.Load(), c.refused.Load(), c.cutOff.Load())
			refused, cutOff = refused+c.refused.Load(), cutOff+c.cutOff.Load()
			if attack.says != "damaged" {
				require.Zero(t, c.after.Load(), "a change was confirmed that no later start finds")
			}
			if attack.keeps == "" {
				return
			}
			require.NoError(t, os.MkdirAll(data, 0o700))
			_ = os.Remove(data + "/state.db")
			require.NoError(t, os.Rename(data+attack.keeps, data+"/state.db"))
			if _, err := os.Stat(data + ".away"); err == nil {
				require.NoError(t, os.Rename(data+"/state.db", data+".away/state.db"))
				require.NoError(t, os.RemoveAll(data))
				require.NoError(t, os.Rename(data+".away", data))
			}
			require.GreaterOrEqual(t, revisionAfterRestart(t, dir), 1+c.before.Load()+c.after.Load())
		})
	}
	require.Zero(t, cutOff, "the last answers reach their clients")
	require.NotZero(t, refused)
}

func revisionAfterRestart(t *testing.T, dir string) int64 {
	p := startServer(t, dir)
	got, err := p.call(request{role: "viewer", method: "GET", path: "/requirements/REQ-001"})
	require.NoError(t, err)
	var now struct{ Revision int64 }
	require.NoError(t, json.Unmarshal([]byte(got.body), &now))
	require.NoError(t, p.stop(0))
	return now.Revision
}

// TestTheDatabaseIsTakenFromAnIdleService: it ends without a request, and a start on what was left says what is wrong.
//
// Verifies: ORC-041
func TestTheDatabaseIsTakenFromAnIdleService(t *testing.T) {
	t.Parallel()
	for name, attack := range takeAway {
		t.Run(name, func(t *testing.T) {
			dir := newProject(t)
			p := startServer(t, dir)
			data := filepath.Join(dir, ".orchestrator")
			require.NoError(t, attack.do(data))
			require.NoError(t, p.awaitExit(1))
			require.Contains(t, p.log.String(), attack.says)
			if attack.says == "damaged" {
				again, err := start(dir, os.Environ(), []string{program()})
				if err == nil {
					again.kill()
				}
				require.ErrorContains(t, err, "state.db is")
			}
		})
	}
}

// TestChmodOfTheDatabase: who has a file open needs no right to it.
func TestChmodOfTheDatabase(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	require.NoError(t, os.Chmod(filepath.Join(dir, ".orchestrator", "state.db"), 0))
	got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: `{"pm_notes":[{"text":"x"}]}`})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.NoError(t, os.Chmod(filepath.Join(dir, ".orchestrator", "state.db"), 0o600))
	require.NoError(t, p.stop(0))
	require.EqualValues(t, 2, revisionAfterRestart(t, dir))
}
