// Package layout_test holds the code to the layout that the README describes: who may import whom, which
// package alone knows an outside library, what must stay pure, and how large a file may grow.
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

const module = "orchestrator"

// mayImport lists, for each of our packages, which of our packages it may import. Direction: cmd, then
// httpapi, then the use cases, then rules and ledger, then what everything rests on. Nothing upward, nothing
// sideways between use cases.
var mayImport = map[string][]string{
	"cmd/orchestrator": {
		"internal/requirements/drift", "internal/boundary/report", "internal/httpapi", "internal/requirements", "internal/boundary/control", "internal/conductor", "internal/daemon/bridge", "internal/conductor/drive", "internal/conductor/prompt", "internal/conductor/contract", "internal/conductor/tools", "internal/conductor/language", "internal/conductor/state", "internal/rules/planning", "internal/boundary/hook", "internal/agentclient", "internal/agentclient/settings", "internal/boundary/install", "internal/boundary/doctor", "internal/boundary/folder", "internal/ledger", "internal/ledger/store/boltstore",
		"internal/rules/lifecycle", "internal/rules/boundary",
		"internal/requirements/evidence", "internal/requirements/projection", "internal/requirements/review", "internal/operator/backup", "internal/auditor", "internal/apiclient", "internal/requirements/reqdoc", "internal/requirements/trace", "internal/secret", "internal/token", "internal/system/gitignore", "internal/system/watch", "internal/auditor/witness", "internal/ledger/audit", "internal/system/clockjump", "internal/system/durable", "internal/system/tree", "internal/fault",
	},
	"cmd/orchestrator-hook":    {"internal/boundary/hook"},
	"internal/operator/backup": {"internal/auditor", "internal/requirements", "internal/requirements/record", "internal/ledger", "internal/ledger/store/boltstore", "internal/ledger/audit", "internal/system/durable", "internal/system/tree", "internal/fault"},
	"internal/auditor":         {"internal/auditor/replay", "internal/requirements/projection", "internal/requirements/record", "internal/ledger", "internal/ledger/store", "internal/ledger/audit", "internal/apiclient", "internal/system/git", "internal/fault"},
	"internal/auditor/replay":  {"internal/requirements/replay", "internal/boundary/record", "internal/conductor/state", "internal/requirements/projection", "internal/requirements/record", "internal/ledger", "internal/ledger/audit", "internal/ledger/store"},
	"internal/httpapi": {
		"internal/requirements/drift", "internal/boundary/report", "api", "schemas", "internal/requirements", "internal/boundary/control", "internal/conductor", "internal/conductor/drive", "internal/conductor/language", "internal/rules/planning", "internal/ledger", "internal/ledger/audit", "internal/requirements/reqdoc", "internal/rules/lifecycle", "internal/rules/boundary", "internal/strictjson", "internal/requirements/review", "internal/secret", "internal/token", "internal/fault",
	},
	"internal/requirements": {
		"internal/requirements/record", "internal/requirements/decision", "internal/requirements/drift", "internal/rules/lifecycle", "internal/requirements/projection", "internal/ledger", "internal/ledger/audit", "internal/ledger/store", "internal/requirements/reqdoc",
		"internal/requirements/evidence", "internal/requirements/testreport", "internal/requirements/idmatch", "internal/requirements/review", "internal/secret", "internal/strictjson", "internal/fault",
	},
	"internal/requirements/decision":   {"schemas", "internal/requirements/record", "internal/rules/lifecycle", "internal/secret", "internal/strictjson", "internal/fault"},
	"internal/requirements/drift":      {"internal/requirements/decision", "internal/requirements/projection", "internal/requirements/record", "internal/requirements/reqdoc", "internal/ledger", "internal/ledger/audit", "internal/ledger/store", "internal/rules/lifecycle", "internal/secret", "internal/fault"},
	"internal/requirements/replay":     {"internal/requirements/decision", "internal/requirements/projection", "internal/requirements/record", "internal/ledger", "internal/ledger/audit", "internal/ledger/store", "internal/rules/lifecycle", "internal/fault"},
	"internal/requirements/record":     {"internal/ledger", "internal/ledger/audit", "internal/ledger/store", "internal/requirements/projection", "internal/requirements/testreport", "internal/rules/lifecycle", "internal/fault"},
	"internal/requirements/projection": {"internal/rules/lifecycle", "internal/ledger", "internal/ledger/audit", "internal/system/tree", "internal/fault"},
	"internal/ledger":                  {"internal/ledger/audit", "internal/ledger/store", "internal/fault"},
	"internal/ledger/store/boltstore":  {"internal/ledger/store", "internal/fault"},
	"internal/ledger/store/storetest":  {"internal/ledger/store", "internal/fault"},
	"internal/ledger/store":            {"internal/fault"},
	"internal/rules/lifecycle":         {"internal/rules/actorname", "internal/fault"},
	"internal/rules/planning":          {},
	"internal/requirements/review":     {"internal/rules/lifecycle", "internal/fault"},
	"internal/conductor/language":      {"internal/rules/planning", "internal/rules/lifecycle", "internal/strictjson", "internal/fault"},
	"internal/requirements/reqdoc":     {"internal/requirements/markdown", "internal/fault"},
	"internal/requirements/trace":      {"internal/requirements/reqdoc", "internal/requirements/idmatch", "internal/system/git", "internal/fault"},
	"internal/requirements/markdown":   {"internal/fault"},
	"internal/strictjson":              {"internal/fault"},
	"internal/conductor/contract":      {"schemas", "internal/rules/planning", "internal/strictjson", "internal/system/tree", "internal/fault"},
	"internal/requirements/testreport": {"internal/fault"},
	"internal/requirements/idmatch":    {},
	"internal/secret":                  {"internal/fault"},
	"internal/rules/actorname":         {},
	"internal/system/clockjump":        {},
	"internal/requirements/evidence":   {"internal/rules/lifecycle", "internal/requirements/testreport", "internal/system/git", "internal/system/tree", "internal/fault"},
	"internal/system/git":              {},
	"internal/system/gitignore":        {"internal/system/git", "internal/system/durable"},
	"internal/token":                   {"internal/rules/actorname", "internal/secret", "internal/system/durable", "internal/system/tree", "internal/fault"},
	"internal/system/child":            {},
	"internal/apiclient":               {"internal/fault"},
	"internal/auditor/witness":         {"internal/ledger/audit", "internal/system/durable", "internal/system/tree", "internal/fault"},
	"schemas":                          {"internal/fault"},
	"internal/ledger/audit":            {},
	"internal/system/durable":          {"internal/system/tree"},
	"internal/system/tree":             {},
	"internal/fault":                   {},
	"internal/system/watch":            {"internal/system/tree"},
	"internal/agentclient":             {"internal/rules/boundary"},
	"internal/agentclient/settings":    {"internal/system/durable", "internal/fault"},
	"internal/system/runner":           {"internal/fault"},
	"internal/boundary/record":         {"internal/ledger", "internal/ledger/audit", "internal/ledger/store"},
	"internal/conductor/state":         {"internal/rules/planning", "internal/ledger", "internal/ledger/audit", "internal/ledger/store", "internal/strictjson", "internal/fault"},
	"internal/conductor": {
		"internal/conductor/contract", "internal/conductor/tools", "internal/system/runner", "internal/conductor/language", "internal/conductor/state", "internal/rules/planning", "internal/ledger", "internal/ledger/audit", "internal/secret", "internal/strictjson", "internal/fault",
	},
	"internal/daemon/bridge": {
		"internal/conductor", "internal/conductor/drive", "internal/conductor/prompt", "internal/token", "internal/requirements", "internal/auditor", "internal/requirements/projection", "internal/ledger", "internal/ledger/audit", "internal/rules/lifecycle", "internal/rules/planning", "internal/fault",
	},
	"internal/conductor/drive":  {"internal/conductor", "internal/conductor/state", "internal/rules/planning", "internal/secret", "internal/fault"},
	"internal/conductor/prompt": {"internal/system/tree", "internal/fault"},

	"internal/boundary/hook":         {"internal/agentclient", "internal/boundary/folder", "internal/rules/boundary", "internal/boundary/shell", "internal/fault"},
	"internal/boundary/install":      {"internal/boundary/control", "internal/agentclient/settings", "internal/boundary/folder", "internal/system/git", "internal/fault"},
	"internal/boundary/report":       {"internal/boundary/folder", "internal/rules/boundary", "internal/fault"},
	"internal/boundary/boundarytest": {"internal/boundary/control", "internal/boundary/report", "internal/boundary/folder", "internal/rules/boundary", "internal/ledger", "internal/ledger/store", "internal/fault"},
	"internal/boundary/doctor": {"internal/boundary/report",
		"internal/boundary/control", "internal/boundary/hook", "internal/agentclient", "internal/agentclient/settings", "internal/boundary/folder", "internal/rules/boundary", "internal/system/git", "internal/fault",
	},
	"internal/boundary/control": {
		"internal/boundary/report", "internal/boundary/record", "internal/boundary/folder", "internal/rules/boundary", "internal/ledger", "internal/ledger/store", "internal/secret", "internal/system/durable", "internal/fault",
	},
	"internal/boundary/folder": {"internal/rules/boundary", "internal/system/durable", "internal/system/tree", "internal/strictjson", "internal/fault"},
	"internal/rules/boundary":  {"internal/fault"},
	"internal/boundary/shell":  {},

	"internal/conductor/tools":       {"internal/rules/planning", "internal/conductor/arith", "internal/conductor/datalog", "internal/conductor/lettercount", "internal/conductor/normalize", "internal/fault"},
	"internal/conductor/arith":       {"internal/fault"},
	"internal/conductor/datalog":     {"internal/fault"},
	"internal/conductor/lettercount": {"internal/fault"},
	"internal/conductor/normalize":   {"internal/fault"},

	"api": {},
	"cmd/bench": {
		"internal/system/child", "internal/requirements", "internal/requirements/projection", "internal/ledger", "internal/ledger/audit", "internal/requirements/evidence", "internal/requirements/reqdoc", "internal/rules/lifecycle",
		"internal/ledger/store", "internal/ledger/store/boltstore", "internal/boundary/folder", "internal/rules/boundary", "internal/boundary/shell", "internal/rules/planning", "internal/fault",
	},
	"cmd/torture": {"internal/system/child"},
}

