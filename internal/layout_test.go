// Package layout_test holds the code to its layout: which layer a package stands on and what it may import,
// which package alone knows an outside library, what must stay pure, and how large things may grow.
package layout_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers lists the folders from the top down. A folder imports folders of lower layers only: nothing upward,
// and nothing on its own layer, so the three subsystems do not know one another. A folder is a folder below cmd or
// internal, with all packages below it.
var layers = [][]string{
	{"cmd/orchestrator", "cmd/orchestrator-hook", "cmd/bench", "cmd/torture", "cmd/checkclients", "cmd/openapi", "cmd/sbom"},
	{"internal/daemon"},
	{"internal/httpapi", "internal/operator"},
	{"internal/auditor"},
	{"internal/requirements", "internal/boundary", "internal/conductor", "internal/webhook"},
	{"internal/agentclient", "internal/token", "internal/apiclient"},
	{"internal/rules", "internal/ledger"},
	{"internal/system"},
	{"internal/strictjson", "internal/secret", "internal/datadir", "schemas", "api"},
	{"internal/fault"},
}

// public lists, for each folder, the packages that other folders may import besides the one the folder is named after.
// All others are private.
var public = map[string][]string{
	"internal/agentclient": {"commandline", "frontmatter", "probe", "settings"},
	"internal/auditor":     {"replay", "witness"},
	"internal/boundary":    {"control", "doctor", "finish", "folder", "hook", "install", "record", "report"},
	"internal/conductor": {"account", "builtin", "contract", "drive", "evaluating", "language", "language/chat", "language/translator", "outside", "prompt", "schedule", "state",
		"timetable", "tools", "worktree"},
	"internal/daemon":  {"duty", "project"},
	"internal/httpapi": {"mcp"},
	"internal/ledger": {"audit", "feed", "following", "moved", "readahead", "store", "store/boltstore", "store/pgstore", "store/pgstore/inspect",
		"store/pgstore/postgres", "thread"},
	"internal/operator": {"adopting", "applying", "backup", "config", "database", "doctor", "exportfile", "keyfile", "localservice", "merging", "moving", "offline", "setup", "since", "storage", "tokens", "unfinished",
		"webhooks"},
	"internal/requirements": {"adoption", "advice", "agenda", "choices", "credentials", "documents", "drift", "evidence", "finished", "guidance", "lookup", "origin",
		"pending", "premise", "progress", "projection", "proposal", "qualify", "record", "renames", "replay", "reqdoc", "review", "review/render",
		"trace"},
	"internal/rules": {"actorname", "boundary", "boundary/reviewing", "boundary/share", "claiming", "lifecycle", "planning", "planning/flow",
		"renaming", "repeating"},
	"internal/webhook": {"folder", "hook", "posting", "record", "sending"},
	"internal/system":  {"background", "child", "clockjump", "durable", "editor", "git", "gitignore", "jsonobject", "lazyregexp", "loopdisk", "marked", "outbound", "program", "runner", "shellquote", "tracing", "tree", "watch"},
}

// forTests lists the packages that tests import, of whichever folder, and nothing else does.
var forTests = []string{
	"cmd/orchestrator/output/outputtest",
	"internal/boundary/boundarytest", "internal/httpapi/web/pagetest", "internal/ledger/store/pgstore/pgtest",
	"internal/ledger/store/storetest",
	"internal/requirements/review/reviewtest", "internal/system/jsonobject/jsonobjecttest", "internal/system/measure",
}

// exempt lists the few imports that the layers forbid, each with its reason.
var exempt = map[string]map[string]string{
	"cmd/bench/guard": {
		"internal/boundary/shell": "measures the reading of one command line",
	},
	"cmd/bench/replicas": {
		"cmd/torture/fleet": "measures the silence after a promotion by the clients that judge what is lost",
	},
}

