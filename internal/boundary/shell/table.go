package shell

import "orchestrator/internal/boundary/shell/lists"

// What is known of programs stands in tables, a row a program: readers and interpreters in readers.go; writers, what
// writes sometimes, and subcommands in writers.go; git in git.go; programs that run another command in wrappers.go;
// those that only code can describe in special.go; options by which a program runs foreign code in vouch.go. A row such
// as
//
//	{"sort", Reads, none, "o:> --output:> T: k: --compress-program:!"}
//
// says that sort reads, writes none of its operands, writes the file that -o or --output names, takes values with -T
// and -k that mean nothing here, and may run anything by --compress-program; optionMarks has the marks of options.
//
// The rows stand in the order of their names, which a test holds them to. Written so they are a part of the program as
// it lies on the disk, where maps would be built anew each time that a hook starts.
type (
	names        []string
	tools        []tool
	table[V any] []row[V]
	row[V any]   struct {
		name string
		is   V
	}
)

// tool says what a program does to files.
type tool struct {
	name  string
	class Class
	files which
	opts  string // its options, see optionMarks
}

// which of its operands a program writes.
type which int

const (
	none       which = iota
	every            // all operands
	last             // the last one
	afterFirst       // all but the first, which is a mode or an owner
	second           // the second, where there is one
	first            // the first
	stem             // all operands, and what they are named with another ending, or none
	unnamed          // files that it does not name, unless an option names them
)

func (t names) has(name string) bool { return lists.Has(t, name) }

func (t tools) find(name string) (tool, bool) {
	at, found := lists.Find(name, len(t), func(i int) string { return t[i].name })
	if !found {
		return tool{}, false
	}
	return t[at], true
}

func (t table[V]) find(name string) (is V, found bool) {
	at, found := lists.Find(name, len(t), func(i int) string { return t[i].name })
	if found {
		is = t[at].is
	}
	return is, found
}
