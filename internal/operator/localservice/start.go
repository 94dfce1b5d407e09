package localservice

import (
	"context"
	"errors"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/background"
	"os"
	"slices"
	"strings"
	"time"
)

// start starts the service and waits until it is ready.
func (o Options) start(ctx context.Context, args []string) (Service, error) {
	path := LogFile(o.Data)
	begin := int64(0)
	if info, err := os.Lstat(path); err == nil {
		begin = info.Size()
	}
	p, err := background.Start(o.Program, args, path, without(os.Environ(), "ORCHESTRATOR_TOKEN"))
	if err != nil {
		return Service{}, fault.New(fault.Unavailable, CodeStart,
			"the service cannot be started with its log %s", path).
			WithFix("make it a regular file that you can write, or remove it").Because(err)
	}
	s := Service{Process: p.ID}
	for !s.ready(ctx, o) {
		o.wait()
		select {
		case <-p.Ended():
			return s, failed(ctx, o.Data, begin)
		case <-ctx.Done():
			return s, o.giveUp(ctx, p)
		case <-time.After(lookAgain):
		}
	}
	return s, nil
}

// stopWithin is how long a service that is not ready in time may take to end.
const stopWithin = 15 * time.Second

// giveUp stops a service that is not ready in time, or whose caller does not want it any more.
func (o Options) giveUp(ctx context.Context, p *background.Process) error {
	why := fault.New(fault.Unavailable, CodeStart, "the service was not ready after %s, and was stopped", o.Patience).
		WithFix("%s says what it did; give it longer with --timeout", LogFile(o.Data))
	if errors.Is(ctx.Err(), context.Canceled) {
		why = fault.New(fault.Unavailable, CodeStart, "the start was interrupted, and the service stopped").
			WithFix("orchestrator up starts it again")
	}
	if !p.Stop(stopWithin) {
		return fault.New(fault.Unavailable, CodeStart, "the service was not ready after %s, and process %d does not end",
			o.Patience, p.ID).
			WithFix("see %s; kill -9 %d ends it, and loses nothing that it has confirmed", LogFile(o.Data), p.ID)
	}
	return why
}

// without returns an environment without a variable: the token of the person who starts the service is nothing that
// the service, or what it starts, has a use for.
func without(environ []string, name string) []string {
	return slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// lookAgain is how long Up waits between two questions whether the service is ready.
const lookAgain = 50 * time.Millisecond

// ready reports whether the service answers that it is ready.
func (s *Service) ready(ctx context.Context, o Options) bool {
	holder, err := background.Holder(lockFile(o.Data))
	if err != nil || holder != s.Process || !apiclient.Runs(o.Data) {
		return false // another one may run, and keep this one from starting
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
