package runner

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// searched is where a program without a path is looked for; it is also the PATH that every program gets.
const searched = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// lookUp finds the program, and refuses a declaration that cannot be run as it stands.
func (e Exec) lookUp() (string, error) {
	if len(e.Argv) == 0 || e.Argv[0] == "" {
		return "", undeclared("argv has no program", "name the program as the first of argv")
	}
	for _, arg := range e.Argv {
		if strings.ContainsRune(arg, 0) {
			return "", undeclared("an argument has a zero byte", "pass such data on standard input")
		}
	}
	if err := e.checkEnv(); err != nil {
		return "", err
	}
	if err := e.checkDir(); err != nil {
		return "", err
	}
	name := e.Argv[0]
	if !strings.Contains(name, "/") {
		return find(name, e.path())
	}
	if !filepath.IsAbs(name) {
		return "", missing(name, "a relative path is never run")
	}
	if err := runnable(name); err != nil {
		return "", missing(name, reason(err))
	}
	return name, nil
}

func find(name, folders string) (string, error) {
	for _, dir := range filepath.SplitList(folders) {
		if path := filepath.Join(dir, name); name != "." && name != ".." && filepath.IsAbs(dir) &&
			runnable(path) == nil {
			return path, nil
		}
	}
	return "", missing(name, "it is in none of "+folders)
}

// path returns where the program is searched: the PATH that it is given, or else the usual folders.
func (e Exec) path() string {
	folders := searched
	for _, entry := range e.Env {
		if value, is := strings.CutPrefix(entry, "PATH="); is {
			folders = value
		}
	}
	return folders
}

// runnable holds a path to be a regular file with a right to run it; whether it is ours, the start will tell.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}

// reason leaves out of an error of the system what the error around it says already.
func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func missing(name, why string) error {
	return fault.New(fault.NotFound, CodeMissing, "the program %q cannot be run: %s", fault.Clip(name, 200), why).
		WithFix("install it, give its absolute path in argv, or pass PATH on by env of its contract").
		Because(exec.ErrNotFound)
}

func undeclared(what, fix string) error {
	return fault.New(fault.Invalid, CodeUndeclared, "the tool cannot be run as it is declared: %s", what).
		WithFix("%s", fix)
}

func (e Exec) checkDir() error {
	if e.Dir == "" {
		return nil
	}
	info, err := os.Stat(e.Dir)
	if !filepath.IsAbs(e.Dir) || err != nil || !info.IsDir() {
		return undeclared("its folder "+fault.Clip(e.Dir, 200)+" is not the absolute path of a folder",
			"correct dir in its contract")
	}
	return nil
}

func (e Exec) checkEnv() error {
	var names []string
	for _, entry := range e.Env {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" || strings.ContainsRune(entry, 0) { // the value is never shown: it may be a secret
			return undeclared("a variable is not NAME=value", "correct env in its contract")
		}
		if name == markName || slices.Contains(names, name) {
			return undeclared("the variable "+fault.Clip(name, 100)+" is given twice",
				"give every variable once, and "+markName+" never")
		}
		names = append(names, name)
	}
	return nil
}

// environment returns all that the program gets. Of two entries with one name the later counts.
func (e Exec) environment(p *process) []string {
	base := []string{"PATH=" + searched, "HOME=" + p.home, "TMPDIR=" + p.home, "LANG=C.UTF-8"}
	return slices.Concat(base, e.Env, []string{p.mark})
}
