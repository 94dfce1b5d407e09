package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
)

// Verifies: ORC-168

// TestThePageSaysWhatIsStable: each of these has a row, with what is stable and what is not.
func TestThePageSaysWhatIsStable(t *testing.T) {
	source, err := os.ReadFile("../docs/stability.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(source)), " ")
	require.Regexp(t, `A version is .MAJOR\.MINOR\.PATCH.\. A \*\*patch\*\* .* a \*\*minor\*\* .* a \*\*major\*\* `, text)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| \*\*(.+?)\*\*.*? \| (.+) \| (.+) \|$`).FindAllStringSubmatch(string(source), -1) {
		rows[row[1]] = row[2]
		require.NotEmpty(t, strings.TrimSpace(row[3]), row[1])
	}
	for _, what := range []string{"HTTP API", "Command line", "Documents", "Settings", "Files in the data folder", "Export", "Log",
		"Rules", "Database", "Metrics", "Go packages"} {
		require.NotEmpty(t, rows[what], what)
	}
	oldest := regexp.MustCompile(`every format since ([0-9]+)`).FindStringSubmatch(rows["Database"])
	require.Len(t, oldest, 2)
	since, err := strconv.Atoi(oldest[1])
	require.NoError(t, err)
	for format := since; format <= ledger.Format; format++ {
		require.FileExists(t, filepath.Join("..", "testdata", "logs", "format"+strconv.Itoa(format)+".db.gz"))
	}
}

// TestNoPackageIsForOthers: nobody else can build on a package of the module, other than its descriptions.
func TestNoPackageIsForOthers(t *testing.T) {
	page, err := os.ReadFile("../docs/stability.md")
	require.NoError(t, err)
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		if top, _, _ := strings.Cut(path, "/"); top != "internal" && top != "cmd" {
			require.Contains(t, string(page), "`"+top+"/`", "%s can be imported", p.ImportPath)
		}
	}
}
