package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/system/durable"
)

// answers are what a service answers, by path.
type answers map[string]func(http.ResponseWriter)

func as(media, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", media)
		_, _ = w.Write([]byte(body))
	}
}

func refusing(status int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"status":%d,"code":"refused","detail":"no","fix":"do"}`, status)
	}
}

// healthy are the answers of a service of this project in which all is well.
func healthy(t *testing.T) answers {
	t.Helper()
	text := content(t, export)
	key := text[strings.Index(text, "example.org/shop+"):]
	return answers{
		"/readyz":           as("application/json", `{"status":"ok","checks":[{"name":"store","status":"ok"}]}`),
		"/version":          as("application/json", `{"version":"v1","commit":"c","go":"go1"}`),
		"/workflow":         as("application/json", `{"evidence":"verify","branch":"main"}`),
		"/audit/key":        as("text/plain", key[:strings.Index(key, `"`)]+"\n"),
		"/audit/checkpoint": as("text/plain", content(t, checkpoint)),
	}
}

// listen starts a service.
func listen(t *testing.T, all answers) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if all[r.URL.Path] == nil {
			refusing(http.StatusNotFound)(w)
			return
		}
		if r.URL.Path != "/readyz" && r.URL.Path != "/version" && r.Header.Get("Authorization") == "" {
			refusing(http.StatusUnauthorized)(w)
			return
		}
		all[r.URL.Path](w)
	}))
	t.Cleanup(server.Close)
	return server
}

// serve starts a service that holds the lock of the folder.
func serve(t *testing.T, o Options, all answers) {
	t.Helper()
	server := listen(t, all)
	write(t, o.Data.Address(), strings.TrimPrefix(server.URL, "http://"))
	unlock, err := durable.Lock(o.Data.Address(), time.Second)
	require.NoError(t, err)
	t.Cleanup(unlock)
}

func TestTheServiceOfTheFolder(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(answers)
		about       string
		level       Level
		what, mends string
	}{
		"all is well": {func(answers) {}, "service", OK, "answers at http://127.0.0.1:", ""},
		"another version": {func(all answers) { all["/version"] = as("application/json", `{"version":"v0","commit":"c"}`) },
			"service", Warning, "is version v0 (c), and this program v1 (c)", "orchestrator down && orchestrator up"},
		"a check that warns": {func(all answers) {
			all["/readyz"] = as("application/json", `{"checks":[{"name":"clock","status":"warning","detail":"it jumped"}]}`)
		}, "service", Warning, "it says of clock: it jumped", "docs/operations.md"},
		"a check that fails": {func(all answers) {
			all["/readyz"] = func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusServiceUnavailable)
				fmt.Fprint(w, `{"checks":[{"name":"store","status":"failing","detail":"the disk"}]}`)
			}
		}, "service", Problem, "it says of store: the disk", "docs/operations.md"},
		"a stranger": {func(all answers) { all["/readyz"] = as("text/html", "hello") }, "service", Problem,
			"is no orchestrator of this version", "--server"},
		"a token that is refused": {func(all answers) { all["/workflow"] = refusing(401) }, "service", Problem,
			"does not accept the token in .orchestrator/tokens/viewer.token", "token add viewer viewer --force --out "},
		"a checkpoint of another": {func(all answers) { all["/audit/key"] = as("text/plain", "other+1+a") }, "service", Problem,
			"is no key that verifies notes", ""},
		"no answer": {func(all answers) {
			all["/version"] = func(http.ResponseWriter) { time.Sleep(answerWithin + time.Second) }
		},
			"service", Problem, "did not answer within 3s", ""},
		"no branch": {func(all answers) { all["/workflow"] = as("application/json", `{"evidence":"verify","branch":"gone"}`) },
			"branch", Problem, "there is no branch gone", "config set branch"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newProject(t)
			all := healthy(t)
			c.change(all)
			serve(t, o, all)
			r := examine(t, o)
			if c.level == OK {
				require.True(t, r.Healthy)
				for _, f := range r.Findings {
					require.Equal(t, OK, f.Level, "%v", f)
				}
				return
			}
			require.Equal(t, c.level != Problem, r.Healthy)
			said := found(r, c.about)
			require.NotEmpty(t, said)
			require.Equal(t, c.level, said[0].Level)
			require.Contains(t, said[0].What, c.what)
			require.Contains(t, said[0].Mend+said[0].Advice, c.mends)
		})
	}
}

