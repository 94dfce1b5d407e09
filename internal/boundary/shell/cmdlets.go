package shell

import "strings"

// cmdlets that write, with the operands that they write: a, b for the first and second, * for all.
var cmdletWriters = table[string]{
	{"add-content", "a"}, {"clear-content", "*"}, {"clear-item", "*"}, {"compress-archive", "b"}, {"copy-item", "b"}, {"expand-archive", "b"},
	{"export-alias", "a"}, {"export-clixml", "a"}, {"export-csv", "a"}, {"export-formatdata", "a"}, {"export-modulemember", ""}, {"install-module", ""},
	{"install-package", ""}, {"md", "*"}, {"mkdir", "*"}, {"move-item", "ab"}, {"new-item", "*"}, {"new-itemproperty", "a"}, {"new-temporaryfile", ""},
	{"out-file", "a"}, {"remove-item", "*"}, {"remove-itemproperty", "a"}, {"rename-item", "ab"}, {"set-acl", "a"}, {"set-content", "a"},
	{"set-executionpolicy", ""}, {"set-item", "a"}, {"set-itemproperty", "a"}, {"start-transcript", "a"}, {"tee-object", "a"}, {"unblock-file", "*"},
}

// cmdletAliases are the short names, and those of other shells, that PowerShell gives its cmdlets.
var cmdletAliases = table[string]{
	{"%", "foreach-object"}, {"?", "where-object"}, {"ac", "add-content"}, {"cat", "get-content"}, {"cd", "set-location"}, {"chdir", "set-location"},
	{"clc", "clear-content"}, {"cls", "clear-host"}, {"compare", "compare-object"}, {"copy", "copy-item"}, {"cp", "copy-item"}, {"cpi", "copy-item"},
	{"curl", "invoke-webrequest"}, {"del", "remove-item"}, {"diff", "compare-object"}, {"dir", "get-childitem"}, {"echo", "write-output"},
	{"epcsv", "export-csv"}, {"erase", "remove-item"}, {"fl", "format-list"}, {"foreach", "foreach-object"}, {"ft", "format-table"},
	{"gc", "get-content"}, {"gci", "get-childitem"}, {"gcm", "get-command"}, {"gi", "get-item"}, {"gl", "get-location"}, {"gm", "get-member"},
	{"gp", "get-itemproperty"}, {"gps", "get-process"}, {"group", "group-object"}, {"h", "get-history"}, {"help", "get-help"},
	{"history", "get-history"}, {"icm", "invoke-command"}, {"iex", "invoke-expression"}, {"irm", "invoke-restmethod"}, {"iwr", "invoke-webrequest"},
	{"ls", "get-childitem"}, {"man", "get-help"}, {"measure", "measure-object"}, {"mi", "move-item"}, {"move", "move-item"}, {"mv", "move-item"},
	{"nal", "new-alias"}, {"ni", "new-item"}, {"oh", "out-host"}, {"popd", "pop-location"}, {"ps", "get-process"}, {"pushd", "push-location"},
	{"pwd", "get-location"}, {"rd", "remove-item"}, {"ren", "rename-item"}, {"ri", "remove-item"}, {"rm", "remove-item"}, {"rmdir", "remove-item"},
	{"rni", "rename-item"}, {"sal", "set-alias"}, {"saps", "start-process"}, {"sc", "set-content"}, {"select", "select-object"}, {"si", "set-item"},
	{"sl", "set-location"}, {"sleep", "start-sleep"}, {"sls", "select-string"}, {"sort", "sort-object"}, {"sp", "set-itemproperty"},
	{"start", "start-process"}, {"tee", "tee-object"}, {"type", "get-content"}, {"wget", "invoke-webrequest"}, {"where", "where-object"},
	{"write", "write-output"},
}

// cmdletReaders are verbs, and whole names, that only read.
var cmdletReaders = []string{
	"get-", "select-", "measure-", "compare-", "convertto-", "convertfrom-", "format-", "sort-object", "group-object",
	"where-object",
	"foreach-object", "test-path", "test-json", "test-connection", "write-output", "write-host", "write-error",
	"write-warning", "write-verbose", "resolve-path", "join-path", "split-path", "out-string", "out-null", "out-host",
	"out-default",
	"start-sleep", "clear-host", "find-", "show-", "import-csv", "import-clixml",
}

// cmdletDoubts run what cannot be told.
var cmdletDoubts = names{
	".", "add-type", "filter", "function", "import-module", "invoke-cimmethod", "invoke-command", "invoke-expression",
	"invoke-item", "invoke-wmimethod",
	"new-alias", "new-object", "register-scheduledtask", "set-alias", "set-variable", "start-job", "start-process",
	"start-threadjob", "using",
}

// Parameters whose value is a file that is written, and those whose value is none; all others are switches.
var (
	fileParameters = []string{"-path", "-literalpath", "-filepath", "-destination", "-destinationpath", "-outfile",
		"-newname", "-name",
		"-lp", "-pspath"}
	valueParameters = []string{"-value", "-encoding", "-itemtype", "-type", "-filter", "-include", "-exclude",
		"-delimiter", "-erroraction",
		"-ea", "-inputobject", "-credential", "-width", "-stream", "-target", "-compressionlevel", "-uri", "-method",
		"-headers", "-body",
		"-contenttype", "-variable"}
)

