// Package client knows how each agent client is installed, configured and started without a person and without a
// network, and which of its tools do what. It has one file for each client; the versions in it are those with which
// the file was last seen to be right.
package client

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"orchestrator/cmd/checkclients/model"
)

// Client is one agent client.
type Client struct {
	Name     string   // as orchestrator boundary install has it
	Package  string   // on npm
	Variant  string   // of the same client, where it has several; "" is the only one
	Versions []string // with which this row was seen to be right
	Program  []string // below the folder that it is installed in; one that ends in .js runs in node

	Args      func(Place) []string
	Agent     []string // arguments with which it reads its task from standard input, and reports what it used
	Env       func(Place) []string
	Files     func(Place) Files // what is written before it starts, by path
	Calls     Calls
	Delegates []string // words that a block has for a session that is to delegate
	Unhooked  []string // tools that no hook is run for
	Notes     []string // files of plans and of memory that the client keeps below the user's folder
	Asks      bool     // a hook can have it ask its person
	Trusts    bool     // it runs a hook of a project only once a person has trusted it
	Unended   string   // why no hook is heard at the end of a turn; "" where one is
	Gaps      []Gap
	Listing   [][]string // commands by which it lists the MCP servers that it knows
}

// Files are texts by their paths.
type Files map[string]string

// Gap is a check that a client is known not to pass.
type Gap struct {
	Version string // "" is every version
	Check   string
	Why     string
}

// runsLate is the gap of a client that does not wait for its hook.
func runsLate(version, who string) Gap {
	return Gap{version, "a late hook blocks", who + " lets a call run whose hook does not answer in time"}
}

// hereAlone is the gap of a client that reads no settings of the folders above.
func hereAlone(who string) Gap {
	return Gap{"", "in a subfolder: edit is blocked", who + " reads the settings of no folder above its own"}
}

// Gap returns why a version is known not to pass a check, or "".
func (c *Client) Gap(version, check string) string {
	for _, gap := range c.Gaps {
		if gap.Check == check && (gap.Version == "" || gap.Version == version) {
			return gap.Why
		}
	}
	return ""
}

// Place is where a client runs.
type Place struct {
	Home    string
	Project string
	Model   string // URL of the model, without a path
	Prompt  string
	Version string

	Untrusted bool // no person has trusted the hook
}

// Calls are the model's calls of a client's tools, for what is checked. Each makes no call where the client offers no
// such tool.
type Calls struct {
	Read     func(t model.Tools, file string) model.Call
	Edit     func(t model.Tools, file, from, to string) model.Call
	Shell    func(t model.Tools, command string) model.Call
	Write    func(t model.Tools, file, text string) model.Call // a new file; nil without Notes
	Terminal func(t model.Tools, command string) model.Call    // in a terminal; nil where none is offered
	Type     func(t model.Tools, last, text string) model.Call // into the program that was started
	Delegate func(t model.Tools, prompt string) model.Call
	Find     func(t model.Tools) model.Call              // of the tools to delegate with; nil where they are offered
	Wait     func(t model.Tools, last string) model.Call // for an agent that was started; nil where its start waits
	End      func(t model.Tools) model.Call              // of an agent; nil where it ends with its last word
	Books    []Book                                      // the client's own bookkeeping

	FindServed func(t model.Tools, name string) model.Call         // of our MCP server; nil where it is offered
	Served     func(t model.Tools, name string, in any) model.Call // nil where it is called by its own name
}

// Serve calls a tool of our MCP server.
func (c *Client) Serve(t model.Tools, name string, in any) model.Call {
	if c.Calls.Served != nil {
		return c.Calls.Served(t, name, in)
	}
	tool, found := t.Ending("orchestrator", name)
	if !found {
		return model.Call{}
	}
	return model.Call{Tool: tool, Input: in}
}

// served is what most clients call a tool of our MCP server.
func served(name string) string { return "mcp__orchestrator__" + name }

// Book is a call by which a client keeps its own books.
type Book struct {
	Tool  string
	Input any // an object
}

// Title returns the name with the variant.
func (c *Client) Title() string { return strings.TrimSuffix(c.Name+"-"+c.Variant, "-") }

// Start returns how the client is started that is installed in a folder.
func (c *Client) Start(folder string) []string {
	program := filepath.Join(append([]string{folder, "node_modules"}, c.Program...)...)
	if filepath.Ext(program) == ".js" {
		return []string{"node", program}
	}
	return []string{program}
}

// Prepare writes the client's own settings.
func (c *Client) Prepare(p Place) error {
	if c.Files == nil {
		return nil
	}
	for path, text := range c.Files(p) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// platform is how packages for this machine are named.
var platform = "linux-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)

// input is what a tool is called with.
type input map[string]any

// call calls the first tool that is offered of some names, with those fields of the input that it has.
func call(t model.Tools, in input, names ...string) model.Call {
	tool, found := t.Find(names...)
	if !found {
		return model.Call{}
	}
	if len(tool.Fields) == 0 {
		return model.Call{Tool: tool, Input: in}
	}
	known := input{}
	for name, value := range in {
		if tool.Has(name) {
			known[name] = value
		}
	}
	return model.Call{Tool: tool, Input: known}
}

func encoded(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err) // of our own values
	}
	return string(text)
}
