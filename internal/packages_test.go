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
	"sync"
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

// systems lists the operating systems whose imports are looked at. What is measured is what is built for the first.
var systems = []string{"linux", "darwin", "windows"}

// pkg is a package of the module, with paths relative to the module.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string // on any system, as all that follow
	TestImports  []string
	XTestImports []string
	AllFiles     []string
}

// packages lists the packages of the module that have code besides tests.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := listed()
	require.NoError(t, err)
	return all
}

// listed lists the packages with what they import on each of the systems.
var listed = sync.OnceValues(func() (all []pkg, err error) {
	at := map[string]int{}
	for _, system := range systems {
		some, err := listFor(system)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if i, known := at[p.ImportPath]; known {
				all[i].merge(p)
			} else if len(p.GoFiles) > 0 {
				at[p.ImportPath] = len(all)
				p.AllFiles = p.GoFiles
				all = append(all, p)
			}
		}
	}
	return all, nil
})

// listFor lists the packages as they are built for one system. Outside packages that only another system needs may be
// missing on this machine, and are not fetched.
func listFor(system string) (all []pkg, err error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", module+"/...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOPROXY=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module+"/")
		all = append(all, p)
	}
}

// merge adds what the package is on another system.
func (p *pkg) merge(other pkg) {
	p.Imports = union(p.Imports, other.Imports)
	p.TestImports = union(p.TestImports, other.TestImports)
	p.XTestImports = union(p.XTestImports, other.XTestImports)
	p.AllFiles = union(p.AllFiles, other.GoFiles)
}

// union returns the names of two lists, sorted, each once.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// ours returns those of some imports that are packages of the module.
func ours(imports []string) (paths []string) {
	for _, path := range imports {
		if own, is := strings.CutPrefix(path, module+"/"); is {
			paths = append(paths, own)
		}
	}
	return paths
}

// source reads a file of p.
func (p pkg) source(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(p.Dir, file))
	require.NoError(t, err)
	return string(content)
}
