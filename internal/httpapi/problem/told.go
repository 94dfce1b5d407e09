package problem

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
)

// Told returns the trace of a run as JSON, in which the refusals of changes are problems: they are kept as the errors
// that they were, and have their examples as long as nobody has read the trace back. A trace that is a jsontext.Value
// has been encoded, and is returned as it is where it has no refusals.
func Told(trace any, refusals ...*fault.Error) (raw []byte, err error) {
	if encoded, is := trace.(jsontext.Value); is {
		raw = slices.Clip(encoded) // what is appended to the answer is not appended to the trace
	} else {
		raw, err = json.Marshal(trace, json.Deterministic(true))
	}
	if err != nil || !bytes.Contains(raw, []byte(`"`+refusal+`":`)) {
		return raw, err
	}
	var out bytes.Buffer
	in, told := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimRight(out.Bytes(), "\n"), nil
		}
		if err == nil {
			err = told.WriteToken(token)
		}
		if err == nil && isRefusal(in, token) {
			err = tell(in, told, &refusals)
		}
		if err != nil {
			return nil, err
		}
	}
}

// refusal is the member of a traced obligation that has why its change was refused.
const refusal = "refusal"

// tracedObligation is the pointer to a member of an obligation, or of a step, in a trace.
var tracedObligation = lazyregexp.New(`^/obligations/[0-9]+(/steps/[0-9]+)*/[^/]*$`)

// isRefusal reports whether a token that was read is the name of such a member: /obligations/0/refusal.
func isRefusal(in *jsontext.Decoder, token jsontext.Token) bool {
	if token.Kind() != '"' || token.String() != refusal {
		return false
	}
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 1 && tracedObligation().MatchString(string(in.StackPointer()))
}

// tell reads a refusal, and writes the problem that it is.
func tell(in *jsontext.Decoder, told *jsontext.Encoder, refusals *[]*fault.Error) error {
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	kept := new(fault.Error)
	if err := json.Unmarshal(value, kept); err != nil {
		return err
	}
	if len(*refusals) > 0 {
		kept, *refusals = (*refusals)[0], (*refusals)[1:]
	}
	return json.MarshalEncode(told, Of(kept, ""), json.Deterministic(true))
}
