package main

import (
	"fmt"
	"os"
	"time"
)

// floorVerify is the argument for which the program reads a log, as the floor of verification.
const floorVerify = "floor-verify"

// options are what the caller asks for.
type options struct {
	rounds       int
	round        time.Duration
	only         []string
	records      []int // of the logs that are backed up
	log          int   // records of the log that is verified
	longest      time.Duration
	curve        string // the file that gets the drawing, or ""
	json, strict bool
	markdown     bool
}

// bench is one run.
type bench struct {
	options
	dir, binary, self string
	sized             map[int]*sizedFigures // by the number of requirements; two sections report them
}

// say shows progress.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
