package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// answerWithin bounds how long the service may take.
const answerWithin = 3 * time.Second

func (e *examination) lookAtService(ctx context.Context) {
	if !apiclient.Runs(e.Data) {
		e.say("service", Warning, "orchestrator up", "no service runs with the folder %s", e.Data)
		return
	}
	addr, err := apiclient.LocalAddress(ctx, e.Data)
	if err != nil {
		e.fail("service", Problem, err)
		return
	}
	c, err := apiclient.New(apiclient.Options{Server: apiclient.LocalURL(addr), Anonymous: true, UserAgent: e.Agent,
		Timeout: answerWithin})
	if err == nil {
		err = c.Ready(ctx)
	}
	if err != nil {
		e.fail("service", Problem, err)
		return
	}
	theirs := struct {
		Version string `json:"version"`
	}{}
	if _, err := c.GetJSON(ctx, "/version", &theirs); err != nil {
		e.fail("service", Problem, err)
		return
	}
	if theirs.Version != e.Version {
		e.say("service", Warning, "orchestrator down && orchestrator up",
			"the service at %s is version %s, and this program %s", c.Base(), theirs.Version, e.Version)
		return
	}
	e.say("service", OK, "", "ready at %s, version %s", c.Base(), theirs.Version)
}

// soon is how long before a token expires that is said.
const soon = 7 * 24 * time.Hour

func (e *examination) lookAtTokens() {
	if !tree.Exists(e.Data.Tokens()) {
		e.say("tokens", Warning, "orchestrator up makes those of the pm and the viewer", "there are none yet")
		return
	}
	all, err := tokens.Open(e.Data).List()
	if err != nil {
		e.fail("tokens", Problem, err)
		return
	}
	usable := 0
	for _, t := range all {
		again := "orchestrator token add " + t.Role + " " + shellquote.Quote(t.Name) + " --out FILE"
		switch {
		case t.Expired(e.Now):
			e.say("tokens", Warning, again, "the token of %q, %s,"+
				" expired %s", t.Name, t.Role, t.Expires.Format(time.RFC3339))
			continue
		case !t.Expires.IsZero() && t.Expires.Sub(e.Now) < soon:
			e.say("tokens", Warning, again, "the token of %q, %s,"+
				" expires %s", t.Name, t.Role, t.Expires.Format(time.RFC3339))
		}
		usable++
	}
	if usable == 0 {
		e.say("tokens", Problem, "orchestrator token add pm NAME --out FILE", "no token can be used")
		return
	}
	e.say("tokens", OK, "", "%d can be used", usable)
}

// lookAtModes finds secrets that other users can read.
func (e *examination) lookAtModes() {
	private := []string{e.Data.Tokens(), e.Data.Key(), e.Data.Database()}
	own, _ := filepath.Glob(filepath.Join(e.Data.TokenDir(), "*.token")) // fails for bad patterns alone
	open := false
	for _, path := range append(private, own...) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			e.fail("secrets", Problem, err)
			open = true
		} else if info.Mode().Perm()&0o077 != 0 {
			e.say("secrets", Problem, "chmod 600 "+shellquote.Quote(path), "other users can open %s (mode %o)", path,
				info.Mode().Perm())
			open = true
		}
	}
	if !open {
		e.say("secrets", OK, "", "no other user can open tokens, key or database")
	}
}

// lookAtClock compares the clock with the time of the last change of the database.
func (e *examination) lookAtClock() {
	info, err := os.Stat(e.Data.Database())
	if err != nil {
		return // the service says more of it
	}
	if ahead := info.ModTime().Sub(e.Now); ahead > time.Minute {
		e.say("clock", Problem, "set the clock of this machine; changes get its time",
			"the clock is %s behind the last change", ahead.Round(time.Second))
		return
	}
	e.say("clock", OK, "", "not behind the last change")
}

// Limits below which there is little space.
const (
	fewBytes = 256 << 20
	fewFiles = 1000
)

func (e *examination) lookAtDisk() {
	folder := string(e.Data)
	if !tree.Exists(folder) {
		folder = filepath.Dir(folder)
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		e.fail("disk", Problem, err)
		return
	}
	free := s.Bavail * uint64(s.Bsize)
	switch {
	case free < fewBytes:
		e.say("disk", Warning, "make space; orchestrator compact makes the database smaller",
			"%d MiB are free", free>>20)
	case s.Files > 0 && s.Ffree < fewFiles:
		e.say("disk", Warning, "remove files that nobody needs", "the file system takes %d more files", s.Ffree)
	default:
		e.say("disk", OK, "", "%d MiB are free", free>>20)
	}
}
