package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheThreatModelNamesTestsThatExist: a claim without its test is a wish.
func TestTheThreatModelNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../docs/threat-model.md")
	require.NoError(t, err)
	functions, scripts := testsOfTheTree(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+|[a-z_]+\\.txtar)`").FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(named), 40)
	for _, name := range named {
		require.True(t, functions[name[1]] || scripts[name[1]], "docs/threat-model.md names %s, which is no test", name[1])
	}
}

// testsOfTheTree are the names of all test functions and of all scripts.
func testsOfTheTree(t *testing.T) (functions, scripts map[string]bool) {
	t.Helper()
	functions, scripts = map[string]bool{}, map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
	err := filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "..":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			scripts[entry.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range declared.FindAllSubmatch(content, -1) {
				functions[string(name[1])] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	return functions, scripts
}
