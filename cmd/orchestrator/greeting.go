package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/daemon"
	"orchestrator/internal/datadir"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// greet prints what to do next with a service that has daemon.Started: what the project needs, and what is lacking.
// Nothing is proposed that has been done; requests to try belong to the first start.
func greet(out io.Writer, s daemon.Started) {
	program := typed(os.Args[0])
	say := func(command, why string) {
		fmt.Fprintf(out, "  %s %s  # %s\n", program, strings.TrimPrefix(command, "orchestrator "), why)
	}
	of := named(s.Data)
	fmt.Fprint(out, "\nWhat to do next:\n")
	switch {
	case s.Command != "":
		say("next"+of, s.Requirement+" comes first")
		say(s.Command+of, s.Do)
	case s.Requirement != "":
		say("next"+of, s.Requirement+" comes first: "+s.Do)
	default:
		say("status"+of, "nothing waits for the pm")
	}
	if len(s.Lacking) > 0 && !s.First {
		say("token add "+s.Lacking[0]+" NAME --out FILE"+of, "nobody has a token for "+strings.Join(s.Lacking, ", "))
	}
	if !s.Guarded {
		say("boundary install CLIENT", "guards the sessions of an agent client; blocks nothing yet")
	}
	fmt.Fprintln(out)
	if s.First {
		greetFirst(out, s)
	}
}

// greetFirst prints requests to try, and how tokens of the roles are made that have none.
func greetFirst(out io.Writer, s daemon.Started) {
	if pm := s.Data.Token("pm"); s.Requirement != "" && tree.Exists(pm) {
		options, base := apiclient.CurlURL(s.Addr)
		auth, path := options+apiclient.CurlToken(pm), base+"/requirements/"+pathEscape(s.Requirement)
		fmt.Fprintf(out,
			"Try:\n  curl -s %s '%s/next'\n  curl -s -X PATCH %s -H 'Content-Type: application/json' -d "+
				"'{\"pm_notes\":[{\"text\":\"hello\"}]}' '%s?dry_run=true'\n\n",
			auth, path, auth, path)
	}
	if !s.Demo {
		fmt.Fprintf(out, "Made tokens for pm and viewer in %s. For another role, give each person or agent their "+
			"own:\n  %s token add coder NAME --out FILE%s   # or architect, or tester\n"+
			"or start with --demo-tokens for one of each role, side by side: for a demonstration only.\n\n",
			s.Data.TokenDir(), typed(os.Args[0]), named(s.Data))
	}
}

// typed returns the name by which the program is started from here: where the shell was given a path from the working
// folder, that path.
func typed(program string) string {
	if filepath.IsAbs(program) || !strings.Contains(program, "/") {
		return "orchestrator"
	}
	return shellquote.Quote(program)
}

// named returns the flag that names a data folder, "" for the usual one.
func named(data datadir.Dir) string {
	if data == datadir.Default {
		return ""
	}
	return " --data " + shellquote.Quote(string(data))
}

// pathEscape escapes an id for a path of a URL that is printed in single quotes.
func pathEscape(id string) string { return strings.ReplaceAll(url.PathEscape(id), "'", "%27") }
