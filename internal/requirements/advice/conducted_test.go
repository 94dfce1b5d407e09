package advice

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	aFix     = regexp.MustCompile(`WithFix\("((?:[^"\\]|\\.)*)"`)
	aRequest = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE) /[^ ;,)]*`)
)

// withoutCommand are the requests that fixes of the conductor name and that no command makes.
var withoutCommand = []string{"GET /schemas/obligations.schema.json", "PATCH /requirements/{id}"}

// Each request that a fix of the conductor names has a command, which takes its place where a person reads it.
func TestTheFixesOfTheConductorHaveCommands(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../../conductor", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range aFix.FindAllStringSubmatch(string(source), -1) {
			fix := strings.ReplaceAll(strings.ReplaceAll(m[1], `\"`, `"`), "%s", "5d41402abc4b2a76")
			found += len(aRequest.FindAllString(fix, -1))
			for _, left := range aRequest.FindAllString(Typed("ID", fix), -1) {
				require.True(t, slices.Contains(withoutCommand, left), "%s: %q has no command for %s", path, fix, left)
			}
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, found, 8)
}

func TestRequestsOfTheConductorAreCommands(t *testing.T) {
	for request, want := range map[string]string{
		"GET /schedules lists them":                                            "orchestrator schedules list lists them",
		"DELETE /schedules/{id} ends one":                                      "orchestrator schedules end ID ends one",
		"GET /tools lists what there is":                                       "orchestrator tools list lists what there is",
		"GET /traces/{run} has it":                                             "orchestrator conduct --trace RUN has it",
		"GET /traces/5d41 says how":                                            "orchestrator conduct --trace 5d41 says how",
		"GET /obligations lists the runs":                                      "orchestrator answer lists the runs that ask you something",
		"Answer with POST /obligations/5d41/answers {\"obligation\":\"o4.1\"}": "Answer with orchestrator answer 5d41 o4.1 VALUE",
	} {
		require.Equal(t, want, Typed("ID", request))
	}
}
