// Package layout_test holds the code to its layout: which floor a package stands on and what it may import,
// which package alone knows an outside library, what must stay pure, and how large things may grow.
package layout_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the path of the module that the tests run in.
var module = func() string {
	out, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
}()

// floors lists the rooms from the top of the house down. A room imports rooms of lower floors only: nothing upward,
// and nothing on its own floor, so the three wings do not know one another. A room is a folder below cmd or internal,
// with all packages below it.
var floors = [][]string{
	{"cmd/orchestrator", "cmd/orchestrator-hook", "cmd/bench", "cmd/torture"},
	{"internal/daemon"},
	{"internal/httpapi", "internal/operator"},
	{"internal/auditor"},
	{"internal/requirements", "internal/boundary", "internal/conductor"},
	{"internal/agentclient", "internal/token", "internal/apiclient"},
	{"internal/rules", "internal/ledger"},
	{"internal/system"},
	{"internal/strictjson", "internal/secret", "internal/datadir", "schemas", "api"},
	{"internal/fault"},
}

// public lists, for each room, the packages that other rooms may import besides the one the room is named after. All
// others are private.
var public = map[string][]string{
	"internal/agentclient": {"settings"},
	"internal/auditor":     {"replay", "witness"},
	"internal/boundary":    {"control", "doctor", "folder", "hook", "install", "record", "report"},
	"internal/conductor":   {"contract", "drive", "language", "prompt", "state", "tools"},
	"internal/daemon":      {"project"},
	"internal/httpapi":     {"problem"},
	"internal/ledger":      {"audit", "store", "store/boltstore"},
	"internal/operator":    {"backup", "database", "exportfile", "keyfile", "offline", "tokens"},
	"internal/requirements": {"documents", "drift", "evidence", "projection", "record", "replay", "reqdoc", "review",
		"review/render", "trace"},
	"internal/rules": {"actorname", "boundary", "lifecycle", "planning"},
	"internal/system": {"child", "clockjump", "durable", "git", "gitignore", "measure", "runner", "shellquote", "tree",
		"watch"},
}

// throughTheWall lists the few imports that the floors forbid, each with its reason.
var throughTheWall = map[string]map[string]string{
	"cmd/bench": {
		"internal/boundary/shell": "measures the reading of one command line",
	},
}

// above lists the packages that stand above the room they lie in, being forms or clients of it: they may import their
// parent, which must not import them.
var above = []string{
	"internal/agentclient/settings", "internal/auditor/witness", "internal/boundary/boundarytest",
	"internal/conductor/drive", "internal/daemon/bridge",
	"internal/ledger/store/boltstore", "internal/ledger/store/storetest", "internal/requirements/requirementstest",
	"internal/requirements/review/render", "internal/requirements/review/reviewtest",
}

// onlyIn lists the outside packages that one of our packages, or a few, keep from all others.
var onlyIn = map[string][]string{
	"github.com/go-chi/chi":                 {"internal/httpapi"},
	"go.etcd.io/bbolt":                      {"internal/ledger/store/boltstore"},
	"github.com/santhosh-tekuri/jsonschema": {"schemas"},
	"github.com/rs/zerolog": {"cmd/orchestrator", "internal/daemon", "internal/daemon/project",
		"internal/httpapi"},
	"github.com/prometheus/client_golang": {"internal/daemon", "internal/httpapi"},
	"github.com/spf13/":                   {"cmd/orchestrator"},
	"github.com/tailscale/hujson":         {"internal/agentclient/settings"},
	"github.com/yuin/goldmark":            {"internal/requirements/markdown", "internal/requirements/reqdoc"},
	"github.com/fsnotify/fsnotify":        {"internal/system/watch"},
	"github.com/aymanbagabas/go-udiff":    {"internal/requirements/drift"},
	"golang.org/x/mod":                    {"internal/ledger/audit", "internal/auditor", "internal/ledger"},
	"cel.dev/":                            {"internal/conductor/contract"},
	"go.yaml.in/yaml":                     {"internal/conductor/contract"},
	"golang.org/x/text":                   {"schemas", "internal/conductor/lettercount", "internal/rules/actorname"},
	"github.com/modelcontextprotocol/":    {"internal/system/runner"},
	"golang.org/x/sys": {"internal/system/runner", "internal/system/measure",
		"internal/system/measure", "internal/ledger/store/boltstore"},
	"mvdan.cc/sh":                   {"internal/boundary/shell", "internal/boundary/doctor", "cmd/bench"},
	"github.com/getkin/kin-openapi": {}, // tests only
	"github.com/stretchr/testify": {
		"internal/ledger/store/storetest", "internal/boundary/boundarytest", "internal/requirements/review/reviewtest",
	},

	// Programs are started below system, where they are bounded, by the boundary, which calls clients as their users
	// do, and by the two programs that measure others.
	"os/exec": {
		"internal/system/child", "internal/system/git", "internal/system/runner",
		"internal/boundary/doctor", "internal/boundary/install", "cmd/bench", "cmd/torture",
	},
	// Connections are made below system, by the doors and the process, by the client of the API, and by the language
	// model's.
	"net/http": {
		"internal/system/runner", "internal/httpapi", "internal/httpapi/problem", "internal/apiclient",
		"internal/conductor/language", "internal/daemon", "cmd/bench", "cmd/torture",
	},
}