// testsExempt lists the few imports of tests that the layers forbid, each with its reason.
var testsExempt = map[string]map[string]string{
	"internal/boundary/control": {
		"internal/auditor/replay": "what was recorded is verified as an outsider verifies it",
	},
	"internal/httpapi": {
		"internal/daemon/bridge": "the transcripts are of the whole service",
	},
	"internal/requirements": {
		"internal/auditor/replay":  "what was recorded is verified as an outsider verifies it",
		"internal/boundary/record": "a random log has the records of another subsystem between its own",
	},
	"internal/webhook/record": {
		"internal/auditor/replay": "what was recorded is verified as an outsider verifies it",
	},
	"internal/secret": {
		"internal/ledger/audit": "makes the signing keys that must be found",
	},
	"schemas": {
		"internal/boundary/folder": "the schema of the policy and the program must not differ",
		"internal/rules/boundary":  "the schema of the policy and the program must not differ",
		"internal/rules/planning":  "the schema of obligations has the types of the rules",
	},
}

// above lists the packages that stand above the folder they lie in, being forms or clients of it: they may import their
// parent, which must not import them.
var above = []string{
	"internal/agentclient/commandline", "internal/agentclient/settings", "internal/conductor/drive",
	"internal/conductor/language/translator", "internal/conductor/timetable",
	"internal/ledger/feed",
	"internal/ledger/store/boltstore", "internal/ledger/store/onefile", "internal/ledger/store/pgstore",
	"internal/ledger/store/tail", "internal/ledger/store/storetest",
	"internal/ledger/thread",
	"internal/requirements/review/render", "internal/requirements/review/reviewtest", "internal/rules/planning/flow",
}

// everywhere lists the outside packages that any of ours may import.
var everywhere = []string{"github.com/go-json-experiment/json"}

