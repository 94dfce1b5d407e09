package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long anything may take that is not timed on purpose; it only bounds failing tests.
const patience = 2 * time.Minute

// process is one `orchestrator serve`, a child of the test.
type process struct {
	cmd  *exec.Cmd
	dir  string
	data string // its --data
	addr string
	out  written
	log  written
	done chan struct{} // closed when it has ended
}

// written is what a child has written so far.
type written struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *written) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *written) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// program is the path of the orchestrator that TestMain put there.
func program() string {
	path, err := exec.LookPath("orchestrator")
	if err != nil {
		panic(err)
	}
	return path
}

// startServer runs `orchestrator serve` in dir on a free port and returns when it answers. It is ended with
// the test, if not before.
func startServer(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	p, err := start(dir, os.Environ(), []string{program()}, args...)
	require.NoError(t, err)
	t.Cleanup(p.kill)
	return p
}

// start is startServer without a test; launch is the program, behind what else is to start it. There is a token of every role
// unless args say otherwise.
func start(dir string, env, launch []string, args ...string) (*process, error) {
	line := slices.Concat(launch, []string{"serve", "--addr", "127.0.0.1:0", "--log-format", "json", "--demo-tokens"}, args)
	p := &process{cmd: exec.Command(line[0], line[1:]...), dir: dir, data: ".orchestrator", done: make(chan struct{})}
	if at := slices.Index(args, "--data"); at >= 0 {
		p.data = args[at+1]
	}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, env, &p.out, &p.log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	if err := p.awaitServing(); err != nil {
		p.kill()
		return nil, fmt.Errorf("%w; it wrote\n%s%s", err, p.out.String(), p.log.String())
	}
	return p, nil
}

// servingAt finds the address in either form of the log.
var servingAt = regexp.MustCompile(`addr"?[:=]"?((?:https://)?[0-9.]+:[0-9]+|unix:[^" ]+)`)

// awaitServing takes the address from the child's own log, so that it is the child's and nobody else's, and
// holds the file addr against it.
func (p *process) awaitServing() error {
	return poll(func() error {
		if p.ended() {
			return fatal{errors.New("the server ended before it served")}
		}
		found := servingAt.FindStringSubmatch(p.log.String())
		if found == nil {
			return errors.New("the server did not log its address")
		}
		p.addr = found[1]
		file, err := os.ReadFile(filepath.Join(p.dir, p.data, "addr"))
		if err != nil || string(file) != p.addr+"\n" {
			return fmt.Errorf("the file addr has %q, the log %s (%v)", file, p.addr, err)
		}
		answer, err := p.call(request{method: "GET", path: "/livez"})
		if err == nil && answer.status != http.StatusOK {
			err = fmt.Errorf("/livez answered %d", answer.status)
		}
		return err
	})
}

// exportStarts finds the check of an export that was not tried yet.
var exportStarts = regexp.MustCompile(`"name":\s*"export",\s*"status":\s*"starting"`)

// awaitExport waits until the export of the start was tried, which happens beside the first requests.
func (p *process) awaitExport() error {
	return poll(func() error {
		answer, err := p.call(request{method: "GET", path: "/readyz"})
		if err == nil && exportStarts.MatchString(answer.body) {
			err = errors.New("the first export was not tried")
		}
		return err
	})
}

// fatal ends a poll before its time.
type fatal struct{ error }

// poll repeats try until it succeeds, and gives its last error up when patience ends.
func poll(try func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil || errors.As(err, new(fatal)) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the child without warning, as a power cut would, if it still runs.
func (p *process) kill() {
	if !p.ended() {
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// stop asks the child to end and requires the exit code.
func (p *process) stop(code int) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err // one that has ended by itself has its exit code, too
	}
	return p.awaitExit(code)
}

// awaitExit waits for the child to end by itself.
func (p *process) awaitExit(code int) error {
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("the server did not end; it logged\n%s", p.log.String())
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		return fmt.Errorf("the server ended with %d (%s), not %d; it logged\n%s", got, p.cmd.ProcessState, code, p.log.String())
	}
	return noTrace(p.log.String())
}

// noTrace fails for what only a defect writes.
func noTrace(text string) error {
	if found := regexp.MustCompile(`(?m)^panic: |^goroutine \d|DATA RACE|^fatal error: `).FindString(text); found != "" {
		return fmt.Errorf("a defect showed itself by %q in\n%s", found, text)
	}
	return nil
}

// request is one call; role names whose token is sent, "-" and "" nobody's.
type request struct {
	role, method, path, body string
	header                   http.Header
}

type answer struct {
	status int
	header http.Header
	body   string
	whole  bool // with the headers of shownToo
}

// shown are the headers that a script sees.
var shown = []string{"Content-Type", "Etag", "Export-Status", "Audit-Receipt", "Dry-Run", "Idempotent-Replay", "Retry-After", "Www-Authenticate", "Connection"}

// shownToo are those that a script sees when it asks for them: they differ from call to call, or say the same in each.
var shownToo = []string{"X-Request-Id", "Ratelimit", "Ratelimit-Policy", "Link", "Allow", "Accept-Patch", "Content-Security-Policy"}

// String is the answer as a script sees it.
func (a answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP %d\n", a.status)
	names := shown
	if a.whole {
		names = slices.Concat(shown, shownToo)
	}
	for _, name := range names {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String() + "\n" + a.body + "\n"
}

// call sends a request on a connection of its own.
func (p *process) call(r request) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, p.base()+r.path, strings.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	req.Close = true
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
	if r.role != "" && r.role != "-" {
		secret, err := p.token(r.role)
		if err != nil {
			return answer{}, err
		}
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := p.client().Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(body)}, err
}

// token is the one that the server made for a role, or what a file holds.
func (p *process) token(role string) (string, error) {
	path := filepath.Join(p.dir, role)
	if !strings.Contains(role, ".") {
		path = filepath.Join(p.dir, p.data, "tokens", role+".token")
	}
	secret, err := os.ReadFile(path)
	return strings.TrimSpace(string(secret)), err
}
