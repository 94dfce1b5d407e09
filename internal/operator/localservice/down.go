package localservice

import (
	"context"
	"errors"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/background"
)

// Down stops the service that Up started, and waits until it has ended, at most until ctx ends. Without one it returns
// a service without a process.
func Down(ctx context.Context, data datadir.Dir) (Service, error) {
	s := Service{}
	addr, err := apiclient.LocalAddress(ctx, data)
	if err == nil {
		s.URL = apiclient.LocalURL(addr)
	}
	runs := apiclient.Runs(data)
	s.Process, err = background.End(ctx, lockFile(data), func(id int) error { return checkProcess(data, id) })
	switch {
	case errors.Is(err, background.ErrStranger):
		return s, stranger(data, err)
	case errors.Is(err, context.DeadlineExceeded):
		return s, fault.New(fault.Conflict, CodeStop,
			"process %d was told to end, and still finishes its work", s.Process).
			WithFix("wait, and say orchestrator down again; %s says what it does", LogFile(data))
	case err != nil:
		return s, fault.New(fault.Conflict, CodeStop, "the service cannot be stopped").
			WithFix("stop it as the user who started it").Because(err)
	case s.Process == 0 && runs:
		return s, fault.New(fault.Conflict, CodeStop, "orchestrator up did not start the service at %s", s.URL).
			WithFix("stop it where it was started: with Ctrl-C in its terminal, or by the service manager")
	case s.Process == 0:
		return Service{}, nil // the address is that of the last one
	}
	return s, nil
}
