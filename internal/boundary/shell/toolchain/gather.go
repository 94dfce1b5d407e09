package toolchain

import (
	"slices"
	"strings"
)

// gathering are the rows of commands that look for the code they run, or for settings that are code, in the folders
// below those that they are given, in the order of their names. What a project's own targets and scripts call may do
// so.
var gathering = []string{"bun run", "bun test", "dotnet build", "dotnet pack", "dotnet publish", "dotnet test",
	"eslint", "gmake", "go test", "jest", "just", "make", "mocha", "node --test", "nox", "npm run", "npm run-script",
	"npm t", "npm test", "playwright test", "pnpm", "pnpm run", "pnpm test", "prettier", "py.test", "pytest",
	"python -m pytest", "python -m unittest", "stylelint", "task", "tox", "turbo run", "vitest", "vitest run", "yarn",
	"yarn run", "yarn test"}

// filtering are those of which a word chooses among all that is found, by a part of the path.
var filtering = []string{"bun test", "jest", "playwright test", "vitest", "vitest run"}

// Gathers returns the folder below which a command looks for the code that it runs, for one of its words or, with an
// empty word, without any; false where it runs only what is named.
func (r Row) Gathers(word string) (folder string, found bool) {
	if _, found = slices.BinarySearch(gathering, r.Name); !found {
		return "", false
	}
	at := strings.IndexAny(word, "*?[{(")
	switch {
	case r.Name == "go test":
		if at = strings.Index(word, "..."); at < 0 {
			return "", false
		}
	case word == "", slices.Contains(filtering, r.Name):
		return ".", true
	case at < 0:
		return r.Place(word), true
	}
	return word[:strings.LastIndexByte(word[:at], '/')+1] + ".", true
}
