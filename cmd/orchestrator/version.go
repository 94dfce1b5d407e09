package main

import (
	"runtime"
	"runtime/debug"
)

// userAgent names this program to a service.
func userAgent() string { return "orchestrator/" + buildVersion }

// buildVersion is set by the Makefile.
var buildVersion = "development"

func version() string { return buildVersion + " " + commit() + " " + runtime.Version() }

// commit returns the revision that the program was built from, as far as the build recorded it.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
