package agentclient

import (
	"fmt"

	"orchestrator/internal/rules/boundary"
)

// Parse reads one call. Unknown members are passed over, and bytes that are no UTF-8 are replaced. An error says which
// member is wrong: a call that cannot be read must not be taken for a harmless one. Nothing but the client is known
// then.
func (c *Client) Parse(stdin []byte) (Event, error) {
	event, err := c.parse(stdin)
	if err != nil {
		return Event{When: Other, Client: c.Name, Actor: boundary.Actor{Kind: boundary.Unknown},
			Paths: []string{}}, fmt.Errorf("the call of %s cannot be read: %w", c.Name, err)
	}
	return event, nil
}

func (c *Client) parse(stdin []byte) (Event, error) {
	call, err := readObject(stdin)
	if err != nil {
		return Event{}, err
	}
	guest := c.guest(call)
	if guest != nil && guest.form.guest.ownForm {
		return guest.form.parse(guest.Name, call)
	}
	event, err := c.form.parse(c.Name, call)
	if guest != nil && err == nil && event.Actor.Kind == boundary.Main { // which the guest may not tell from an agent
		event.Actor, err = guest.form.actor(call)
	}
	return event, err
}

// guest returns the other client that makes a call of the hook registered for c; nil if it is c itself.
func (c *Client) guest(call object) *Client {
	if !c.form.lent {
		return nil
	}
	for _, other := range clients {
		if sends := other.form.guest.sends; sends != nil && sends(call) {
			return other
		}
	}
	return nil
}
