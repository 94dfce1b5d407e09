package main

import (
	"fmt"
	"os"
	"time"
)

// options are what the caller asks for.
type options struct {
	rounds       int
	round        time.Duration
	only         []string
	records      []int // of the logs that are backed up
	log          int   // records of the log that is verified
	longest      time.Duration
	json, strict bool
}

// bench is one run.
type bench struct {
	options
	dir, binary, self string
}

// say shows progress.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
