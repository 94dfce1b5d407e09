package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// UserAgent names this program to a service.
func UserAgent() string { return "orchestrator/" + BuildVersion }

// BuildVersion is set by the Makefile.
var BuildVersion = "development"

// Version returns the version for people: with the commit, unless the version itself names it.
func Version() string {
	named := BuildVersion
	if i := strings.LastIndex(named, "-g"); i >= 0 {
		named = named[i+len("-g"):]
	}
	named = strings.TrimSuffix(named, "-dirty")
	if commit := Commit(); len(named) < 7 || !strings.HasPrefix(commit, named) {
		return BuildVersion + " (commit " + commit + ", " + runtime.Version() + ")"
	}
	return BuildVersion + " (" + runtime.Version() + ")"
}

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
