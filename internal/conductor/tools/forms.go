package tools

import (
	"context"
	"strings"
	"time"
	_ "time/tzdata" // the zones, for machines that have none

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/normalize"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// normalizer writes one input in its normal form: {"value": …}.
func normalizer(name, description string, inputs []planning.Input, form func(in In) (string, error)) Tool {
	c := contract(name, "REPORT("+name+")", description, inputs,
		object(map[string]any{"value": textSchema("the normal form", 0)}, "value"))
	return Tool{Contract: c, Run: func(_ context.Context, in In) (map[string]any, error) {
		value, err := form(in)
		if err != nil {
			return nil, err
		}
		return map[string]any{"value": value}, nil
	}}
}

// of returns a form of one input.
func of(name string, form func(string) (string, error)) func(In) (string, error) {
	return func(in In) (string, error) {
		text, err := in.text(name)
		if err != nil {
			return "", err
		}
		return form(text)
	}
}

func normalizeEmail() Tool {
	return normalizer("normalize.email", "Writes an address of mail in its normal form (RFC 5321, RFC 6531): the domain in lower case and in ASCII.",
		[]planning.Input{required("email", textSchema("the address, such as name@example.com", 1000))},
		of("email", normalize.Email))
}

func normalizeURL() Tool {
	return normalizer("normalize.url", "Writes an absolute URL in its normal form (RFC 3986, 6.2).",
		[]planning.Input{required("url", textSchema("the URL with its scheme, such as https://example.com/path", 8000))}, of("url", normalize.URL))
}

// timeNow returns the tool that tells the time of its caller's clock: {"value": "2026-01-02T15:04:05Z", "zone": "UTC"}.
// The value is a date-time of RFC 3339, and the zone is what a suffix of RFC 9557 has in its brackets: a name of the
// time zone database, or an offset.
func timeNow() Tool {
	c := contract("time.now", "REPORT(time.now)", "Tells the time, as RFC 3339 has it, and the zone, as RFC 9557 has it.",
		[]planning.Input{optional("zone", textSchema("a name such as Europe/Berlin, or an offset such as +02:00; UTC where it is missing", 64))},
		object(map[string]any{
			"value": map[string]any{"type": "string", "format": "date-time", "description": "the time, to the second"},
			"zone":  textSchema("the zone it is told in", 0),
		}, "value", "zone"))
	return Tool{Contract: c, Run: runNow, Senses: map[string]agreement.Sense{"value": agreement.Moment}}
}

func runNow(_ context.Context, in In) (map[string]any, error) {
	name, err := in.optionalText("zone")
	if err != nil {
		return nil, err
	}
	zone, err := location(name)
	if err != nil {
		return nil, err
	}
	return map[string]any{"value": in.Now.In(zone).Format(time.RFC3339), "zone": zone.String()}, nil
}

// location returns a zone by its name or offset. The zone of the machine is refused: the answer would depend on it.
func location(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		_, seconds := t.Zone()
		return time.FixedZone(name, seconds), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "local") {
		return nil, fault.New(fault.Invalid, "zone_unknown", "there is no time zone %q", fault.Clip(name, 64)).
			WithFix("give a name such as Europe/Berlin, or an offset such as +02:00").Because(err)
	}
	return zone, nil
}