// onlyIn lists, for every other outside package, in its version and with all below it, those of ours that keep it from
// all others. Two packages of the standard library are kept in the same way.
var onlyIn = map[string][]string{
	"github.com/BurntSushi/toml":        {"internal/agentclient/settings"},
	"github.com/CycloneDX/cyclonedx-go": {"cmd/sbom"},
	"github.com/aymanbagabas/go-udiff":  {"internal/requirements/drift"},
	"github.com/anishathalye/porcupine": {"cmd/torture/linear"},
	"github.com/cespare/xxhash/v2":      {"internal/ledger"},
	"github.com/fsnotify/fsnotify":      {"internal/system/watch"},
	"github.com/go-chi/chi/v5":          {"internal/httpapi", "internal/httpapi/web", "cmd/bench/baseline"},
	"github.com/jackc/pgx/v5":           {"cmd/bench/baseline", "cmd/bench/replicas", "internal/ledger/store/pgstore/session"},
	"github.com/google/jsonschema-go":   {"internal/httpapi/mcp/tools"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/httpapi/mcp", "internal/httpapi/mcp/rest", "internal/httpapi/mcp/tools",
		"internal/system/runner", "cmd/orchestrator/mcpcmd"},
	"github.com/prometheus/client_golang":      {"internal/daemon", "internal/httpapi"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"schemas"},
	"github.com/spf13/cobra": {
		"cmd/orchestrator", "cmd/orchestrator/adoptcmd", "cmd/orchestrator/boundarycmd", "cmd/orchestrator/cli",
		"cmd/orchestrator/cli/person", "cmd/orchestrator/cli/setting", "cmd/orchestrator/cli/storeflag",
		"cmd/orchestrator/clientcmd",
		"cmd/orchestrator/clientcmd/typed", "cmd/orchestrator/completion",
		"cmd/orchestrator/conductcmd", "cmd/orchestrator/exported", "cmd/orchestrator/gitcmd", "cmd/orchestrator/logcmd", "cmd/orchestrator/mcpcmd",
		"cmd/orchestrator/projectcmd", "cmd/orchestrator/webhookcmd",
	},
	"github.com/spf13/pflag": {"cmd/orchestrator", "cmd/orchestrator/cli", "cmd/orchestrator/cli/exportflag", "cmd/orchestrator/cli/setting", "cmd/orchestrator/clientcmd", "cmd/orchestrator/clientcmd/typed"},
	"github.com/stretchr/testify": {
		"cmd/orchestrator/output/outputtest", "internal/httpapi/web/pagetest", "internal/ledger/store/storetest",
		"internal/ledger/store/pgstore/pgtest", "internal/boundary/boundarytest", "internal/requirements/review/reviewtest",
		"internal/system/jsonobject/jsonobjecttest",
	},
	"github.com/rs/zerolog": {
		"cmd/orchestrator", "internal/daemon", "internal/daemon/credentials", "internal/daemon/joining",
		"internal/daemon/project", "internal/daemon/webhooks",
		"internal/httpapi",
	},
	"github.com/tailscale/hujson": {"internal/agentclient/settings"},
	"github.com/yuin/goldmark":    {"internal/requirements/markdown", "internal/requirements/reqdoc"},
	"github.com/tidwall/btree":    {"internal/ledger/store/overlay"},
	"go.etcd.io/bbolt":            {"internal/ledger/store/onefile"},
	"go.mau.fi/util":              {"internal/requirements/reqid"},
	"go.yaml.in/yaml/v3":          {"internal/conductor/contract", "internal/operator/config", "internal/requirements/proposal", "cmd/openapi"},
	"cel.dev/cel-go":              {"internal/conductor/contract"},
	"golang.org/x/mod":            {"internal/ledger/audit", "internal/auditor", "internal/ledger", "internal/ledger/rows"},
	"golang.org/x/net":            {"internal/conductor/normalize"},
	"golang.org/x/sys": {
		"internal/system/loopdisk", "internal/system/runner", "internal/system/tree", "internal/system/measure", "internal/ledger/store/onefile", "internal/ledger/store/wal",
		"cmd/orchestrator/output/outputtest",
	},
	"golang.org/x/term":  {"cmd/orchestrator", "cmd/orchestrator/adoptcmd", "cmd/orchestrator/boundarycmd", "cmd/orchestrator/clientcmd", "cmd/orchestrator/output", "cmd/orchestrator/projectcmd"},
	"golang.org/x/text":  {"cmd/orchestrator/output", "internal/conductor/lettercount", "internal/rules/actorname"},
	"golang.org/x/time":  {"internal/token"},
	"mvdan.cc/sh/v3":     {"internal/boundary/shell", "internal/boundary/doctor", "cmd/bench/guard"},
	"pgregory.net/rapid": {"internal/ledger/store/storetest", "internal/system/jsonobject/jsonobjecttest"},

	// Programs are started below system, where they are bounded, by the boundary, which calls clients as their users
	// do, by tests that need a server, and by the programs that measure others and drive clients.
	"os/exec": {
		"internal/system/background", "internal/system/child", "internal/system/editor", "internal/system/git", "internal/system/runner",
		"internal/ledger/store/pgstore/postgres", "internal/boundary/doctor", "internal/boundary/install", "cmd/bench", "cmd/bench/fixture", "cmd/bench/streams",
		"cmd/torture",
		"cmd/checkclients/check", "cmd/checkclients/client", "cmd/checkclients/sandbox",
	},
	// Connections are made below system, by the API and its client, by the process, by the client of a language model,
	// and by the programs that measure others and drive clients.
	"crypto/tls": {"internal/system/outbound", "internal/system/runner", "internal/daemon/listen", "internal/apiclient"},
	"net/http": {
		"internal/system/outbound", "internal/system/runner", "internal/webhook/posting", "internal/httpapi", "internal/httpapi/accounting", "internal/httpapi/changing", "internal/httpapi/fixed",
		"internal/httpapi/guarding", "internal/httpapi/inflight", "internal/httpapi/live", "internal/httpapi/mcp",
		"internal/httpapi/mcp/rest", "internal/httpapi/mcp/tools", "internal/httpapi/problem", "internal/httpapi/proving",
		"internal/httpapi/public", "internal/httpapi/reading", "internal/httpapi/replica",
		"internal/httpapi/reviewing", "internal/httpapi/scheduling",
		"internal/httpapi/web", "internal/httpapi/web/ask",
		"internal/httpapi/web/asset", "internal/httpapi/web/boundary", "internal/httpapi/web/dossier",
		"internal/httpapi/web/pagetest", "internal/httpapi/web/importing", "internal/httpapi/web/records",
		"internal/httpapi/web/traces",
		"internal/httpapi/web/workflow", "internal/httpapi/wire", "internal/apiclient", "internal/conductor/language/chat", "internal/daemon", "cmd/bench/baseline", "cmd/bench/http1", "cmd/bench/looking", "cmd/bench/replicas",
		"cmd/torture", "cmd/torture/fleet",
		"cmd/checkclients/model",
	},
}

