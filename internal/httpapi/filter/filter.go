// Package filter reads from the parameters of a request which requirements, or which records of the log, it asks for.
//
// What cannot be used is refused with what could be.
package filter

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// How many entries a page has where nothing is said, and the most that can be asked for.
const (
	DefaultPage = 100
	LargestPage = 1000
)

// Narrowing are the parameters of Requirements.
var Narrowing = []string{"status", "role", "waiting_for", "suspect", "stale", "retired", "claimed", "kind", "q",
	"older_than", "sort", "order"}

// Requirements reads which requirements are asked for, and in which order.
func Requirements(v url.Values) (q lookup.Query, err error) {
	q = lookup.Query{Text: v.Get("q"), Kind: v.Get("kind")}
	for name, flag := range map[string]**bool{"suspect": &q.Suspect, "stale": &q.Stale, "retired": &q.Retired, "claimed": &q.Claimed} {
		if *flag, err = wire.BoolParameter(v, name); err != nil {
			return q, err
		}
	}
	if q.Status, err = one(v, "status", "a status", lifecycle.Statuses()); err != nil {
		return q, err
	}
	if q.Role, err = one(v, "role", "a role", lifecycle.Roles()); err != nil {
		return q, err
	}
	if q.WaitingFor, err = one(v, "waiting_for", "whom a requirement waits for", lookup.Parties()); err != nil {
		return q, err
	}
	if q.Sort, err = one(v, "sort", "an order", lookup.Orders()); err != nil {
		return q, err
	}
	if q.OlderThan, err = age(v); err != nil {
		return q, err
	}
	q.Desc, err = descending(v)
	return q, err
}

// one reads a parameter that has one of some values; "" where it is not given.
func one[T ~string](v url.Values, name, what string, known []T) (T, error) {
	value := T(v.Get(name))
	if !v.Has(name) || slices.Contains(known, value) {
		return value, nil
	}
	return "", notOne(name, string(value), what, known, "")
}

// notOne refuses a value of a parameter that takes some values alone.
func notOne[T ~string](name, value, what string, known []T, more string) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return wire.Parameter(name, "%q is not %s", wire.Clip(value), what).
		WithFix("use one of %s%s", strings.Join(names, ", "), more)
}

func descending(v url.Values) (bool, error) {
	order, err := one(v, "order", "a direction", []string{"asc", "desc"})
	return order == "desc", err
}

var days = lazyregexp.New(`^[0-9]{1,5}d$`)

// age reads older_than: a duration as Go writes it, or days.
func age(v url.Values) (time.Duration, error) {
	if !v.Has("older_than") {
		return 0, nil
	}
	text, times := v.Get("older_than"), time.Duration(1)
	if days().MatchString(text) {
		text, times = strings.TrimSuffix(text, "d")+"h", 24
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, wire.Parameter("older_than", "%q is no time that has passed", wire.Clip(v.Get("older_than"))).
			WithFix("write a number with its unit, such as 90m, 72h or 3d")
	}
	return times * d, nil
}

// Searching are the parameters of Records.
var Searching = []string{"kind", "actor", "requirement", "code", "since", "order", "before", "from", "limit"}

// Searches reports whether some parameters look for records, and do not just read the log from a number on.
func Searches(v url.Values) bool {
	return slices.ContainsFunc(Searching[:7], v.Has)
}

// CursorOf returns the parameter that names where a page of records begins.
func CursorOf(q lookup.Records) string {
	if q.Newest {
		return "before"
	}
	return "from"
}

var codeShape = lazyregexp.New(`^[a-z][a-z0-9_]{0,63}$`)

// Records reads which records are asked for, of the kinds that there are.
func Records(v url.Values, kinds []string) (q lookup.Records, err error) {
	q = lookup.Records{Actor: v.Get("actor"), Requirement: v.Get("requirement"), Code: fault.Code(v.Get("code"))}
	for _, name := range []string{"kind", "actor", "requirement", "code", "since"} {
		if v.Has(name) && v.Get(name) == "" {
			return q, wire.Parameter(name, "it is empty").WithFix("leave it out, or give it a value")
		}
	}
	if q.Code != "" && !codeShape().MatchString(v.Get("code")) {
		return q, wire.Parameter("code", "%q is not the code of a refusal", wire.Clip(v.Get("code"))).
			WithFix("use a code as a problem has it, such as gate_unmet")
	}
	if q.Kinds, err = kindsOf(v, kinds); err != nil {
		return q, err
	}
	if q.Since, q.SinceTime, err = since(v); err != nil {
		return q, err
	}
	if q.Newest, err = descending(v); err != nil {
		return q, err
	}
	if v.Has("before") && !v.Has("order") {
		q.Newest = true
	}
	return q, page(v, &q)
}

func kindsOf(v url.Values, known []string) (kinds []string, err error) {
	if !v.Has("kind") {
		return nil, nil
	}
	for kind := range strings.SplitSeq(v.Get("kind"), ",") {
		if !slices.Contains(known, kind) {
			return nil, notOne("kind", kind, "a kind of record", known, ", or several with commas between them")
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// since reads the number of a record, or a time.
func since(v url.Values) (uint64, time.Time, error) {
	text := v.Get("since")
	if text == "" {
		return 0, time.Time{}, nil
	}
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		return n, time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, at, wire.Parameter("since", "%q is neither the number of a record nor a time", wire.Clip(text)).
			WithFix("write a number, or a time as in RFC 3339, such as 2026-01-31T09:00:00Z; percent-encode a +")
	}
	return 0, at, nil
}

func page(v url.Values, q *lookup.Records) (err error) {
	cursor, other := "from", "before"
	if q.Newest {
		cursor, other = other, cursor
	}
	if v.Has(other) {
		return wire.Parameter(other, "it belongs to the other order").
			WithFix("use from with the oldest records first, and before with order=desc")
	}
	if q.At, err = wire.NumberParameter(v, cursor, 0, 0, math.MaxInt64); err != nil {
		return err
	}
	limit, err := wire.NumberParameter(v, "limit", DefaultPage, 1, LargestPage)
	q.Limit = int(limit)
	return err
}