// onlyIn lists the outside libraries that one package, or a few, keep from all others.
var onlyIn = map[string][]string{
	"github.com/go-chi/chi":                 {"internal/httpapi"},
	"go.etcd.io/bbolt":                      {"internal/ledger/store/boltstore"},
	"github.com/santhosh-tekuri/jsonschema": {"schemas"},
	"github.com/rs/zerolog":                 {"cmd/orchestrator", "internal/httpapi"},
	"github.com/prometheus/client_golang":   {"cmd/orchestrator", "internal/httpapi"},
	"github.com/spf13/":                     {"cmd/orchestrator"},
	"github.com/yuin/goldmark":              {"internal/requirements/markdown", "internal/requirements/reqdoc"},
	"github.com/fsnotify/fsnotify":          {"internal/system/watch"},
	"github.com/aymanbagabas/go-udiff":      {"internal/requirements/drift"},
	"golang.org/x/mod":                      {"internal/ledger/audit", "internal/auditor", "internal/ledger"},
	"github.com/joshdk/go-junit":            {"internal/requirements/testreport"},
	"cel.dev/":                              {"internal/conductor/contract"},
	"go.yaml.in/yaml":                       {"internal/conductor/contract"},
	"golang.org/x/text":                     {"schemas", "internal/conductor/lettercount", "internal/rules/actorname"},
	"github.com/modelcontextprotocol/":      {"internal/system/runner"},
	"golang.org/x/sys":                      {"internal/system/runner", "internal/ledger/store/boltstore"},
	"mvdan.cc/sh":                           {"internal/boundary/shell", "internal/boundary/doctor", "cmd/bench"},
	"github.com/getkin/kin-openapi":         {}, // tests only
	"github.com/stretchr/testify":           {"internal/ledger/store/storetest", "internal/boundary/boundarytest"},
}

