package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/localservice"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/system/background"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
)

func TestAllIsWell(t *testing.T) {
	r := examine(t, newProject(t))
	require.True(t, r.Healthy)
	require.NoError(t, r.Unhealthy())
	about := map[string]int{}
	for _, f := range r.Findings {
		about[f.About]++
		if f.About != "service" {
			require.Equal(t, OK, f.Level, "%v", f)
			require.Empty(t, f.Mend+f.Advice, "%v", f)
		}
	}
	for _, name := range []string{"version", "settings", "folder", "service", "tokens", "secrets", "database",
		"repository",
		"branch", "documents", "export", "checkpoint", "key", "clock", "disk"} {
		require.NotZero(t, about[name], name)
	}
	require.Equal(t, []Finding{{About: "service", Level: Warning, What: "no service runs with the folder .orchestrator",
		Mend: "orchestrator up"}}, found(r, "service"))
}

// spoiled is a condition, what is said of it, and what mends it.
type spoiled struct {
	spoil  func(*testing.T, *Options)
	about  string
	level  Level
	what   string
	advice string // a part of it; "" where a command mends it
	mend   string // a part of it
	runs   bool   // the mend is run, and the finding is gone then
}

func must(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, err)
}

func remove(paths ...string) func(*testing.T, *Options) {
	return func(t *testing.T, _ *Options) {
		t.Helper()
		for _, path := range paths {
			must(t, os.RemoveAll(path))
		}
	}
}

func putting(path, text string) func(*testing.T, *Options) {
	return func(t *testing.T, _ *Options) { t.Helper(); write(t, path, text) }
}

func mode(path string, mode os.FileMode) func(*testing.T, *Options) {
	return func(t *testing.T, _ *Options) { t.Helper(); must(t, os.Chmod(path, mode)) }
}

func inGit(args ...string) func(*testing.T, *Options) {
	return func(t *testing.T, _ *Options) { t.Helper(); runGit(t, args...) }
}

func all(do ...func(*testing.T, *Options)) func(*testing.T, *Options) {
	return func(t *testing.T, o *Options) {
		t.Helper()
		for _, one := range do {
			one(t, o)
		}
	}
}

