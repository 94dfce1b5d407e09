// Package hook says what a webhook is, which ones there may be, what is sent to them and when: the roster, the
// signature and the body of a message, how far a hook has come, and how long it waits between tries.
//
// It is pure: moments and random numbers are given.
package hook

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
)

// Bounds of a hook.
const (
	mostValues = 50   // of one sort of filter, or addresses
	longest    = 2048 // bytes of a URL
	longestID  = 256  // bytes of the id of a requirement
)

// Hook is an address that records of the log are told to.
type Hook struct {
	ID      string    `json:"id"` // of this hook, and of none that had its name before
	Name    string    `json:"name"`
	URL     string    `json:"url"`
	Created time.Time `json:"created"`

	Kinds        []string `json:"kinds,omitempty"` // only such records; all where there are none
	Roles        []string `json:"roles,omitempty"`
	Requirements []string `json:"requirements,omitempty"`

	Allow []string `json:"allow_addresses,omitempty"` // private addresses that may be called, each with its port
	Link  string   `json:"link,omitempty"`            // what links begin with; "" is the service's own address
}

var (
	nameForm = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,39}$`)
	idForm   = lazyregexp.New(`^[0-9a-f]{12}$`)
	kindForm = lazyregexp.New(`^[a-z_]+\.[a-z_]+$`)
	roleForm = lazyregexp.New(`^[a-z]+$`)
)

// Host returns where a hook leads to, without the path and the query of its URL, which are often a secret.
func (h Hook) Host() string {
	u, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// problems returns what is wrong with a hook, each with the member that it is in. It repeats no value.
func (h Hook) problems() (all []fault.Field) {
	add := func(member, why string) {
		if why != "" {
			all = append(all, fault.Field{Pointer: "/" + member, Detail: why})
		}
	}
	if !idForm().MatchString(h.ID) {
		add("id", "must be 12 hexadecimal digits")
	}
	if !nameForm().MatchString(h.Name) {
		add("name", "must have 1 to 40 lower-case letters, digits, - and _, and begin with a letter or digit")
	}
	if h.Created.IsZero() {
		add("created", "is missing")
	}
	add("url", wrongURL(h.URL, true))
	if h.Link != "" {
		add("link", wrongURL(h.Link, false))
	}
	add("kinds", wrongValues(h.Kinds, kindForm().MatchString))
	add("roles", wrongValues(h.Roles, roleForm().MatchString))
	add("requirements", wrongValues(h.Requirements, func(id string) bool { return id != "" && len(id) <= longestID }))
	add("allow_addresses", wrongValues(h.Allow, isAddress))
	return all
}

// wrongURL says what is wrong with a URL, or "". Only one that is called may have a query.
func wrongURL(text string, called bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > longest:
		return fmt.Sprintf("must be a URL of at most %d bytes", longest)
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return "must begin with https:// or http:// and a host"
	case u.User != nil:
		return "must not have a user name or a password"
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "must not have a fragment"
	case !called && (u.RawQuery != "" || u.ForceQuery):
		return "must not have a query"
	case u.Port() != "" && !isPort(u.Port()):
		return "must have a port from 1 to 65535"
	}
	return ""
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// isAddress reports whether a text is the address of a machine by its digits, with a port.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || !isPort(port) {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == ""
}

func wrongValues(values []string, right func(string) bool) string {
	switch {
	case len(values) > mostValues:
		return fmt.Sprintf("must have at most %d values", mostValues)
	case slices.ContainsFunc(values, func(v string) bool { return !right(v) }):
		return "has a value that cannot be used"
	case len(slices.Compact(slices.Sorted(slices.Values(values)))) < len(values):
		return "has a value twice"
	}
	return ""
}
