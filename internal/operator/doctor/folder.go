package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/localservice"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// maxEntries is the most files of the data folder whose owner is looked at.
const maxEntries = 10_000

// lookAtFolder looks at whom the data folder and what is in it belongs to.
func (e *examination) lookAtFolder() {
	folder := string(e.Data)
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		e.fail("folder", Problem, err)
		return
	}
	if !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		e.say("folder", Problem, "mv -- "+quoted(folder)+" "+quoted(folder+".away"), "%s is no folder", folder)
		return
	}
	if info, err = os.Stat(folder); err != nil {
		e.fail("folder", Problem, err)
		return
	}
	if owner := ownerOf(info); owner != e.User {
		level := Problem
		if e.User == 0 {
			level = Warning // root can read it, and leaves files that the owner cannot replace
		}
		e.say("folder", level, "cd "+quoted(e.Data.Project())+" && sudo -u "+account("#", owner)+" orchestrator doctor",
			"%s belongs to %s, and this is %s", folder, named(owner), named(e.User))
		if level == Problem {
			return
		}
	}
	e.lookForStrangers(folder, ownerOf(info))
	if err := syscall.Access(folder, 2); err != nil && !errors.Is(err, syscall.EROFS) { // the disk says that
		e.say("folder", Problem, "chmod u+rwx "+quoted(folder), "%s cannot be written: %v", folder, err)
	}
}

// lookForStrangers finds what another user than the owner of the folder put into it, such as a command that root ran.
func (e *examination) lookForStrangers(folder string, owner int) {
	first, strangers, seen := "", 0, 0
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			return fs.SkipAll
		}
		if err != nil || entry == nil {
			return nil //nolint:nilerr // what cannot be read is said where it is looked at
		}
		if info, err := entry.Info(); err == nil && ownerOf(info) != owner {
			if strangers++; first == "" {
				first = path
			}
		}
		return nil
	})
	if strangers == 0 {
		e.say("folder", OK, "", "all in %s belongs to %s", folder, named(owner))
		return
	}
	e.say("folder", Problem, "sudo chown -R "+account("", owner)+" -- "+quoted(folder),
		"%d files do not belong to %s, the owner of the folder, such as %s", strangers, named(owner), first)
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// named returns how people call a user.
func named(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", id)
}

// account returns how commands call a user; before a number some want a mark.
func account(mark string, id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return shellquote.Quote(u.Username)
	}
	return shellquote.Quote(mark + strconv.Itoa(id))
}

// soon is how long before a token expires that is said.
const soon = 7 * 24 * time.Hour

func (e *examination) lookAtTokens(ctx context.Context) {
	if e.clone {
		e.lookAtSavedToken()
		return
	}
	if e.Store.IsShared() || storage.InFolder(e.Data).CheckHere(ctx) != nil {
		e.say("tokens", OK, "", "the database has them; orchestrator token list --store shows them")
		return
	}
	if !tree.Exists(e.Data.Tokens()) {
		e.say("tokens", Warning, e.orchestrator("up"),
			"there are none yet; the first start makes those of the pm and the viewer")
		return
	}
	all, err := tokens.Open(e.Data).List()
	if err != nil {
		e.fail("tokens", Problem, err)
		return
	}
	usable := map[string]int{}
	for _, t := range all {
		again := e.orchestrator("token add "+shellquote.Quote(t.Role)+" "+shellquote.Quote(t.Name)) + " --out " +
			shellquote.Quote(t.Role+"-again.token")
		switch {
		case t.Expired(e.Now):
			e.say("tokens", Warning, again, "the token of %q, %s, expired %s", t.Name, t.Role,
				t.Expires.Format(time.RFC3339))
			continue
		case !t.Expires.IsZero() && t.Expires.Sub(e.Now) < soon:
			e.say("tokens", Warning, again, "the token of %q, %s, expires %s", t.Name, t.Role,
				t.Expires.Format(time.RFC3339))
		}
		usable[t.Role]++
	}
	e.lookAtRoles(usable)
	e.lookForBasic(usable)
	e.lookAtTokenFiles(ctx, all)
}

// lookAtRoles says which roles have tokens. Without a pm nothing can be planned, approved or accepted.
func (e *examination) lookAtRoles(usable map[string]int) {
	var said []string
	for _, role := range []string{"pm", "architect", "coder", "tester", "viewer"} {
		if n := usable[role]; n > 0 {
			said = append(said, fmt.Sprintf("%s %d", role, n))
		}
	}
	switch {
	case len(said) == 0:
		e.say("tokens", Problem, e.newToken("pm", e.Data.Token("pm")), "no token can be used")
	case usable["pm"] == 0:
		e.say("tokens", Warning, e.newToken("pm", e.Data.Token("pm")), "no token of a pm can be used; of others: %s",
			strings.Join(said, ", "))
	default:
		e.say("tokens", OK, "", "can be used: %s", strings.Join(said, ", "))
	}
}

