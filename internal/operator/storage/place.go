// Package storage says where the log of a project lies, and opens it: a file in the data folder, or a schema of a
// PostgreSQL database that several processes share.
//
// The data folder remembers how far the log has come, in a file of its own: a folder that knows one log does not go on
// with another, nor with one that was rolled back.
package storage

import (
	"context"
	"net/url"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/system/tree"
)

// Codes of a place that is refused.
const (
	CodePassword fault.Code = "store_password" // it would show a password in the list of processes
	CodePlace    fault.Code = "store_place"    // it is none
)

// DefaultSchema is the schema of the database where the URL names none.
const DefaultSchema = "orchestrator"

// maxURL is how many bytes the file with a URL may have.
const maxURL = 64 << 10

// Given is what an operator says of the store.
type Given struct {
	URL   string // of a PostgreSQL database; "" is the file in the data folder
	File  string // a file that has the URL; "" is none
	Typed bool   // the URL stands in the list of arguments, which every user of the machine can read
	Saved bool   // it stands in the settings of the data folder, which are shown and copied
}

// Place is where the log of one project lies.
type Place struct {
	data datadir.Dir
	url  string
	open func(context.Context) (store.Shared, error) // of a place that is neither
	name string
}

// InFolder returns the place in a data folder.
func InFolder(data datadir.Dir) Place { return Place{data: data} }

// Opening returns the place of a store that open opens, under a name.
func Opening(data datadir.Dir, name string, open func(context.Context) (store.Shared, error)) Place {
	return Place{data: data, name: name, open: open}
}

// Find returns the place that an operator gives for the project of a data folder.
func Find(ctx context.Context, data datadir.Dir, given Given) (Place, error) {
	switch {
	case given.URL == "" && given.File == "":
		return InFolder(data), nil
	case given.URL != "" && given.File != "":
		return Place{}, fault.New(fault.Invalid, fault.CodeUsage, "--store and --store-file both name the store").
			WithFix("give one of them; orchestrator config says where each comes from")
	case given.File != "":
		content, err := tree.ReadFile(ctx, given.File, maxURL)
		if err != nil {
			return Place{}, fault.New(fault.Invalid, CodePlace, "%s, which names the store, cannot be read",
				given.File).WithFix("make it a regular file that this user can read, with one line: postgres://HOST/DATABASE").
				Because(err)
		}
		return at(data, strings.TrimSpace(string(content)), given.File)
	case (given.Typed || given.Saved) && hasPassword(given.URL):
		return Place{}, fault.New(fault.Invalid, CodePassword, "the URL of the store has a password, which others "+
			"can read where it stands").
			WithFix("leave it out of the URL and put it into ~/.pgpass or PGPASSWORD; or give the whole URL in " +
				"ORCHESTRATOR_STORE, or in a file of mode 0600 that --store-file names. Change the password if this " +
				"machine has other users")
	}
	return at(data, given.URL, "--store")
}

// at returns the place with a URL; where says what the URL comes from.
func at(data datadir.Dir, text, where string) (Place, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || strings.ContainsAny(text, "\n\r") {
		return Place{}, fault.New(fault.Invalid, CodePlace, "%s has no URL of a PostgreSQL database", where).
			WithFix("give postgres://USER@HOST/DATABASE; ?search_path=SCHEMA names the schema, by default %s. Without "+
				"--store the log lies in the data folder", DefaultSchema)
	}
	return Place{data: data, url: text}, nil
}

// hasPassword reports whether a URL has a password. One that cannot be read may have one.
func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return strings.Contains(text, "@")
	}
	if _, has := u.User.Password(); has {
		return true
	}
	query := u.Query()
	return query.Has("password") || query.Has("sslpassword")
}

// In returns the same place, of the project of another data folder. The zero Place becomes the file in it.
func (p Place) In(data datadir.Dir) Place {
	p.data = data
	return p
}

// Data returns the data folder of the project.
func (p Place) Data() datadir.Dir { return p.data }

// IsShared reports whether several processes can have the store open at the same time.
func (p Place) IsShared() bool { return p.url != "" || p.open != nil }

// Exists reports whether there is something to open. Of a database only its server can tell.
func (p Place) Exists() bool { return p.IsShared() || tree.Exists(p.data.Database()) }

// URL returns the URL of the database, with what it has of secrets; "" of the file in the data folder.
func (p Place) URL() string { return p.url }

// String returns the place as people may read it: the path of the file, or the URL without user and secrets.
func (p Place) String() string {
	switch {
	case p.open != nil:
		return p.name
	case p.url == "":
		return p.data.Database()
	}
	return Shown(p.url)
}

// Shown returns a URL as people may read it: without user and secrets, and with the schema; "" of "".
func Shown(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil {
		return "no URL"
	}
	shown := url.Values{"search_path": {DefaultSchema}}
	for _, name := range []string{"search_path", "host", "port"} { // what tells one place from another
		if value := u.Query().Get(name); value != "" {
			shown.Set(name, value)
		}
	}
	return (&url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path, RawQuery: shown.Encode()}).String()
}
