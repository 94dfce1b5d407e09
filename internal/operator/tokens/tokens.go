// Package tokens makes tokens for people and agents: into a file or to be shown once, and in force in a service that
// runs.
package tokens

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/token"
)

// acceptEvery is how often a service is asked whether it accepts a token.
const acceptEvery = 50 * time.Millisecond

// Open names the token file of a data folder without touching it.
func Open(data datadir.Dir) *token.File { return token.NewFile(data) }

// Order is a token to be made.
type Order struct {
	Role, Name string
	Expires    time.Time // zero is never
	Out        string    // file to write the token to; "" writes none
	Force      bool      // replace that file if it exists
}

// Add makes a token, and writes it to the file of the order. The file is opened first: where it cannot be written no
// token is made. A token whose file could not be written is revoked.
func Add(ctx context.Context, at Place, o Order, now time.Time) (secret string, made token.Token, err error) {
	if !o.Expires.IsZero() { // tokens are kept to the second; nobody gets less than was asked for
		o.Expires = o.Expires.Add(time.Second - 1).Truncate(time.Second)
	}
	if o.Out == "" {
		return at.Add(ctx, o.Name, o.Role, o.Expires, now)
	}
	place, err := openSecret(o.Out, o.Force)
	if err != nil {
		return "", token.Token{}, err
	}
	secret, made, err = at.Add(ctx, o.Name, o.Role, o.Expires, now)
	if err != nil {
		return "", token.Token{}, errors.Join(err, place.discard())
	}
	if err := place.keep(secret + "\n"); err != nil {
		_, revokeErr := at.Revoke(ctx, made.ID)
		return "", token.Token{}, errors.Join(err, revokeErr)
	}
	return secret, made, nil
}

// Revoke revokes the token with an id, or all tokens of a name, and returns them. Exactly one of the two is given.
func Revoke(ctx context.Context, at Place, id, name string) ([]token.Token, error) {
	switch {
	case (id == "") == (name == ""):
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "give either an id or --name").
			WithFix("orchestrator token list shows both")
	case name != "":
		return at.RevokeName(ctx, name)
	}
	t, err := at.Revoke(ctx, id)
	if err != nil {
		return nil, err
	}
	return []token.Token{t}, nil
}

// AwaitAccepted returns once the service that runs with the data folder, if one does, accepts a new token. Whoever
// listens at the address that a service wrote which has gone is not shown the token.
func AwaitAccepted(ctx context.Context, data datadir.Dir, made token.Token, client apiclient.Options) error {
	if client.Timeout <= 0 || !apiclient.Runs(data) {
		return nil // no service runs here
	}
	addr, err := apiclient.LocalAddress(ctx, data)
	if err != nil {
		return nil // it has not begun to serve
	}
	client.Server = apiclient.LocalURL(addr)
	service, err := apiclient.New(client)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, client.Timeout)
	defer cancel()
	for {
		_, err := service.GetAtMost(ctx, "/workflow", "application/json", 1<<20)
		if err == nil || apiclient.NotRunning(err) || knows(err) {
			return nil
		}
		select {
		case <-time.After(acceptEvery):
		case <-ctx.Done():
			return fault.New(fault.Unavailable, "token_not_accepted",
				"the token was made, and the service at %s did not accept it within %v", addr, client.Timeout).
				WithFix("see its log for why it does not take the tokens over, or restart it; orchestrator token "+
					"revoke %s takes the token back", made.ID).Because(err)
		}
	}
}

// knows reports whether a refusal shows that the service has the token: it may have expired by now.
func knows(err error) bool {
	return fault.Is(err, token.CodeExpired)
}