func tokenOf(role, name string, ends time.Duration) func(*testing.T, *Options) {
	return func(t *testing.T, o *Options) {
		t.Helper()
		_, _, err := tokens.Add(t.Context(), tokens.File(o.Data), tokens.Order{Role: role, Name: name, Expires: o.Now.Add(ends)},
			o.Now.Add(-time.Hour))
		must(t, err)
	}
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// webhook adds a webhook that has come somewhere.
func webhook(come func(*hook.Progress)) func(*testing.T, *Options) {
	return func(t *testing.T, o *Options) {
		h := hook.Hook{ID: "0123456789ab", Name: "ops", URL: "https://example.com", Created: noon}
		files := folder.In(o.Data)
		must(t, files.Add(t.Context(), h, hook.NewSecret([32]byte{1})))
		_, err := files.Advance(t.Context(), h, 3, func(p *hook.Progress) error { come(p); return nil })
		must(t, err)
	}
}

const (
	db         = ".orchestrator/state.db"
	export     = "project_status.json"
	checkpoint = "project_status.checkpoint"
	conflict   = "<<<<<<< HEAD\n{}\n=======\n{\"a\":1}\n>>>>>>> other\n"
)

var conditions = map[string]spoiled{
	"another system": {func(_ *testing.T, o *Options) { o.Program.System = "darwin" },
		"version", Warning, "process group", "on Linux", "", false},

	"settings that cannot be read": {putting(".orchestrator/settings.yaml", "nonsense: [1\n"),
		"settings", Problem, "settings.yaml", "", "", false},
	"settings of the tree": {func(_ *testing.T, o *Options) {
		o.Settings = fault.New(fault.Invalid, config.CodeSettings, "orchestrator.yaml is wrong").WithFix("mend it")
	}, "settings", Problem, "orchestrator.yaml is wrong", "mend it", "", false},
	"an address that came with the tree": {all(putting(".orchestrator/settings.yaml", "url: http://127.0.0.1:1\n"),
		inGit("add", "-f", ".orchestrator/settings.yaml")),
		"settings", Problem, "git tracks", "git rm --cached", "", false},

	"a file in place of the folder": {all(remove(".orchestrator"), putting(".orchestrator", "")),
		"folder", Problem, "is no folder", "", "mv -- ", true},
	"root at the folder of a user": {func(t *testing.T, o *Options) { o.User = 4242 },
		"folder", Problem, "and this is user 4242", "", "sudo -u root orchestrator doctor", false},

	"another user's file": {func(t *testing.T, o *Options) { must(t, os.Chown(o.Data.Key(), 65534, 65534)) },
		"folder", Problem, "1 files do not belong to root", "", "sudo chown -R root -- ", false},

	"a service that starts": {starting, "service", Warning, "is starting or ending the service", "wait for it", "",
		false},
	"a lock with another name": {all(putting(".orchestrator/up.lock", ""), starting, func(t *testing.T, o *Options) {
		must(t, os.Link(o.Data.File("up.lock"), filepath.Join(t.TempDir(), "other.lock")))
	}), "service", Problem, "another program holds the lock", "", "rm -- ", true},
	"a URL where nobody answers": {putting(".orchestrator/settings.yaml", "url: http://127.0.0.1:1\n"),
		"service", Problem, "no service answers at http://127.0.0.1:1", "start it", "", false},
	"a URL without a token": {putting(".orchestrator/settings.yaml", "url: http://127.0.0.1:1\n"),
		"service", Warning, "no token is saved for", "token_file", "", false},

	"the half of a file": {all(putting(".orchestrator/.state.db.upgrade", ""), aged(".orchestrator/.state.db.upgrade")),
		"leftovers", Warning, "ended in the middle", "", "rm -- ", true},
	"a start that failed": {putting(".orchestrator/serve.log",
		"{\"level\":\"info\"}\norchestrator: cannot listen on 127.0.0.1:1\n  fix: do this\n"),
		"leftovers", Warning,
		"the last start in the background failed: cannot listen on 127.0.0.1:1",
		"", "orchestrator up", false},

	"webhooks that cannot be read": {putting(".orchestrator/webhooks.json", "{"),
		"webhooks", Problem, "webhooks.json cannot be used", "add the webhooks again", "", false},
	"a webhook that fails": {webhook(func(p *hook.Progress) { p.Failed("connection refused", noon) }),
		"webhooks", Warning, "ops fails since 2026-01-01T12:00:00Z: connection refused", "",
		"orchestrator webhook test ops", false},
	"a message that was given up": {webhook(func(p *hook.Progress) { p.GiveUp(3, "gone", noon) }),
		"webhooks", Warning, "messages to ops that were given up: 1", "", "orchestrator webhook replay ops --dead", false},

	"no tokens": {remove(".orchestrator/tokens.json"), "tokens", Warning, "there are none yet", "", "orchestrator up",
		false},
	"tokens that cannot be read": {putting(".orchestrator/tokens.json", "{"),
		"tokens", Problem, "tokens.json", "", "", false},
	"an expired token": {tokenOf("coder", "ada", -time.Minute), "tokens", Warning, `the token of "ada", coder, expired `, "",
		"orchestrator token add coder ada --out coder-again.token", false},
	"a token that expires": {tokenOf("coder", "ada", time.Hour), "tokens", Warning, `the token of "ada", coder, expires `, "",
		"orchestrator token add coder ada --out coder-again.token", false},
	"no token of a pm": {all(remove(".orchestrator/tokens.json"), tokenOf("coder", "ada", 1000*time.Hour)),
		"tokens", Warning, "no token of a pm can be used; of others: coder 1", "",
		"orchestrator token add pm pm --force --out ", false},
	"no token at all": {putting(".orchestrator/tokens.json", `{"tokens":[]}`),
		"tokens", Problem, "no token can be used", "", "orchestrator token add pm pm --force --out ", false},
	"a token of another service": {putting(".orchestrator/tokens/coder.token", "orc_coder_x\n"),
		"tokens", Warning, "coder.token has no token of this service", "", "rm -- ", true},
	"a token_file that is gone": {putting(".orchestrator/settings.yaml",
		"url: http://127.0.0.1:1\ntoken_file: .orchestrator/tokens/gone.token\n"),
		"tokens", Problem, "gone.token, which is not there", "", "orchestrator config unset token_file", false},

	"an open folder": {mode(".orchestrator", 0o755), "secrets", Problem,
		"other users can open .orchestrator (mode 755)", "",
		"chmod 700 ", true},
	"an open key": {mode(".orchestrator/audit.key", 0o644), "secrets", Problem, "audit.key (mode 644)", "",
		"chmod 600 ", true},
	"an open token": {mode(".orchestrator/tokens/pm.token", 0o640), "secrets", Problem, "pm.token (mode 640)", "",
		"chmod 600 ", true},

	"no database yet": {remove(db, export, checkpoint), "database", Warning, "there is none yet", "",
		"orchestrator up", false},
	"a clone": {remove(".orchestrator"), "database", Warning, "this is a clone",
		"orchestrator config set url URL", "", false},
	"a lost database": {remove(db), "database", Problem, "project_status.json remembers it",
		"orchestrator restore FILE", "", false},
	"a damaged database": {func(t *testing.T, o *Options) { must(t, os.Truncate(db, 5000)) },
		"database", Problem, "is damaged", "restore the file from a backup", "", false},
	"a database that git tracks": {inGit("add", "-f", db), "database", Problem, "git tracks",
		"who added it", "", false},
	"a foreign database": {putting(db, strings.Repeat("x", 1<<15)), "database", Problem,
		"is not a database of this program", "check the path", "", false},
	"an older database": {older, "database", Problem, "the database has only", "put back the newer database", "",
		false},
	"a database of newer rules": {func(_ *testing.T, o *Options) { o.Program.Rules = 1 },
		"database", Problem, "decided by rules", "a newer one", "", false},
	"a database that is open": {locked, "database", Warning, "another process has", "wait until it has ended", "",
		false},

	"no repository": {remove(".git"), "repository", Warning, "in no git working tree", "", "init", true},
	"a tracked token": {inGit("add", "-f", ".orchestrator/tokens/pm.token"), "repository", Problem, "git tracks", "",
		"rm --cached -- ", true},
	"a token that git would add": {remove(".orchestrator/.gitignore"), "repository", Problem, "git add -A would add",
		"",
		"echo '*' > ", true},
	"a staged change": {all(putting("main.go", "package main\n"), inGit("add", "main.go")), "repository", Warning,
		"staged and not committed", "", " commit", false},
	"a changed document": {putting("REQUIREMENTS.md", shop+"\nMore.\n"), "repository", Warning,
		"1 documents are not as they are committed, such as REQUIREMENTS.md", "", " add -u -- ", false},
	"a shallow clone": {func(t *testing.T, _ *Options) {
		out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
		must(t, err)
		write(t, ".git/shallow", string(out))
	}, "repository", Warning, "the clone is shallow", "", "fetch --unshallow", false},
	"a branch that is not there": {func(_ *testing.T, o *Options) { o.Branch = "gone" },
		"branch", Problem, "there is no branch gone", "orchestrator config set branch NAME", "", false},
	"no commit": {func(t *testing.T, _ *Options) { must(t, os.RemoveAll(".git")); runGit(t, "init", "-q") },
		"branch", Warning, "there is no commit yet", "", " commit -m Begin", false},
	"a detached head of a branch whose name is a command": {all(
		inGit("branch", "--quiet", "--move", "main", "a;touch${IFS}ran"), inGit("checkout", "--quiet", "--detach")),
		"branch", Warning, "HEAD is detached", "", "switch 'a;touch${IFS}ran'", true},
	"a detached head of a branch whose name is an option": {all(
		inGit("update-ref", "refs/heads/--orphan=x", "HEAD"), inGit("checkout", "--quiet", "--detach"),
		inGit("branch", "--quiet", "--delete", "--force", "main")),
		"branch", Warning, "HEAD is detached", "", "switch --create main", true},
	"a detached head": {inGit("checkout", "--quiet", "--detach"), "branch", Warning, "HEAD is detached", "",
		"switch main", true},

	"drift": {putting("REQUIREMENTS.md", shop+"- **REQ-002**: More.\n"), "documents", Warning, "they are not what", "",
		"orchestrator up", false},
	"a broken document": {putting("REQUIREMENTS.md", shop+"- **REQ-001**: Again.\n"), "documents", Problem,
		"REQUIREMENTS.md:4", "", "", false},
	"no document": {remove("REQUIREMENTS.md"), "documents", Problem, "REQUIREMENTS.md", "", "", false},

	"no export": {remove(export), "export", Warning, "there is no project_status.json", "", "orchestrator up", false},
	"a link in place of the export": {all(remove(export), func(t *testing.T, _ *Options) {
		must(t, os.Symlink("x",
			export))
	}),
		"export", Warning, "is no regular file", "", "rm -- ", true},
	"marks of a conflict": {putting(export, conflict), "export", Problem, "the marks of a merge conflict", "",
		"checkout HEAD -- ", true},
	"a broken export": {putting(export, "{"), "export", Problem, "cannot be read", "regular file", "", false},
	"an export of another log": {func(t *testing.T, o *Options) {
		text := content(t, export)
		key := text[strings.Index(text, "example.org/shop+"):]
		write(t, export, strings.Replace(text, key[:strings.Index(key, `"`)], "example.org/other+1+a", 1))
	}, "export", Problem, "is of another log", "belong together", "", false},
	"an export that somebody changed": {func(t *testing.T, _ *Options) {
		text := content(t, export)
		must(t, os.Remove(export))
		write(t, export, strings.Replace(text, `"not_started"`, `"done"`, 1))
	}, "export", Problem, "do not agree", "orchestrator verify", "", false},
	"an export that is behind": {behind, "export", Warning, "and the log has", "", "orchestrator up", false},
	"an export out of git": {inGit("rm", "-q", "--cached", export), "export", Warning, "is not in git", "",
		" add -- ", true},

	"no checkpoint": {remove(checkpoint), "checkpoint", Warning, "there is no project_status.checkpoint",
		"", "orchestrator up", false},
	"a checkpoint of another": {putting(checkpoint, "x\n"), "checkpoint", Problem,
		"is no checkpoint that this database's log", "belong together", "", false},
	"a checkpoint out of git": {inGit("rm", "-q", "--cached", checkpoint), "checkpoint", Warning, "is not in git",
		"", " add -- ", true},
	"a checkpoint that is late": {behind, "checkpoint", Warning, "and the log has", "", "orchestrator up", false},

	"no key":      {remove(".orchestrator/audit.key"), "key", Problem, "is missing", "--accept-new-key", "", false},
	"a bad key":   {putting(".orchestrator/audit.key", "x"), "key", Problem, "cannot be used", "backup", "", false},
	"another key": {anotherKey, "key", Problem, "another key", "--accept-new-key", "", false},

	"a boundary that cannot be looked at": {func(_ *testing.T, o *Options) {
		o.Boundary = func(context.Context) ([]Finding, error) { return nil, errors.New("no policy") }
	}, "boundary", Problem, "no policy", "", "", false},
	"a boundary with faults": {func(_ *testing.T, o *Options) {
		o.Boundary = func(context.Context) ([]Finding, error) {
			return []Finding{{Level: Problem, What: "off", Mend: "switch it on"}}, nil
		}
	}, "boundary", Problem, "off", "", "switch it on", false},

	"a clock that is slow": {func(_ *testing.T, o *Options) { o.Now = o.Now.Add(-10 * time.Minute) }, "clock",
		Warning, "behind the last record", "", "timedatectl", false},
	"a clock that is wrong": {func(_ *testing.T, o *Options) { o.Now = o.Now.Add(-24 * time.Hour) }, "clock", Problem,
		"behind the last record", "", "timedatectl", false},
}

func aged(path string) func(*testing.T, *Options) {
	return func(t *testing.T, o *Options) {
		t.Helper()
		must(t, os.Chtimes(path, o.Now.Add(-time.Hour), o.Now.Add(-time.Hour)))
	}
}

// locked lets this process have the database open.
func locked(t *testing.T, _ *Options) {
	t.Helper()
	f, err := os.OpenFile(db, os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
}

// behind lets the log go on without the export.
func behind(t *testing.T, o *Options) {
	t.Helper()
	was, signed := content(t, export), content(t, checkpoint)
	write(t, "REQUIREMENTS.md", shop+"- **REQ-002**: More.\n")
	record(t, o.Data, time.Now)
	write(t, export, was)
	write(t, checkpoint, signed)
}

// older puts the database back that there was before the last import.
func older(t *testing.T, o *Options) {
	t.Helper()
	was := content(t, db)
	write(t, "REQUIREMENTS.md", shop+"- **REQ-002**: More.\n")
	record(t, o.Data, time.Now)
	write(t, db, was)
}

// anotherKey puts the key of another project in the place of this one's.
func anotherKey(t *testing.T, o *Options) {
	t.Helper()
	here, err := os.Getwd()
	must(t, err)
	other := newProject(t)
	key := content(t, other.Data.Key())
	t.Chdir(here)
	write(t, o.Data.Key(), key)
}

// starting lets a copy of this test hold the lock of a service in the background.
func starting(t *testing.T, o *Options) {
	t.Helper()
	t.Setenv("HOLD", o.Data.File("up.lock"))
	args := []string{"serve", "--background", "--data", string(o.Data)}
	p, err := background.Start(os.Args[0], args, filepath.Join(t.TempDir(), "log"), os.Environ())
	must(t, err)
	t.Cleanup(func() { p.Stop(time.Second) })
	require.Eventually(t, func() bool {
		id, err := localservice.Process(o.Data)
		return err == nil && id == p.ID
	}, 20*time.Second, 20*time.Millisecond)
}

// TestMain lets copies of this test hold the lock that the variable names.
func TestMain(m *testing.M) {
	if path := os.Getenv("HOLD"); path != "" {
		if background.Hold(path) == nil {
			time.Sleep(time.Minute)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestEachConditionIsFound: each check goes red when its condition is made, says what mends it, and is green again when
// that was done, where a command of the shell does it.
func TestEachConditionIsFound(t *testing.T) {
	for name, c := range conditions {
		t.Run(name, func(t *testing.T) {
			if name == "another user's file" && os.Geteuid() != 0 {
				t.Skip("only root can give a file to another user")
			}
			o := newProject(t)
			c.spoil(t, &o)
			r := examine(t, o)
			require.True(t, c.level != Problem || !r.Healthy)
			f, is := matching(r, c)
			require.True(t, is, "%+v", found(r, c.about))
			if !c.runs {
				return
			}
			out, err := exec.CommandContext(t.Context(), "sh", "-c", "cd / && "+f.Mend).CombinedOutput()
			require.NoError(t, err, "%s: %s", f.Mend, out)
			again, is := matching(examine(t, o), c)
			require.False(t, is, "%+v", again)
		})
	}
}

// matching returns the finding of a condition.
func matching(r Report, c spoiled) (Finding, bool) {
	for _, f := range found(r, c.about) {
		if f.Level == c.level && strings.Contains(f.What, c.what) && strings.Contains(f.Advice, c.advice) &&
			strings.Contains(f.Mend, c.mend) {
			return f, true
		}
	}
	return Finding{}, false
}

// TestTheRoomOnADisk judges what no test can make.
func TestTheRoomOnADisk(t *testing.T) {
	o := newProject(t)
	much := room{bytes: 1 << 40, files: 1 << 20, counted: true}
	for level, all := range map[Level][]room{
		OK:      {much, {bytes: 1 << 40}},
		Warning: {{bytes: 100 << 20, files: 1 << 20, counted: true}, {bytes: 1 << 40, files: 500, counted: true}},
		Problem: {{bytes: 1 << 20}, {bytes: 1 << 40, files: 3, counted: true}, {bytes: 1 << 40, readOnly: true}},
	} {
		for _, has := range all {
			e := &examination{Options: o, notes: &notes{data: o.Data}}
			e.judge(".", has)
			require.Len(t, e.report.Findings, 1)
			f := e.report.Findings[0]
			require.Equal(t, level, f.Level, "%+v", has)
			require.Equal(t, level == OK, f.Mend+f.Advice == "", "%+v", f)
		}
	}
	has, err := roomOf(".")
	require.NoError(t, err)
	require.NotZero(t, has.bytes)
	_, err = roomOf("nowhere")
	require.Error(t, err)
	require.Equal(t, "/", mountPoint("/"))
}

// TestAnotherFolderIsNamedInTheCommands that mend it.
func TestAnotherFolderIsNamedInTheCommands(t *testing.T) {
	o := newProject(t)
	must(t, os.Rename(datadir.Default, "data of mine"))
	o.Data = "data of mine"
	here, err := os.Getwd()
	must(t, err)
	service := found(examine(t, o), "service")
	require.Equal(t, "orchestrator up --data '"+filepath.Join(here, "data of mine")+"'", service[0].Mend)
}
