package agentclient

import (
	"fmt"
	"slices"
)

// FinishedFlag tells the hook that it is called at the end of a turn, for an event of Wiring.Ends, and not before a
// tool.
const FinishedFlag = "--finished"

// Ending is a call by which a client says that a session takes its work, or one task of it, for done.
type Ending struct {
	Session string
	Cwd     string
	Task    string // what the task says of itself; "" where it is the session that ends its turn
	Again   bool   // a hook has held the session up already, or nobody waits for more

	client *Client // who is answered
	task   bool
}

// Ending reads a call that says that a session is done. Any other call is an error.
func (c *Client) Ending(stdin []byte) (Ending, error) {
	call, err := readObject(stdin)
	if err != nil {
		return Ending{}, err
	}
	if guest := c.guest(call); guest != nil {
		c = guest
	}
	name := call.loose(c.form.event)
	if c.ending.hold == nil || c.form.event != "" && !slices.Contains(c.Wiring.Ends, name) {
		return Ending{}, fmt.Errorf("%s does not say by %q that a session is done", c.Name, name)
	}
	e := Ending{client: c, task: c.ending.task != "" && name == c.ending.task}
	if e.Session, err = call.first(c.form.session); err != nil {
		return Ending{}, err
	}
	if e.Cwd, err = call.first(c.form.cwd); err != nil {
		return Ending{}, err
	}
	for _, member := range c.ending.about {
		if e.task {
			e.Task += call.loose(member) + "\n"
		}
	}
	for _, member := range c.ending.again {
		said := call.loose(member)
		e.Again = e.Again || said != "" && said != "false" && said != "0"
	}
	if status := call.loose(c.ending.status); status != "" && status != "completed" {
		e.Again = true
	}
	return e, nil
}

// OfTask reports whether the session says only of one task that it is done.
func (e Ending) OfTask() bool { return e.task }

// Hold returns the answer by which the session goes on, with a message for it.
func (e Ending) Hold(message string) Answer {
	if e.task {
		return onStderr(message)
	}
	return e.client.ending.hold(message)
}

// Let returns the answer that lets a session end, for a call that may not be readable.
func (c *Client) Let() Answer {
	if c.ending.let != nil {
		return c.ending.let()
	}
	return Answer{}
}

// Let returns the answer that lets the session end.
func (e Ending) Let() Answer { return e.client.Let() }
