package cli

import (
	"runtime"
	"runtime/debug"
)

// UserAgent names this program to a service.
func UserAgent() string { return "orchestrator/" + BuildVersion }

// BuildVersion is set by the Makefile.
var BuildVersion = "development"

func Version() string { return BuildVersion + " " + Commit() + " " + runtime.Version() }

// Commit returns the revision that the program was built from, as far as the build recorded it.
func Commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