// maxSecret is the most bytes of a file that may hold a token.
const maxSecret = 4 << 10

// lookAtTokenFiles finds files with tokens that this service does not know: revoked ones, and those of another service.
func (e *examination) lookAtTokenFiles(ctx context.Context, all []token.Token) {
	saved := e.lookAtSavedToken()
	files, _ := filepath.Glob(filepath.Join(e.Data.TokenDir(), "*.token")) // fails for bad patterns alone
	for _, path := range files {
		content, err := tree.ReadFile(ctx, path, maxSecret)
		if err != nil {
			e.fail("tokens", Problem, err)
		} else if !token.Holds(all, string(content)) && tree.Real(path) != saved {
			e.say("tokens", Warning, e.discard(path),
				"%s has no token of this service: it was revoked, or is of another service", path)
		}
	}
}

// basic are the roles whose tokens the commands take from the data folder.
var basic = []string{"pm", "viewer"}

// lookForBasic finds that a file is gone from which the commands take the token of a role that has one.
func (e *examination) lookForBasic(usable map[string]int) {
	for _, role := range basic {
		if path := e.Data.Token(role); usable[role] > 0 && !tree.Exists(path) {
			e.say("tokens", Warning, e.newToken(role, path), "%s is gone, from which commands take their token", path)
		}
	}
}

// discard returns what is to be done with a file whose token is no use: the commands need that of some roles.
func (e *examination) discard(path string) string {
	for _, role := range basic {
		if path == e.Data.Token(role) {
			return e.newToken(role, path)
		}
	}
	return "rm -- " + quoted(path)
}

// lookAtSavedToken returns the file with the token that the settings name, or "".
func (e *examination) lookAtSavedToken() string {
	if e.saved.TokenFile == "" {
		return ""
	}
	path := tree.Real(e.saved.TokenPath(e.Data))
	if !tree.Exists(path) {
		e.say("tokens", Problem, e.orchestrator("config unset token_file"), "token_file names %s, which is not there",
			e.saved.TokenFile)
	}
	return path
}

// lookAtModes finds secrets that other users can read.
func (e *examination) lookAtModes() {
	own, _ := filepath.Glob(filepath.Join(e.Data.TokenDir(), "*.token")) // fails for bad patterns alone
	if e.clone && len(own) == 0 {
		return // git makes its folder open to all, and nothing is in it
	}
	secrets, _ := filepath.Glob(filepath.Join(e.Data.WebhookDir(), "*.secret")) // likewise
	own = append(own, secrets...)
	modes := map[fs.FileMode][]string{
		0o700: {string(e.Data), e.Data.TokenDir(), e.Data.WebhookDir()},
		0o600: append(own, e.Data.Tokens(), e.Data.Webhooks(), e.Data.Key(), e.Data.Database(),
			boltstore.WALOf(e.Data.Database())),
	}
	open := false
	for _, want := range []fs.FileMode{0o700, 0o600} {
		for _, path := range modes[want] {
			info, err := os.Stat(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				e.fail("secrets", Problem, err)
				open = true
			} else if mode := info.Mode().Perm(); mode&0o077 != 0 {
				e.say("secrets", Problem, fmt.Sprintf("chmod %o %s", want, quoted(path)),
					"other users can open %s (mode %o)",
					path, mode)
				open = true
			}
		}
	}
	if !open && tree.Exists(string(e.Data)) {
		e.say("secrets", OK, "", "no other user can open tokens, key or database")
	}
}

// stale is how old a file has to be to be a leftover.
const stale = time.Minute

// lookAtLeftovers finds what a start or another command that failed left behind.
func (e *examination) lookAtLeftovers(ctx context.Context) {
	if busy, err := localservice.Process(e.Data); e.runs() || busy != 0 || err != nil {
		return
	}
	entries, err := tree.ReadDir(string(e.Data))
	if err != nil {
		return // said of the folder
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && isTemporary(entry.Name()) && e.Now.Sub(info.ModTime()) > stale {
			path := filepath.Join(string(e.Data), entry.Name())
			e.say("leftovers", Warning, "rm -- "+quoted(path), "%s is what a process left that ended in the middle",
				path)
		}
	}
	if said := localservice.Failure(ctx, e.Data); said != "" {
		mend := e.orchestrator("up")
		if e.clone {
			mend = "rm -- " + quoted(localservice.LogFile(e.Data))
		}
		e.say("leftovers", Warning, mend, "the last start in the background failed: %s", said)
	}
}

// isTemporary reports whether a name is that of a file that takes another's place once it is complete.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, ".state.db.")
}
