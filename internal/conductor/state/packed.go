package state

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// A run has the same large value in many places: the payload of its obligation in the request, the obligation, the run
// of the tool and twice in the trace. The record of a step has it once, in Values by its digest, and rows name that
// record and the digest:
//
//	["packed", {"id": "o1", "payload": {"expr": {"$large": "<digest>", "record": 17}}}]
//
// What else begins with a $ among the names of a packed row has one more. Rows without a large value are as they are.

// largeValue is from how many bytes on a value is kept once.
const largeValue = 4 << 10

const (
	packedMark = `["packed",`
	largeName  = "$large"
)

// packer takes large values out of the rows of one step.
type packer struct {
	record uint64                    // of the step
	values map[string]jsontext.Value // by digest
	find   func(digest string) (record uint64, found bool, err error)
}

// row returns a row with its large values taken out.
func (p *packer) row(raw jsontext.Value) (jsontext.Value, error) {
	if len(raw) < largeValue {
		return raw, nil
	}
	packed, err := p.pack(raw, false)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(packedMark), packed...), ']'), nil
}

// pack takes out what is large below a value, and then the value itself if it is still large, and may be.
func (p *packer) pack(raw jsontext.Value, takes bool) (jsontext.Value, error) {
	packed, err := eachBelow(raw, func(name *string, below jsontext.Value) (jsontext.Value, error) {
		if name != nil && strings.HasPrefix(*name, "$") {
			*name = "$" + *name
		}
		return p.pack(below, true)
	})
	if err != nil || !takes || len(packed) < largeValue {
		return packed, err
	}
	digest := ledger.Digest(packed)
	record, found, err := p.find(digest)
	if err != nil {
		return nil, err
	}
	if !found {
		record, p.values[digest] = p.record, packed
	}
	return fmt.Appendf(nil, `{%q:%q,"record":%d}`, largeName, digest, record), nil
}

// stored returns a row of the table as it was put; nil if there is none.
func stored(from store.Getter, key string) (jsontext.Value, error) {
	raw, err := from.Get(Table.Name, placeOf(key))
	if err != nil || raw == nil {
		return nil, err
	}
	return unpacked(from, raw)
}

// unpacked returns a row as it was put.
func unpacked(from store.Getter, raw jsontext.Value) (jsontext.Value, error) {
	inner, is := bytes.CutPrefix(raw, []byte(packedMark))
	if !is {
		return raw, nil
	}
	u := unpacker{from: from, values: map[uint64]map[string]jsontext.Value{}}
	return u.unpack(inner[:len(inner)-1])
}

// largeRef stands in a packed row for a large value.
type largeRef struct {
	Digest string `json:"$large"`
	Record uint64 `json:"record"`
}

// unpacker puts large values back into one row.
type unpacker struct {
	from   store.Getter
	values map[uint64]map[string]jsontext.Value // of the records that were read
}

func (u unpacker) unpack(raw jsontext.Value) (jsontext.Value, error) {
	if bytes.HasPrefix(raw, []byte(`{"`+largeName+`":`)) {
		large, err := u.large(raw)
		if err != nil {
			return nil, err
		}
		return u.unpack(large)
	}
	return eachBelow(raw, func(name *string, below jsontext.Value) (jsontext.Value, error) {
		if name != nil && strings.HasPrefix(*name, "$") {
			*name = strings.TrimPrefix(*name, "$")
		}
		return u.unpack(below)
	})
}

// large reads the value that a row names.
func (u unpacker) large(raw jsontext.Value) (jsontext.Value, error) {
	named, _, err := decode[largeRef]("a packed row", raw)
	if err != nil {
		return nil, err
	}
	if u.values[named.Record] == nil {
		_, record, err := ledger.RecordAt(u.from, named.Record)
		if err != nil {
			return nil, err
		}
		step, err := ledger.DataOf[Stepped](u.from, record)
		if err != nil {
			return nil, err
		}
		u.values[named.Record] = step.Values
	}
	value, found := u.values[named.Record][named.Digest]
	if !found {
		return nil, fault.New(fault.Internal, store.CodeDamaged,
			"record %d has no value with the digest %s, which a row names", named.Record, named.Digest).
			WithFix("orchestrator verify says what else is wrong; restore a backup")
	}
	return value, nil
}

// eachBelow returns a value with its members or items changed, in their order. Anything else is as it is.
func eachBelow(raw jsontext.Value, change func(name *string, below jsontext.Value) (jsontext.Value,
	error)) (jsontext.Value, error) {
	kind := raw.Kind()
	if kind != '{' && kind != '[' {
		return raw, nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	begin, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(raw))
	out = append(out, begin.String()...)
	for first := true; d.PeekKind() != '}' && d.PeekKind() != ']'; first = false {
		if !first {
			out = append(out, ',')
		}
		var name *string
		if kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			text := token.String()
			name = &text
		}
		below, err := d.ReadValue()
		if err == nil {
			below, err = change(name, below.Clone())
		}
		if err != nil {
			return nil, err
		}
		if name != nil {
			if out, err = jsontext.AppendQuote(out, *name); err != nil {
				return nil, err
			}
			out = append(out, ':')
		}
		out = append(out, below...)
	}
	if kind == '{' {
		return append(out, '}'), nil
	}
	return append(out, ']'), nil
}
