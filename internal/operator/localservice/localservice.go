// Package localservice starts the service of a project in the background, finds it and stops it. It stops only what it
// started: a service in a terminal, or of a service manager, belongs to whoever started it there.
package localservice

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/system/background"
	"orchestrator/internal/system/tree"
)

// Codes of what this package refuses.
const (
	CodeStart fault.Code = "start" // the service did not start
	CodeStop  fault.Code = "stop"  // the service was not stopped
)

// logLimit is the most bytes that the log has before its content is moved to serve.log.1.
const logLimit = 8 << 20

// LogFile returns the path of the log of a service in the background.
func LogFile(data datadir.Dir) string { return data.File("serve.log") }

// lockFile returns the path of the file that a service in the background holds a lock on.
func lockFile(data datadir.Dir) string { return data.File("up.lock") }

// Options say how a service is started.
type Options struct {
	Data     datadir.Dir
	Root     string // of the project, the working folder of the service
	Program  string
	Agent    string // the name of the client that asks whether the service is ready
	Patience time.Duration
}

// Service is one that runs.
type Service struct {
	URL     string
	Process int  // 0 for one that was not started here
	Already bool // it ran before
}

// Become makes this process the service in the background of a data folder, and returns where its log goes. Only one
// process can be it.
func Become(data datadir.Dir) (log io.Writer, err error) {
	if err := background.Hold(lockFile(data)); err != nil {
		return nil, fault.New(fault.Unavailable, CodeStart, "the folder %s cannot be locked for a service in the "+
			"background", data).
			WithFix("orchestrator up starts the service; wait while another orchestrator up is at it").Because(err)
	}
	return background.NewLog(os.Stderr, LogFile(data), logLimit), nil
}

// Up starts the service of a project, unless it runs, and returns when it is ready. It takes the address of the
// settings; where they name none, it takes a free port and writes it into the settings, so that it is taken again.
// A start that fails leaves nothing behind but the log, and not even that in a folder that it made.
func Up(ctx context.Context, o Options) (Service, error) {
	if s, err := find(ctx, o.Data); err != nil || s.Already {
		return s, err
	}
	local, err := config.ReadLocal(ctx, o.Data)
	if err != nil {
		return Service{}, err
	}
	args := []string{"serve", "--background", "--data", string(o.Data)}
	if local.Addr == "" {
		args = append(args, "--addr", freeAddress(o.Root))
	}
	made := os.Mkdir(string(o.Data), 0o700) == nil
	s, err := start(ctx, o, args)
	if err != nil {
		return s, errors.Join(err, clear(o.Data, made))
	}
	if local.Addr == "" && strings.HasPrefix(s.URL, "http://") {
		_, err = config.Change(ctx, o.Data, "addr", strings.TrimPrefix(s.URL, "http://"))
	}
	return s, err
}

// Process returns the process of the service in the background of a data folder, which may be starting or ending; 0 is
// none.
func Process(data datadir.Dir) (id int, err error) { return background.Holder(lockFile(data)) }

// Failure returns what the last start in the background of a data folder said when it failed, or "".
func Failure(ctx context.Context, data datadir.Dir) string {
	said, _ := tree.ReadFile(ctx, LogFile(data), 2*logLimit) // without a log nothing is known
	lines := strings.Split(strings.TrimSpace(string(said[max(0, len(said)-maxTail):])), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		switch {
		case strings.HasPrefix(lines[i], "orchestrator: "):
			return lastLines(strings.Join(lines[i:], "\n"), shownLines)
		case !strings.HasPrefix(lines[i], "  "): // what follows an error is indented
			return "" // a later start went on
		}
	}
	return ""
}

// find returns the service that runs, if one does, and refuses to go on while one starts or ends.
func find(ctx context.Context, data datadir.Dir) (Service, error) {
	holder, err := background.Holder(lockFile(data))
	if err != nil {
		return Service{}, unreadable(data, err)
	}
	if apiclient.Runs(data) {
		addr, err := apiclient.LocalAddress(ctx, data)
		return Service{URL: apiclient.LocalURL(addr), Process: holder, Already: true}, err
	}
	if holder != 0 {
		return Service{}, fault.New(fault.Unavailable, CodeStart, "process %d is starting or ending the service", holder).
			WithFix("wait for it: orchestrator health says when it is ready; %s says what it does", LogFile(data))
	}
	return Service{}, nil
}

