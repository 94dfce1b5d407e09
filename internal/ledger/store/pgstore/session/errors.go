package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"orchestrator/internal/fault"
)

// The codes of what keeps a server from answering.
const (
	CodeUnreachable fault.Code = "store_unreachable" // there is no server, or it is starting or ending
	CodeRefused     fault.Code = "store_refused"     // the server refuses the user, the password or the database
	CodeRights      fault.Code = "store_rights"      // the role may not do what the store needs
	CodeNoRoom      fault.Code = "store_full"        // the disk of the server is full
	CodeStatement   fault.Code = "store_statement"   // the server refused a statement
)

// retryAfter is when it is worth trying again.
const retryAfter = 2 * time.Second

// Error is what the server or the connection said to a call.
type Error struct {
	State  string // the SQLSTATE; "" if the connection broke
	ended  bool   // the server ended the session with it
	cause  error
	Detail string // the message of the server
}

func (e *Error) Error() string { return e.Detail }

// Unwrap returns what the driver said.
func (e *Error) Unwrap() error { return e.cause }

// Refused reports whether an error means that the server took part and undid the transaction. Of a connection that
// broke nothing is known.
func Refused(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && e.State != "" && !e.ended
}

// StateOf returns the SQLSTATE of an error, or "".
func StateOf(err error) string {
	if e, is := errors.AsType[*Error](err); is {
		return e.State
	}
	return ""
}

// failure returns what an error of the driver means.
func (c *Conn) failure(err error) error {
	if err == nil {
		return nil
	}
	said, is := errors.AsType[*pgconn.PgError](err)
	if !is {
		c.Close()
		return unreachable(c.place, "the connection broke").Because(&Error{Detail: err.Error(), cause: err})
	}
	ended := c.pg.IsClosed() || said.SeverityUnlocalized == "FATAL" || said.SeverityUnlocalized == "PANIC"
	if ended {
		c.Close()
	}
	return meaning(c.place, said).Because(&Error{State: said.Code, ended: ended, Detail: text(said), cause: err})
}

func text(said *pgconn.PgError) string {
	return fmt.Sprintf("%s (SQLSTATE %s)", said.Message, said.Code)
}

func unreachable(place, what string) *fault.Error {
	return fault.New(fault.Unavailable, CodeUnreachable, "%s: %s", place, what).
		WithFix("see that the server runs and can be reached; nothing is lost, try again then").
		After(retryAfter)
}

// meaning returns what a message of the server means.
func meaning(place string, said *pgconn.PgError) *fault.Error {
	switch class := said.Code[:min(2, len(said.Code))]; {
	case said.Code == "53100" || said.Code == "53000":
		return fault.New(fault.InsufficientStorage, CodeNoRoom, "%s: the disk of the database is full",
			place).
			WithFix("make room on the disk of the database, then try again").
			After(retryAfter)
	case said.Code == "42501":
		return fault.New(fault.Unavailable, CodeRights, "%s: the role may not do this: %s", place, said.Message).
			WithFix("grant it the rights that docs/postgres.md lists")
	case class == "28" || said.Code == "3D000":
		return fault.New(fault.Unavailable, CodeRefused, "%s: the server refuses access: %s", place, said.Message).
			WithFix("see whether the user, its password (which may have expired) and the database are right").
			After(retryAfter)
	case class == "08" || class == "57" || class == "53" || said.Code == "25006" || said.Code == "55P03":
		return unreachable(place, said.Message)
	}
	return fault.New(fault.Unavailable, CodeStatement, "%s: the server refused a statement: %s", place, said.Message).
		WithFix("this may be a defect of the program; see the log of the server").After(retryAfter)
}

// refusal returns why no connection was made. What the driver says has no password in it.
func (c *Config) refusal(err error) error {
	if said, is := errors.AsType[*pgconn.PgError](err); is {
		return meaning(c.Place(), said).Because(&Error{State: said.Code, ended: true, Detail: text(said), cause: err})
	}
	what := strings.Join(strings.Fields(err.Error()), " ")
	return unreachable(c.Place(), "no connection").Because(&Error{Detail: what, cause: err})
}