// pure packages do no I/O, read no clock and draw no randomness.
var pure = []string{
	"internal/rules/lifecycle", "internal/rules/boundary", "internal/boundary/shell", "internal/rules/planning", "internal/requirements/review", "internal/ledger/audit", "internal/requirements/reqdoc", "internal/requirements/markdown", "internal/requirements/decision", "internal/strictjson",
	"internal/requirements/idmatch", "internal/secret", "internal/rules/actorname", "internal/requirements/testreport", "internal/agentclient", "internal/fault",
	"internal/conductor/arith", "internal/conductor/datalog", "internal/conductor/lettercount", "internal/conductor/normalize",
}

var impure = []string{"os", "net", "net/http", "io/fs", "os/exec", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "path/filepath"}

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

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

// TestEveryPackageIsSeen: a list that begins at internal/ would pass without cmd, api and schemas.
func TestEveryPackageIsSeen(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.ImportPath] = true
	}
	for _, name := range []string{"cmd/orchestrator", "cmd/orchestrator-hook", "api", "schemas"} {
		require.True(t, seen[name], "%s is not among the packages", name)
	}
}

func TestTheDirectionOfImports(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.ImportPath] = true
		allowed, known := mayImport[p.ImportPath]
		require.True(t, known, "package %q has no row in mayImport: decide where it stands", p.ImportPath)
		for _, path := range p.Imports {
			ours, internal := strings.CutPrefix(path, module+"/")
			if internal {
				require.Contains(t, allowed, ours, "%s imports %s", p.ImportPath, ours)
			}
			for library, owners := range onlyIn {
				if strings.HasPrefix(path, library) {
					require.Contains(t, owners, p.ImportPath, "%s imports %s", p.ImportPath, path)
				}
			}
		}
	}
	for name := range mayImport {
		require.True(t, seen[name], "mayImport has a row for %q, which does not exist", name)
	}
}

func TestPurePackagesStayPure(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.ImportPath) {
			continue
		}
		for _, path := range p.Imports {
			require.NotContains(t, impure, path, "%s imports %s", p.ImportPath, path)
		}
		for _, file := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			require.NotContains(t, string(source), "time.Now(", "%s/%s reads the clock", p.ImportPath, file)
		}
	}
}

func TestFilesStaySmall(t *testing.T) {
	for _, p := range packages(t) {
		for _, file := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			require.LessOrEqual(t, strings.Count(string(source), "\n"), 400, "%s/%s", p.ImportPath, file)
		}
	}
}
