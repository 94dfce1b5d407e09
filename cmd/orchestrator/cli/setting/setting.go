// Package setting fills flags from the settings of the project that a command works on, and keeps track of where each
// value comes from. Flags say by annotations which setting stands in for them, and which are paths.
package setting

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/system/tree"
)

// Annotations of flags.
const (
	fromFile  = "setting"     // the value is also looked for in the settings of the project, under this name
	atRoot    = "at root"     // a path, whose default lies at the root of the project
	forCaller = "for caller"  // a path, which the caller gives as it is seen from the working folder
	whence    = "source"      // what the value comes from
	moves     = "moves"       // of a command: it works at the root of the project
	givesPath = "paths given" // of a command: its arguments are paths
)

// Declare lets flags be set by the settings of the project: --log-level by log_level in settings.yaml of the data
// folder, --requirements, --family and --qualify by orchestrator.yaml. The command line and the environment win.
func Declare(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd.Flags(), name, fromFile, Name(name))
	}
}

// Name returns the name in the files of what a flag says.
func Name(flag string) string {
	switch flag {
	case "requirements":
		return "documents"
	case "server":
		return "url"
	}
	return strings.ReplaceAll(flag, "-", "_")
}

// DeclarePaths marks the flags that are paths. Their defaults are relative to the root of the project; what is given
// is relative to the working folder.
func DeclarePaths(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd.Flags(), name, atRoot)
	}
}

// WorkAtRoot makes a command work at the root of its project, wherever it is started: paths of documents are part of
// the state, and must not depend on that. The flags are those with paths of the caller, which keep their meaning.
func WorkAtRoot(cmd *cobra.Command, flags ...string) {
	mark(cmd, moves)
	for _, name := range flags {
		annotate(cmd.Flags(), name, forCaller)
	}
}

// DeclarePathArguments notes that the arguments of a command that works at the root are paths of the caller; with
// --repo they are paths in there.
func DeclarePathArguments(cmd *cobra.Command) { mark(cmd, givesPath) }

func mark(cmd *cobra.Command, what string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[what] = "yes"
}

// annotate fails only where there is no such flag, which is a defect.
func annotate(flags *pflag.FlagSet, name, key string, values ...string) {
	if err := flags.SetAnnotation(name, key, values); err != nil {
		panic(err)
	}
}

// Note notes what the value of a flag comes from.
func Note(f *pflag.Flag, source string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[whence] = []string{source}
}

// Source returns what the value of a flag comes from.
func Source(f *pflag.Flag) string {
	switch noted := f.Annotations[whence]; {
	case len(noted) > 0:
		return noted[0]
	case f.Changed:
		return "flag --" + f.Name
	}
	return "default"
}

// Typed reports whether a flag stands on the command line.
func Typed(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && f.Changed && !strings.HasPrefix(Source(f), "variable ")
}

// Saved reports whether the value of a flag comes from a file with settings.
func Saved(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && strings.HasPrefix(Source(f), "file ")
}

// MoveTo makes another folder the working folder of a command that works at the root of a project. What the caller
// named is named as it is seen from there.
func MoveTo(cmd *cobra.Command, root string) error { return moveTo(cmd, nil, root) }

// stays marks the flag by which a caller keeps a command in the working folder.
const stays = "stays"

// StayFor keeps a command that works at the root of its project in the working folder where this flag is given.
func StayFor(cmd *cobra.Command, flag string) { annotate(cmd.Flags(), flag, stays) }

// isToStay reports whether a flag keeps the command in the working folder.
func isToStay(cmd *cobra.Command) (stay bool) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, is := f.Annotations[stays]
		stay = stay || is && f.Value.String() == "true"
	})
	return stay
}

// TypedFlags returns the flags that stand on the command line, as they could be typed again.
func TypedFlags(cmd *cobra.Command) (words []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !strings.HasPrefix(Source(f), "flag ") {
			return
		}
		values := []string{f.Value.String()}
		if several, is := f.Value.(pflag.SliceValue); is {
			values = several.GetSlice()
		}
		for _, v := range values {
			if words = append(words, "--"+f.Name); f.NoOptDefVal == "" || f.NoOptDefVal != v {
				words = append(words, v)
			}
		}
	})
	return words
}

