package jsonobject

import (
	"math"
	"slices"
	"strconv"
	"sync"
)

// writers keeps the memory of Bytes from one value to the next.
var writers = sync.Pool{New: func() any { return new(Writer) }}

// mostKept bounds, in bytes, the memory that Bytes keeps of one value.
const mostKept = 64 << 10

// Bytes returns what the function writes, in memory of its own, or the error of the Writer.
func Bytes(write func(*Writer)) ([]byte, error) {
	w := writers.Get().(*Writer)
	w.B, w.Err = w.B[:0], nil
	write(w)
	if w.Err != nil {
		return nil, w.Err
	}
	if cap(w.B) > mostKept { // too much to keep
		return w.B, nil
	}
	defer writers.Put(w)
	return slices.Clone(w.B), nil
}

// Any writes a member with a value of the types that JSON is read into: nil, bool, string, float64, []any and
// map[string]any. The members of a map are written by ascending name. A value of another type, at the top or nested, is
// written as Value does. Unlike the library, it neither bounds the depth nor detects cycles: it is for parsed values.
func (w *Writer) Any(name string, value any) {
	w.Name(name)
	w.any(value)
}

// SomeAny writes a member as Any does. It leaves out what Some does.
func (w *Writer) SomeAny(name string, value any) {
	before := len(w.B)
	w.Name(name)
	begin := len(w.B)
	w.any(value)
	if isEmpty(w.B[begin:]) {
		w.B = w.B[:before]
	}
}

func (w *Writer) any(value any) {
	switch value := value.(type) {
	case nil:
		w.B = append(w.B, "null"...)
	case bool:
		w.B = strconv.AppendBool(w.B, value)
	case string:
		w.Quote(value)
	case float64:
		w.number(value)
	case []any:
		w.B = append(w.B, '[')
		for i, item := range value {
			if i > 0 {
				w.B = append(w.B, ',')
			}
			w.any(item)
		}
		w.B = append(w.B, ']')
	case map[string]any:
		w.members(value)
	default:
		w.Value(value)
	}
}

// members writes an object with the members of a map.
func (w *Writer) members(of map[string]any) {
	var room [8]string
	names := room[:0]
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	w.Begin()
	for i, name := range names {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		w.Quote(name)
		w.B = append(w.B, ':')
		w.any(of[name])
	}
	w.End()
}

// Float writes a member that is a number.
func (w *Writer) Float(name string, n float64) {
	w.Name(name)
	w.number(n)
}

// number writes a number as the library does, which has an exponent only where the number is very large or small.
func (w *Writer) number(n float64) {
	if abs := math.Abs(n); n == 0 || abs >= 1e-6 && abs < 1e21 {
		w.B = strconv.AppendFloat(w.B, n, 'f', -1, 64)
		return
	}
	w.Value(n)
}
