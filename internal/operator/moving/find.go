package moving

import (
	"context"
	"path/filepath"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
)

// Given is what an operator says of one end of a move.
type Given struct {
	Flag  string // that says it, without dashes
	Text  string // bbolt:PATH, or the URL of a PostgreSQL database
	File  string // a file that has the URL
	Typed bool   // Text stands in the list of arguments, which every user of the machine can read
}

// bolt is what the place of a file begins with: a data folder, or the file in it.
const bolt = "bbolt:"

// Find returns the place that an operator gives.
func Find(ctx context.Context, g Given) (Place, error) {
	path, isFile := strings.CutPrefix(g.Text, bolt)
	switch {
	case g.Text == "" && g.File == "":
		return Place{}, fault.Misuse("--%s is missing", g.Flag).
			WithFix("give bbolt: with a data folder, such as bbolt:.orchestrator, or postgres://HOST/DATABASE")
	case isFile && path == "":
		return Place{}, fault.Misuse("--%s names no data folder", g.Flag).WithFix("give its path: bbolt:.orchestrator")
	case isFile:
		if filepath.Base(path) == datadir.Database {
			path = filepath.Dir(path)
		}
		full, err := filepath.Abs(path)
		return InFolder(datadir.Dir(full)), err
	}
	place, err := storage.Find(ctx, "", storage.Given{URL: g.Text, File: g.File, Typed: g.Typed})
	if err != nil {
		return Place{}, g.named(err)
	}
	return At(place), nil
}

// At returns the place of a store that several processes can have open.
func At(place storage.Place) Place {
	return Shared(place.String(), func(ctx context.Context, looks bool) (store.Store, error) {
		return place.Open(ctx, storage.Options{ReadOnly: looks})
	})
}

// named makes an error about --store one about the flag that was given.
func (g Given) named(err error) error {
	f := fault.As(err)
	switch variable := "ORCHESTRATOR_" + strings.ToUpper(g.Flag); {
	case fault.Is(err, storage.CodePassword):
		return f.WithFix(
			"leave it out of the URL and put it into ~/.pgpass or PGPASSWORD; or give the whole URL in %s, or "+
				"in a file of mode 0600 that --%s-file names. Change the password if this machine has other users",
			variable,
			g.Flag,
		)
	case fault.Is(err, storage.CodePlace) && g.File == "":
		return fault.New(
			fault.Invalid,
			storage.CodePlace,
			"--%s names neither a data folder nor a PostgreSQL database",
			g.Flag,
		).WithFix("give bbolt: with the path of a data folder, or postgres://USER@HOST/DATABASE?search_path=SCHEMA")
	case fault.Is(err, fault.CodeUsage):
		return fault.Misuse("--%s and --%[1]s-file both name a place", g.Flag).WithFix("give one of them")
	}
	return err
}