func unreadable(data datadir.Dir, err error) error {
	return fault.New(fault.Unavailable, CodeStart, "the folder %s cannot be read", data).
		WithFix("run the command as the user whom the folder belongs to").Because(err)
}

// start starts the service and waits until it is ready.
func start(ctx context.Context, o Options, args []string) (Service, error) {
	path := LogFile(o.Data)
	begin := int64(0)
	if info, err := os.Lstat(path); err == nil {
		begin = info.Size()
	}
	p, err := background.Start(o.Program, args, path)
	if err != nil {
		return Service{}, fault.New(fault.Unavailable, CodeStart, "the service cannot be started").
			WithFix("create the folder %s and make it writable for you alone", o.Data).Because(err)
	}
	s := Service{Process: p.ID}
	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	for !s.ready(ctx, o) {
		select {
		case <-p.Ended():
			return s, failed(ctx, path, begin)
		case <-ctx.Done():
			p.Stop()
			return s, fault.New(fault.Unavailable, CodeStart, "the service was not ready after %s, and was stopped", o.Patience).
				WithFix("%s says what it did; give it longer with --timeout", path)
		case <-time.After(lookAgain):
		}
	}
	return s, nil
}

// lookAgain is how long Up waits between two questions whether the service is ready.
const lookAgain = 50 * time.Millisecond

// ready reports whether the service answers that it is ready.
func (s *Service) ready(ctx context.Context, o Options) bool {
	if !apiclient.Runs(o.Data) {
		return false
	}
	addr, err := apiclient.LocalAddress(ctx, o.Data)
	if err != nil {
		return false
	}
	s.URL = apiclient.LocalURL(addr)
	if strings.HasPrefix(s.URL, "https://") {
		return true // its certificate is for another name; that it holds the lock says that it answers
	}
	c, err := apiclient.New(apiclient.Options{Server: s.URL, Anonymous: true, UserAgent: o.Agent, Timeout: time.Second})
	return err == nil && c.Ready(ctx) == nil
}

// maxTail is the most of its log that is shown of a start that failed.
const maxTail = 4 << 10

// failed makes the error of a service that ended before it was ready, with what it said last.
func failed(ctx context.Context, path string, begin int64) error {
	said, _ := tree.ReadFile(ctx, path, 2*logLimit)
	said = said[min(begin, int64(len(said))):]
	said = said[max(0, len(said)-maxTail):]
	return fault.New(fault.Unavailable, CodeStart, "the service did not start").
		WithFix("do what its last lines say; orchestrator serve starts it in this terminal").
		Because(fmt.Errorf("%s", lastLines(string(said), shownLines)))
}

// shownLines is how many lines of the log are shown.
const shownLines = 5

func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines[max(0, len(lines)-most):], "; ")
}

// clear removes what a start left that failed in a folder that it made. A folder with anything else in it stays.
func clear(data datadir.Dir, made bool) error {
	if !made {
		return nil
	}
	for _, path := range []string{LogFile(data), lockFile(data)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(string(data)) // fails where the service got further
	return nil
}

// Ports that are tried. They lie below those that systems give to connections that go out.
const (
	firstPort = 20000
	ports     = 10000
)

// freeAddress returns an address whose port is free. Which one is tried first depends on the folder, so that projects
// whose services do not run at the same time get different ones, too.
func freeAddress(root string) string {
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(root))
	for i := range uint32(100) {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+int((h.Sum32()+i)%ports)))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	return "127.0.0.1:0"
}

// Down stops the service that Up started, and waits until it has ended, at most until ctx ends. Without one it returns
// a service without a process.
func Down(ctx context.Context, data datadir.Dir) (Service, error) {
	s := Service{}
	addr, err := apiclient.LocalAddress(ctx, data)
	if err == nil {
		s.URL = apiclient.LocalURL(addr)
	}
	runs := apiclient.Runs(data)
	s.Process, err = background.End(ctx, lockFile(data))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return s, fault.New(fault.Conflict, CodeStop, "process %d was told to end, and still finishes its work", s.Process).
			WithFix("wait, and say orchestrator down again; %s says what it does", LogFile(data))
	case err != nil:
		return s, fault.New(fault.Conflict, CodeStop, "the service cannot be stopped").
			WithFix("stop it as the user who started it").Because(err)
	case s.Process == 0 && runs:
		return s, fault.New(fault.Conflict, CodeStop, "orchestrator up did not start the service at %s", s.URL).
			WithFix("stop it where it was started: with Ctrl-C in its terminal, or by the service manager")
	}
	return s, nil
}