// pure packages do no I/O, read no clock and draw no randomness.
var pure = []string{
	"internal/rules/lifecycle", "internal/rules/boundary", "internal/rules/planning", "internal/rules/actorname",
	"internal/boundary/shell", "internal/agentclient", "internal/ledger/audit",
	"internal/ledger/store/boltstore/file", "internal/strictjson", "internal/secret",
	"internal/fault", "internal/requirements/review", "internal/requirements/review/render",
	"internal/requirements/reqdoc", "internal/requirements/markdown",
	"internal/requirements/idmatch", "internal/requirements/testreport", "internal/requirements/decision",
	"internal/conductor/arith",
	"internal/conductor/datalog", "internal/conductor/lettercount", "internal/conductor/normalize",
}

var impure = []string{
	"os", "net", "net/http", "io/fs", "os/exec", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "path/filepath",
}

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

// packages lists the packages of the module that have code besides tests, with paths relative to the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module+"/")
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
}

// source reads a file of p.
func (p pkg) source(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(p.Dir, file))
	require.NoError(t, err)
	return string(content)
}

// roomOf returns the room that a package lies in.
func roomOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// floorOf returns the floor of a room, counted from the top, or -1.
func floorOf(room string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool { return slices.Contains(rooms, room) })
}

// TestEveryPackageIsSeen: a list that begins at internal/ would pass without cmd, api and schemas.
func TestEveryPackageIsSeen(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.ImportPath] = true
		require.NotEqual(t, -1, floorOf(roomOf(p.ImportPath)), "%s stands on no floor: decide where", p.ImportPath)
	}
	for _, name := range []string{"cmd/orchestrator", "cmd/orchestrator-hook", "api", "schemas"} {
		require.True(t, seen[name], "%s is not among the packages", name)
	}
	for room, names := range public {
		for _, name := range names {
			require.True(t, seen[room+"/"+name], "%s/%s is named as public and does not exist", room, name)
		}
	}
}

func TestTheDirectionOfImports(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			ours, internal := strings.CutPrefix(path, module+"/")
			if !internal {
				continue
			}
			if throughTheWall[p.ImportPath][ours] != "" {
				used[p.ImportPath+" "+ours] = true
				continue
			}
			require.Empty(t, forbidden(p.ImportPath, ours), "%s imports %s", p.ImportPath, ours)
		}
	}
	for from, paths := range throughTheWall {
		for to := range paths {
			require.True(t, used[from+" "+to], "the exception for %s → %s is not needed", from, to)
		}
	}
}

// forbidden returns why from may not import to, or "".
func forbidden(from, to string) string {
	room, other := roomOf(from), roomOf(to)
	switch {
	case room == other:
		return forbiddenInside(from, to)
	case floorOf(other) <= floorOf(room):
		return other + " is not below " + room
	case to != other && !slices.Contains(public[other], strings.TrimPrefix(to, other+"/")):
		return "it is private to " + other
	}
	return ""
}

// forbiddenInside returns why from may not import to in the same room, or "": children stand below their parents,
// but for those that are named in above.
func forbiddenInside(from, to string) string {
	switch {
	case strings.HasPrefix(from, to+"/") && !slices.Contains(above, from):
		return "a child does not import its parent"
	case strings.HasPrefix(to, from+"/") && slices.Contains(above, to):
		return "it stands above its parent"
	}
	return ""
}

func TestOutsidePackagesHaveTheirRooms(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			for library, owners := range onlyIn {
				if path == library || strings.HasPrefix(path, strings.TrimSuffix(library, "/")+"/") {
					require.Contains(t, owners, p.ImportPath, "%s imports %s", p.ImportPath, path)
				}
			}
		}
	}
}

func TestPurePackagesStayPure(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.ImportPath) {
			continue
		}
		seen[p.ImportPath] = true
		for _, path := range p.Imports {
			require.NotContains(t, impure, path, "%s imports %s", p.ImportPath, path)
		}
		for _, file := range p.GoFiles {
			require.NotContains(t, p.source(t, file), "time.Now(", "%s/%s reads the clock", p.ImportPath, file)
		}
	}
	for _, name := range pure {
		require.True(t, seen[name], "%s is named as pure and does not exist", name)
	}
}
