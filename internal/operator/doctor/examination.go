package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/shellquote"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // works, but not as it could
	Problem Level = "problem" // does not work, or is not safe
)

// Finding is one thing that was looked at.
type Finding struct {
	About  string `json:"about"`
	Level  Level  `json:"level"`
	What   string `json:"what"`
	Mend   string `json:"mend,omitempty"`   // a command for the shell, from whichever folder of the project
	Advice string `json:"advice,omitempty"` // what no command does, or what has to be chosen
}

// Report is all that was looked at. Healthy is without a problem. Its shape is schemas/doctor.schema.json.
type Report struct {
	Healthy  bool      `json:"healthy"`
	Findings []Finding `json:"findings"`
}

// Program is the program that examines.
type Program struct {
	Version, Commit string
	Rules           int    // the newest version of the rules that it knows
	System          string // that it was built for, such as linux
	Agent           string // the name of the client that asks the service
}

// Options say what is examined.
type Options struct {
	Data      datadir.Dir
	Store     storage.Place // where the log lies; the zero value is the file in Data
	Documents []string      // paths and patterns
	Reading   reqdoc.Options
	Export    string // "" for none
	Branch    string // "" for the one on record
	TLSCA     string // file with the authority of the service's certificate; "" for those of the system
	Settings  error  // why the settings cannot be used: then the documents that they name are not known
	Program   Program
	User      int // who examines
	Now       time.Time
	Boundary  func(context.Context) ([]Finding, error) // looks at the boundary
	Servers   func(context.Context) ([]Finding, error) // tries the MCP server that agent clients start
}

// examination is one way through all that is looked at.
type examination struct {
	Options
	*notes

	saved  config.Local // settings of the folder
	clone  bool         // the log of the project is elsewhere
	known  state        // of the log
	inTree bool         // the project is in a working tree of git
}

// state is what is known of the log: from the database, or from the service that has it open.
type state struct {
	served           bool // a service runs with the folder
	is               bool // what follows is known
	size             uint64
	root             audit.Hash
	at               time.Time // of the last record; zero where the service has it
	key              string    // that signs it
	evidence, branch string    // on record
	differs          bool      // the export is not what the tables of the same moment say
	torn             bool      // the export is of two moments
}

// notes collects findings about a data folder.
type notes struct {
	data   datadir.Dir
	report Report
}

// Unhealthy returns the error of a project with problems, or nil.
func (r Report) Unhealthy() error {
	problems := 0
	for _, f := range r.Findings {
		if f.Level == Problem {
			problems++
		}
	}
	if problems == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "unhealthy", "problems: %d", problems).WithFix("do what stands below each problem")
}

// say adds a finding that a command mends; "" is none.
func (n *notes) say(about string, level Level, mend, format string, args ...any) {
	n.add(Finding{About: about, Level: level, What: fmt.Sprintf(format, args...), Mend: mend})
}

// advise adds a finding that no command mends.
func (n *notes) advise(about string, level Level, advice, format string, args ...any) {
	n.add(Finding{About: about, Level: level, What: fmt.Sprintf(format, args...), Advice: advice})
}

func (n *notes) add(f Finding) {
	if f.Level == Warning && f.Mend+f.Advice == "" {
		f.Level = OK // something to know that nothing mends
	}
	n.report.Findings = append(n.report.Findings, f)
	n.report.Healthy = n.report.Healthy && f.Level != Problem
}

// fail says that something cannot be looked at, with the remedy that the error has.
func (n *notes) fail(about string, level Level, err error) {
	advice := "see that this user can read it"
	if f := fault.As(err); f != nil && f.Fix != "" {
		advice = f.Fix
	}
	what := err.Error()
	if f := fault.As(err); f != nil {
		what = f.Detail
		if cause := f.Cause(); cause != nil {
			what += ": " + cause.Error()
		}
	}
	n.advise(about, level, advice, "%s", what)
}

// orchestrator returns a command of this program for the data folder.
func (n *notes) orchestrator(command string) string {
	if n.data == datadir.Default {
		return "orchestrator " + command
	}
	return "orchestrator " + command + " --data " + quoted(string(n.data))
}

// quoted returns a path for a command that is run from whichever folder.
func quoted(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return shellquote.Quote(path)
}

// git returns a command of git in the project.
func (n *notes) git(command string) string {
	return "git -C " + quoted(n.data.Project()) + " " + command
}

// elsewhere is what names the service that has the log of a clone.
const elsewhere = "orchestrator config set url URL, with the address of the service of this project"

// restart returns the command that lets the service write what it writes at its start.
func (n *notes) restart() string { return n.orchestrator("down") + " && " + n.orchestrator("up") }

// newToken returns the command that makes a token of a role in place of what is in a file.
func (n *notes) newToken(role, file string) string {
	return n.orchestrator("token add "+role+" "+role) + " --force --out " + quoted(file)
}

// needed is what a start needs: with a problem of one of these it fails.
var needed = []string{"settings", "database", "key", "export"}

// holdBack lets no finding say to start a service that would not start: what keeps it from that is mended first.
func (n *notes) holdBack() {
	i := slices.IndexFunc(n.report.Findings, func(f Finding) bool {
		return f.Level == Problem && slices.Contains(needed, f.About)
	})
	if i < 0 {
		return
	}
	first := n.report.Findings[i].About
	for i := range n.report.Findings {
		if f := &n.report.Findings[i]; strings.HasSuffix(f.Mend, n.orchestrator("up")) {
			f.Mend, f.Advice = "", "mend the "+first+" first, as is said of it here; then "+f.Mend
		}
	}
}
