// Package localservice starts the service of a project in the background, finds it and stops it. It stops only what it
// started: a service in a terminal, or of a service manager, belongs to whoever started it there.
package localservice

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/system/background"
	"orchestrator/internal/system/durable"
)

// Codes of what this package refuses.
const (
	CodeStart fault.Code = "start" // the service did not start
	CodeStop  fault.Code = "stop"  // the service was not stopped

	CodeStranger fault.Code = "lock_of_another" // no service of the folder holds its lock
)

// logLimit is the most bytes that the log has before its content is moved to serve.log.1.
const logLimit = 8 << 20

// LogFile returns the path of the log of a service in the background.
func LogFile(data datadir.Dir) string { return data.File("serve.log") }

// lockFile returns the path of the file that a service in the background holds a lock on.
func lockFile(data datadir.Dir) string { return data.File("up.lock") }

// startFile returns the path of the file that whoever starts the service holds a lock on.
func startFile(data datadir.Dir) string { return data.File("start.lock") }

// Process returns the process of the service in the background of a data folder, which may be starting or ending; 0 is
// none.
func Process(data datadir.Dir) (id int, err error) {
	id, err = background.Holder(lockFile(data))
	if err == nil && id != 0 {
		err = checkProcess(data, id)
	}
	if err != nil {
		return 0, err
	}
	return id, nil
}

// Options say how a service is started.
type Options struct {
	Data     datadir.Dir
	Root     string // of the project, the working folder of the service
	Addr     string // to listen on; "" takes a free one, and remembers it
	Saved    bool   // Addr is that of the settings
	Program  string
	Agent    string // the name of the client that asks whether the service is ready
	Patience time.Duration
	Waits    func() // is called while the service is not ready, again and again; nil is not
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

// Up starts the service of a project, unless it runs, and returns when it is ready. Of several that are asked at once
// one starts it. Where no address is named, it takes a free port and writes it into the settings, so that it is taken
// again. A start that fails leaves nothing behind but the log, and not even that in a folder that it made.
func Up(ctx context.Context, o Options) (s Service, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	if err := checkOwner(o.Data); err != nil {
		return s, err
	}
	err = os.Mkdir(string(o.Data), 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return s, fault.New(fault.Unavailable, CodeStart, "the folder %s cannot be made", o.Data).
			WithFix("make the folder above it writable for you, or name another with --data").Because(err)
	}
	made := err == nil
	done, err := alone(ctx, o)
	if err != nil {
		return s, errors.Join(err, clear(o.Data, made))
	}
	defer done()
	if s, err = find(ctx, o.Data); err == nil && !s.Already {
		s, err = o.begin(ctx)
	}
	if err != nil {
		return s, errors.Join(err, clear(o.Data, made))
	}
	return s, nil
}

// alone waits until nobody else starts the service of the folder. One that runs is found without waiting, also in a
// folder that cannot be written.
func alone(ctx context.Context, o Options) (done func(), err error) {
	if s, err := find(ctx, o.Data); err == nil && s.Already {
		return func() {}, nil
	}
	for {
		done, err := durable.Lock(startFile(o.Data), 0)
		if err == nil {
			return done, nil
		}
		if !errors.Is(err, durable.ErrLocked) {
			return nil, unwritable(o.Data, err)
		}
		o.wait()
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, CodeStart, "another orchestrator up has been at it for %s",
				o.Patience).
				WithFix("see whether it hangs; %s says what the service does", LogFile(o.Data))
		case <-time.After(lookAgain):
		}
	}
}

// begin starts the service at its address, and remembers one that it took.
func (o Options) begin(ctx context.Context) (Service, error) {
	args := []string{"serve", "--background", "--data", string(o.Data)}
	addr := o.Addr
	if addr == "" {
		addr = freeAddress(o.Root)
	} else if err := CheckAddress(addr, o.Saved); err != nil {
		return Service{}, err
	}
	s, err := o.start(ctx, append(args, "--addr", addr))
	if err != nil || o.Addr != "" || !strings.HasPrefix(s.URL, "http://") {
		return s, err
	}
	_, err = config.Change(ctx, o.Data, "addr", strings.TrimPrefix(s.URL, "http://"))
	return s, err
}

// checkOwner keeps root from leaving files in the folder of a user, who could not replace them any more.
func checkOwner(data datadir.Dir) error {
	info, err := os.Stat(string(data))
	if err != nil || os.Geteuid() != 0 {
		return nil //nolint:nilerr // a folder that is not there is made; what is wrong with it is said then
	}
	stat, is := info.Sys().(*syscall.Stat_t)
	if !is || stat.Uid == 0 {
		return nil
	}
	return fault.New(fault.Unavailable, CodeStart, "the folder %s belongs to another user, and this is root", data).
		WithFix("sudo -u '#%d' orchestrator up: what root writes there, its owner cannot replace", stat.Uid)
}

func (o Options) wait() {
	if o.Waits != nil {
		o.Waits()
	}
}

// find returns the service that runs, if one does, and refuses to go on while one starts or ends.
func find(ctx context.Context, data datadir.Dir) (Service, error) {
	holder, err := Process(data)
	if errors.Is(err, background.ErrStranger) {
		return Service{}, stranger(data, err)
	}
	if err != nil {
		return Service{}, unreadable(data, err)
	}
	if apiclient.Runs(data) {
		addr, err := apiclient.LocalAddress(ctx, data)
		return Service{URL: apiclient.LocalURL(addr), Process: holder, Already: true}, err
	}
	if holder != 0 {
		return Service{}, fault.New(fault.Unavailable, CodeStart, "the service is ending, as process %d", holder).
			WithFix("wait until it has ended, and say orchestrator up again; %s says what it does", LogFile(data))
	}
	return Service{}, nil
}

func unreadable(data datadir.Dir, err error) error {
	return fault.New(fault.Unavailable, CodeStart, "the folder %s cannot be read", data).
		WithFix("run the command as the user whom the folder belongs to").Because(err)
}

// unwritable makes the error of a folder in which nothing can be written.
func unwritable(data datadir.Dir, cause error) error {
	if errors.Is(cause, fs.ErrPermission) && !writable(string(data)) {
		return unreadable(data, cause)
	}
	return fault.New(fault.Unavailable, CodeStart, "nothing can be written in the folder %s", data).
		WithFix("make it writable for you; orchestrator doctor says what is wrong with it").Because(cause)
}

func writable(folder string) bool { return syscall.Access(folder, 2) == nil }

// clear removes what a start left that failed in a folder that it made. A folder with anything else in it stays.
func clear(data datadir.Dir, made bool) error {
	if !made {
		return nil
	}
	for _, path := range []string{LogFile(data), lockFile(data), startFile(data)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(string(data)) // fails where the service got further
	return nil
}
