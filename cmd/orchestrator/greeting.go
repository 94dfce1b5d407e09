package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/daemon"
	"orchestrator/internal/datadir"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// greet prints what to do first with a service that has daemon.Started. Requests to try belong to the first start: later
// ones lead to what the project needs next.
func greet(out io.Writer, s daemon.Started) {
	if !s.First {
		fmt.Fprintf(out, "\nWhat to do first:\n  orchestrator next%s\n\n", named(s.Data))
		return
	}
	if pm := s.Data.Token("pm"); s.Requirement != "" && tree.Exists(pm) {
		options, base := apiclient.CurlURL(s.Addr)
		auth, path := options+apiclient.CurlToken(pm), base+"/requirements/"+pathEscape(s.Requirement)
		fmt.Fprintf(out,
			"\nTry:\n  curl -s %s '%s/next'\n  curl -s -X PATCH %s -H 'Content-Type: application/json' -d "+
				"'{\"pm_notes\":[{\"text\":\"hello\"}]}' '%s?dry_run=true'\n\n",
			auth, path, auth, path)
	}
	if s.MadeTokens {
		explainTokens(out, s.Data)
	}
}

// named returns the flag that names a data folder, "" for the usual one.
func named(data datadir.Dir) string {
	if data == datadir.Default {
		return ""
	}
	return " --data " + shellquote.Quote(string(data))
}

// explainTokens prints how tokens of the roles are made that have none yet.
func explainTokens(out io.Writer, data datadir.Dir) {
	fmt.Fprintf(out, "Made tokens for pm and viewer in %s. For another role, give each person or agent their own:\n"+
		"  orchestrator token add coder NAME --out FILE%s   # or architect, or tester\n"+
		"or start with --demo-tokens for one of each role, side by side: for a demonstration only.\n\n",
		data.TokenDir(), named(data))
}

// pathEscape escapes an id for a path of a URL that is printed in single quotes.
func pathEscape(id string) string { return strings.ReplaceAll(url.PathEscape(id), "'", "%27") }