func TestAServiceWithoutATokenOfItsOwn(t *testing.T) {
	o := newProject(t)
	require.NoError(t, os.RemoveAll(o.Data.TokenDir()))
	serve(t, o, healthy(t))
	r := examine(t, o)
	require.Contains(t, found(r, "service")[0].What, "no token of the viewer or the pm")
	require.Contains(t, found(r, "service")[0].Mend, "orchestrator token add viewer viewer --force --out ")
}

func TestTheExportOfAServiceThatIsBehind(t *testing.T) {
	o := newProject(t)
	behind(t, &o)
	was, signed := content(t, export), content(t, checkpoint)
	record(t, o.Data, time.Now)
	all := healthy(t)
	write(t, export, was)
	write(t, checkpoint, signed)
	serve(t, o, all)
	f := found(examine(t, o), "export")
	require.Len(t, f, 1)
	require.Contains(t, f[0].What, "and the log has")
	require.Equal(t, "orchestrator down && orchestrator up", f[0].Mend)
}

func TestTheServiceOfTheSettings(t *testing.T) {
	o := newProject(t)
	all := healthy(t)
	server := listen(t, all)
	write(t, o.Data.Token("shop"), "orc_viewer_x\n")
	settings := "url: " + server.URL + "\ntoken_file: .orchestrator/tokens/shop.token\n"
	write(t, o.Data.File("settings.yaml"), settings)
	require.Contains(t, found(examine(t, o), "service")[0].What, "this token was not saved for it")
	must(t, apiclient.SaveToken(o.Data, o.Data.Token("shop"), server.URL))
	r := examine(t, o)
	require.Empty(t, found(r, "service"))
	require.Empty(t, found(r, "tokens"), "the token is of that service")

	all["/version"] = as("application/json", `{"version":"v0","commit":"c"}`)
	require.Equal(t, "install the same version here", found(examine(t, o), "service")[0].Advice)
	all["/version"] = healthy(t)["/version"]
	all["/workflow"] = refusing(401)
	f := found(examine(t, o), "service")
	require.Equal(t, Problem, f[0].Level)
	require.Contains(t, f[0].Advice, "ask whoever runs it for another token")
	all["/workflow"] = refusing(500)
	require.Equal(t, Problem, found(examine(t, o), "service")[0].Level)
}

const asUser = "DOCTOR_AS_USER"

// TestAnotherUser examines the folder of a user as another one, who can read nothing in it.
func TestAnotherUser(t *testing.T) {
	if folder := os.Getenv(asUser); folder != "" {
		require.NoError(t, os.Chdir(folder))
		r := Examine(t.Context(), Options{Data: ".orchestrator", Documents: []string{"REQUIREMENTS.md"},
			Export: "project_status.json", User: os.Geteuid(), Program: Program{System: "linux", Rules: 100}, Now: time.Now(),
			Boundary: newBoundary, Servers: newBoundary})
		require.False(t, r.Healthy)
		f := found(r, "folder")
		require.Len(t, f, 1, "%+v", r.Findings)
		require.Contains(t, f[0].What, ".orchestrator belongs to root, and this is "+named(os.Geteuid()))
		require.Contains(t, f[0].Mend, " && sudo -u root orchestrator doctor")
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	newProject(t)
	here, err := os.Getwd()
	require.NoError(t, err)
	for at := here; at != os.TempDir() && at != "/"; at = at[:strings.LastIndex(at, "/")] {
		require.NoError(t, os.Chmod(at, 0o755))
	}
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), copyOf(t, os.Args[0]), "-test.run=^TestAnotherUser$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), asUser+"="+here, "HOME=/", "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS: TestAnotherUser", "user "+strconv.Itoa(nobody))
}

// copyOf returns a copy of a program that everybody can start.
func copyOf(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "doctor")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	b, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/test", b, 0o755))
	return dir + "/test"
}