// folderOf returns the folder that a package lies in.
func folderOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// layerOf returns the layer of a folder, counted from the top, or -1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(folders []string) bool { return slices.Contains(folders, folder) })
}

// TestEveryPackageIsSeen: a list that begins at internal/ would pass without cmd, api and schemas.
func TestEveryPackageIsSeen(t *testing.T) {
	seen, folders := map[string]bool{}, map[string]bool{}
	for _, p := range packages(t) {
		seen[p.ImportPath], folders[folderOf(p.ImportPath)] = true, true
		require.NotEqual(t, -1, layerOf(folderOf(p.ImportPath)), "%s stands on no layer: decide where", p.ImportPath)
	}
	for _, name := range []string{"cmd/orchestrator", "cmd/orchestrator-hook", "api", "schemas"} {
		require.True(t, seen[name], "%s is not among the packages", name)
	}
	for _, layer := range layers {
		for _, folder := range layer {
			require.True(t, folders[folder], "%s has a layer and no package", folder)
		}
	}
}

func TestTheDirectionOfImports(t *testing.T) {
	used := exceptions{}
	for _, p := range packages(t) {
		for _, path := range ours(p.Imports) {
			if !used.take(exempt, p.ImportPath, path) {
				require.Empty(t, forbidden(p.ImportPath, path), "%s imports %s", p.ImportPath, path)
			}
		}
	}
	used.requireAll(t, exempt)
}

// TestTheDirectionOfImportsOfTests: what a package is tested with, it can come to lean on.
func TestTheDirectionOfImportsOfTests(t *testing.T) {
	used := exceptions{}
	for _, p := range packages(t) {
		for _, path := range ours(union(p.TestImports, p.XTestImports)) {
			if !used.take(testsExempt, p.ImportPath, path) {
				require.Empty(t, forbiddenToTests(p.ImportPath, path), "a test of %s imports %s", p.ImportPath, path)
			}
		}
	}
	used.requireAll(t, testsExempt)
}

// exceptions says which imports are exempt.
type exceptions map[string]bool

// take reports whether a list lets an import through, and notes that it was needed for an import that is forbidden.
func (e exceptions) take(list map[string]map[string]string, from, to string) bool {
	if list[from][to] == "" {
		return false
	}
	e[from+" "+to] = forbidden(from, to) != ""
	return true
}

// requireAll fails unless each exception of a list was needed.
func (e exceptions) requireAll(t *testing.T, list map[string]map[string]string) {
	t.Helper()
	for from, paths := range list {
		for to := range paths {
			require.True(t, e[from+" "+to], "the exception for %s → %s is not needed", from, to)
		}
	}
}

// forbidden returns why from may not import to, or "".
func forbidden(from, to string) string {
	folder, other := folderOf(from), folderOf(to)
	switch {
	case slices.Contains(forTests, to) && !slices.Contains(forTests, from):
		return "it is for tests"
	case folder == other:
		return forbiddenInside(from, to)
	case layerOf(other) <= layerOf(folder):
		return other + " is not below " + folder
	case to != other && !slices.Contains(public[other], strings.TrimPrefix(to, other+"/")):
		return "it is private to " + other
	}
	return ""
}

// forbiddenInside returns why from may not import to in the same folder, or "": children stand below their parents,
// but for those that are named in above.
func forbiddenInside(from, to string) string {
	switch {
	case strings.HasPrefix(from, to+"/") && !(slices.Contains(above, from) && path.Dir(from) == to):
		return "a child does not import its parent"
	case strings.HasPrefix(to, from+"/") && slices.Contains(above, to):
		return "it stands above its parent"
	}
	return ""
}