// Apply gives flags that nobody has set the values of the settings, and puts paths where they belong. Where the
// settings cannot be used, it has done all else.
func Apply(cmd *cobra.Command, args []string) error {
	root := rootOf()
	if isToStay(cmd) {
		root = "."
	}
	p := projectAt(cmd.Context(), root, givenData(cmd))
	if cmd.Annotations[moves] != "" && root != "." {
		if err := moveTo(cmd, args, root); err != nil {
			return err
		}
		p = projectAt(cmd.Context(), ".", givenData(cmd))
	}
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			return
		}
		err := p.fill(f)
		if rebaseErr := rebase(f, p.root); err == nil {
			err = rebaseErr
		}
		if wrong == nil {
			wrong = err
		}
	})
	return wrong
}

// fill gives a flag the value of its setting, if there is one.
func (p *project) fill(f *pflag.Flag) error {
	key := f.Annotations[fromFile]
	if len(key) == 0 {
		return nil
	}
	values, file, err := p.setting(key[0])
	if err != nil || len(values) == 0 {
		return err
	}
	if err := assign(f, values); err != nil {
		return fault.New(fault.Invalid, config.CodeSettings, "%s of %s cannot be used: %v", key[0], file, err).
			WithFix("set it to what --%s takes, or remove it", f.Name)
	}
	Note(f, "file "+file)
	return nil
}

// setting returns the values of a setting, and the file that says them. What is on record since the first start is no
// setting any more: the workflow of a project that has a database.
func (p *project) setting(key string) (values []string, file string, err error) {
	switch key {
	case "documents", "family", "qualify":
		t, err := p.ofTree()
		values := map[string][]string{"documents": t.Documents, "family": some(t.Family), "qualify": some(t.Qualify)}
		return values[key], filepath.Join(p.root, config.TreeFile), err
	case "workflow":
		if tree.Exists(p.data.Database()) {
			return nil, "", nil
		}
	}
	l, err := p.ofFolder()
	return some(l.Get(key)), p.data.File(config.LocalFile), err
}

func some(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// assign replaces the value of a flag.
func assign(f *pflag.Flag, values []string) error {
	if list, is := f.Value.(pflag.SliceValue); is {
		return list.Replace(values)
	}
	return f.Value.Set(values[0])
}

// rebase puts a path that was not given on the command line below the root.
func rebase(f *pflag.Flag, root string) error {
	if _, is := f.Annotations[atRoot]; !is || root == "." {
		return nil
	}
	return eachPath(f, func(path string) (string, error) {
		if path == "" || filepath.IsAbs(path) {
			return path, nil
		}
		return filepath.Join(root, path), nil
	})
}

// moveTo makes root the working folder. What the caller named is named as it is seen from there.
func moveTo(cmd *cobra.Command, args []string, root string) (err error) {
	seen := func(path string) (string, error) { return seenFrom(root, path) }
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, is := f.Annotations[forCaller]; is && f.Changed && err == nil && isPath(f) {
			err = eachPath(f, seen)
		}
	})
	if cmd.Annotations[givesPath] != "" && !cmd.Flags().Changed("repo") {
		for i := range args {
			if err == nil {
				args[i], err = seen(args[i])
			}
		}
	}
	if err != nil {
		return err
	}
	return os.Chdir(root)
}

// isPath reports whether a flag holds paths; an address does where it is a socket.
func isPath(f *pflag.Flag) bool {
	return f.Name != "addr" || strings.HasPrefix(f.Value.String(), "unix:")
}

// seenFrom returns how a path of the working folder is named in another one.
func seenFrom(root, path string) (string, error) {
	socket, is := strings.CutPrefix(path, "unix:")
	if filepath.IsAbs(path) || is && filepath.IsAbs(socket) || path == "" {
		return path, nil
	}
	if is {
		seen, err := seenFrom(root, socket)
		return "unix:" + seen, err
	}
	from, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// eachPath changes each path of a flag that has any.
func eachPath(f *pflag.Flag, change func(string) (string, error)) error {
	list, is := f.Value.(pflag.SliceValue)
	paths := []string{f.Value.String()}
	if is {
		paths = list.GetSlice()
	}
	for i := range paths {
		changed, err := change(paths[i])
		if err != nil {
			return err
		}
		paths[i] = changed
	}
	if len(paths) == 0 {
		return nil
	}
	return assign(f, paths)
}
