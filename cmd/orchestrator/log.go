package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
)

// newLogger writes JSON lines, in groups, or on a terminal a form for people. flush writes what still waits.
func newLogger(out io.Writer, terminal bool, format, level string) (log zerolog.Logger, flush func() error, err error) {
	l, err := zerolog.ParseLevel(level)
	if err != nil || level == "" {
		return log, nil, fault.New(fault.Invalid, fault.CodeUsage, "%q is not a log level", level).
			WithFix("use debug, info, warn or error")
	}
	if format == "auto" && terminal {
		format = "console"
	}
	buffer := &lineBuffer{out: out}
	var w zerolog.LevelWriter
	switch format {
	case "console":
		w = zerolog.LevelWriterAdapter{Writer: console(out, terminal)}
	case "json", "auto":
		w = buffer
	default:
		return log, nil, fault.New(fault.Invalid, fault.CodeUsage, "%q is not a log format", format).
			WithFix("use auto, json or console")
	}
	return zerolog.New(maskedLog{w}).Level(l).With().Timestamp().Logger(), buffer.Flush, nil
}

// console escapes control characters in every part, since a logged path or id may hold what a terminal
// would obey.
func console(out io.Writer, colour bool) zerolog.ConsoleWriter {
	return zerolog.ConsoleWriter{
		Out: out, NoColor: !colour || os.Getenv("NO_COLOR") != "", TimeFormat: time.TimeOnly,
		FormatMessage:       escaped,
		FormatFieldValue:    escaped,
		FormatErrFieldValue: escaped,
	}
}

func escaped(v any) string {
	switch s := v.(type) {
	case nil:
		return ""
	case []byte:
		return output.Printable(string(s))
	}
	return output.Printable(fmt.Sprint(v))
}