// forbiddenToTests returns why a test of from may not import to, or "". It may import itself, what lies in its folder,
// even above it, and what is there for tests.
func forbiddenToTests(from, to string) string {
	if from == to || strings.HasPrefix(to, from+"/") || slices.Contains(forTests, to) {
		return ""
	}
	return forbidden(from, to)
}

// TestTheListsOfTheLayoutAreNeeded: a name that stands in a list for nothing would let something through later.
func TestTheListsOfTheLayoutAreNeeded(t *testing.T) {
	imported, tested, climbs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range packages(t) {
		for _, path := range ours(p.Imports) {
			if strings.HasPrefix(p.ImportPath, path+"/") {
				climbs[p.ImportPath] = true
			}
		}
		for _, path := range ours(union(p.TestImports, p.XTestImports)) {
			tested[path] = true
		}
		for _, path := range ours(slices.Concat(p.Imports, p.TestImports, p.XTestImports)) {
			if forbidden(p.ImportPath, path) == "" && folderOf(p.ImportPath) != folderOf(path) {
				imported[path] = true
			}
		}
	}
	for folder, names := range public {
		for _, name := range names {
			require.True(t, imported[folder+"/"+name], "%s/%s is public, and no other folder imports it", folder, name)
		}
	}
	for _, name := range forTests {
		require.True(t, tested[name], "%s is for tests, and no test imports it", name)
	}
	for _, name := range above {
		require.True(t, climbs[name], "%s stands above its parent, and does not import it", name)
	}
	for _, list := range [][]string{above, forTests, pure} {
		require.Len(t, union(list, nil), len(list), "one name twice: %v", list)
	}
}

func TestOutsidePackagesAreConfined(t *testing.T) {
	needed := map[string]bool{}
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			if !isOutside(path) {
				continue
			}
			library := libraryOf(path)
			require.Contains(t, onlyIn[library], p.ImportPath, "%s imports %s", p.ImportPath, path)
			needed[library+" "+p.ImportPath] = true
		}
	}
	for library, owners := range onlyIn {
		for _, owner := range owners {
			require.True(t, needed[library+" "+owner], "%s does not import %s", owner, library)
		}
		require.Len(t, union(owners, nil), len(owners), "one name twice: %v", owners)
	}
}

// isOutside reports whether an import has to be listed in onlyIn: what is neither ours, nor of the standard library,
// nor open to all; and what is listed there.
func isOutside(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	free := slices.ContainsFunc(slices.Concat(everywhere, []string{module}),
		func(library string) bool { return isWithin(path, library) })
	return strings.Contains(first, ".") && !free || libraryOf(path) != ""
}

// libraryOf returns the entry of onlyIn that an import belongs to, or "".
func libraryOf(path string) string {
	for library := range onlyIn {
		if isWithin(path, library) {
			return library
		}
	}
	return ""
}

// isWithin reports whether an import is a library or a package of it. Another major version is another library.
func isWithin(path, library string) bool {
	below, is := strings.CutPrefix(path, library)
	return is && (below == "" || below[0] == '/' && !majorVersion.MatchString(below))
}

var majorVersion = regexp.MustCompile(`^/v[0-9]+(/|$)`)

// TestAMajorVersionIsAnotherLibrary that may not be imported beside the one that is listed.
func TestAMajorVersionIsAnotherLibrary(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/santhosh-tekuri/jsonschema/v5":      "github.com/santhosh-tekuri/jsonschema/v5",
		"github.com/santhosh-tekuri/jsonschema/v5/kind": "github.com/santhosh-tekuri/jsonschema/v5",
		"github.com/santhosh-tekuri/jsonschema/v6":      "",
		"github.com/santhosh-tekuri/jsonschema/v51":     "",
		"github.com/yuin/goldmark/ast":                  "github.com/yuin/goldmark",
		"github.com/yuin/goldmark/v2/ast":               "",
		"github.com/yuin/goldmark-emoji":                "",
	} {
		require.Equal(t, want, libraryOf(path), path)
		require.True(t, isOutside(path), path)
	}
}