// cmdlet looks at one command of PowerShell: a cmdlet, or a program from outside.
func (w *walker) cmdlet(words []arg) {
	first := words[0]
	switch {
	case strings.HasPrefix(first.text, "["):
		w.static(first.text)
		return
	case !first.known:
		w.expression(words)
		return
	}
	name := strings.ToLower(first.text)
	if full, ok := cmdletAliases.find(name); ok {
		name = full
	}
	c := call{w: w, name: name, args: words[1:]}
	files, writes := cmdletWriters.find(name)
	if strings.Contains(name, "-") {
		w.show(&c)
	}
	switch {
	case cmdletDoubts.has(name):
		c.ambiguous("what " + name + " runs cannot be told")
	case writes:
		c.writeCmdlet(files)
	case name == "invoke-webrequest", name == "invoke-restmethod":
		c.web(words)
	case name == "foreach-object":
		c.forEach()
	case name == "set-location" || name == "push-location" || name == "pop-location":
		c.location()
	case readCmdlet(name):
		c.reads()
	case strings.Contains(name, "-") && !strings.ContainsAny(name, `/\.`) && isVerb(name):
		c.unknown(name + " may do anything")
	default:
		w.run(append([]arg{literal(strings.ToLower(strings.ReplaceAll(first.text, `\`, "/")))}, words[1:]...))
	}
}

// web looks at a request. What curl and wget are depends on the PowerShell: its cmdlet, or the program.
func (c *call) web(words []arg) {
	targets, _ := c.parameters("-")
	switch typed := strings.ToLower(words[0].text); {
	case len(targets) > 0:
		c.writes(c.name+" -OutFile writes a file", targets...)
	case c.sends():
		c.unknown(c.name + " sends something")
	case typed == "curl", typed == "wget":
		c.w.run(append([]arg{literal(typed)}, words[1:]...))
	default:
		c.reads()
	}
}

// sends says whether a request has a body, or another method than GET and HEAD.
func (c *call) sends() bool {
	for i, a := range c.args {
		name, value, attached := strings.Cut(a.text, ":")
		switch {
		case parameter(name, []string{"-body", "-infile", "-form", "-custommethod", "-cm"}):
			return true
		case !parameter(name, []string{"-method"}):
		case attached && value != "":
			return !fetches(arg{text: value, known: a.known})
		case i+1 == len(c.args) || !fetches(c.args[i+1]):
			return true
		}
	}
	return false
}

// forEach looks at ForEach-Object: a block is looked at where it stands, any other word names a method that is called.
func (c *call) forEach() {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		switch {
		case a.block:
		case a.known && parameter(a.text, []string{"-inputobject", "-throttlelimit", "-timeoutseconds"}):
			i++
		case !a.known, !strings.HasPrefix(a.text, "-"), strings.HasPrefix(strings.ToLower(a.text), "-m"):
			c.ambiguous("what a method does cannot be told")
			return
		}
	}
	c.reads()
}

// isVerb tells a cmdlet from a program with a dash in its name.
func isVerb(name string) bool {
	_, git := gitRows.find(name)
	_, does := program(name)
	return !does && !git
}

func readCmdlet(name string) bool {
	for _, reader := range cmdletReaders {
		if name == reader || strings.HasSuffix(reader, "-") && strings.HasPrefix(name, reader) {
			return true
		}
	}
	return false
}

// expression is a command that begins with a value, which is shown, or compared by operators.
func (w *walker) expression(words []arg) {
	if len(words) > 1 && !words[1].loose && !strings.HasPrefix(words[1].text, "-") {
		w.doubt("which program runs cannot be told")
		return
	}
	w.add(Part{Class: Reads})
}

// static looks at [Type]::Method: those of files write by their names.
func (w *walker) static(text string) {
	lower := strings.ToLower(text)
	kind, method, _ := strings.Cut(lower, "]::")
	kind = strings.TrimPrefix(strings.TrimPrefix(kind, "["), "system.")
	if kind == "io.file" || kind == "io.directory" {
		for _, verb := range []string{"write", "append", "create", "delete", "move", "copy", "replace", "set", "open",
			"encrypt", "decrypt"} {
			if strings.HasPrefix(method, verb) && method != "openread" && method != "opentext" {
				w.add(Part{Class: Writes, Targets: []Target{{}}, Why: text + " writes files"})
				return
			}
		}
	}
	w.doubt("what a method does cannot be told")
}

// parameters reads named parameters and operands of a cmdlet that writes. dry is -WhatIf.
func (c *call) parameters(operands string) (targets []Target, dry bool) {
	position := 0
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		name, value, attached := strings.Cut(a.text, ":")
		switch {
		case !strings.HasPrefix(a.text, "-"):
			if operands == "*" || position < 2 && strings.IndexByte(operands, "ab"[position]) >= 0 {
				targets = append(targets, c.w.scope.target(a))
			}
			position++
		case strings.EqualFold(name, "-whatif"), strings.EqualFold(name, "-wi"):
			dry = !attached
		case parameter(name, fileParameters):
			if attached && value != "" {
				a = arg{text: value, known: a.known}
			} else if i++; i < len(c.args) {
				a = c.args[i]
			}
			if operands != "-" || strings.HasPrefix(strings.ToLower(name), "-o") {
				targets = append(targets, c.w.scope.target(a))
			}
		case parameter(name, valueParameters) && !attached:
			i++
		}
	}
	return targets, dry
}

// parameter says whether a name is the beginning of one in the list.
func parameter(name string, list []string) bool {
	name = strings.ToLower(name)
	for _, full := range list {
		if len(name) > 1 && strings.HasPrefix(full, name) {
			return true
		}
	}
	return false
}

func (c *call) writeCmdlet(operands string) {
	targets, dry := c.parameters(operands)
	if dry {
		c.reads()
		return
	}
	if len(targets) == 0 {
		targets = []Target{{}}
	}
	c.writes(c.name+" writes files", targets...)
}

func (c *call) location() {
	to := arg{}
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, "-") && c.name != "pop-location" {
			to = a
		}
	}
	c.w.scope.enter(to)
	c.reads()
}
