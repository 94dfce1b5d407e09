// Package baseline has the programs that the product is measured beside.
//
// A floor does only what no implementation can leave out: for GET it returns the same bytes, for PATCH it commits the
// same bytes to the same database file, or appends them to its write-ahead log, or commits the same puts to PostgreSQL,
// in the same groups. The peer is the handler that people
// write without the product, with chi and PostgreSQL; the lone one makes a transaction of each request.
// None of them authenticates, decides, hashes or exports anything.
//
// Each runs in a process of its own, in a folder with the bytes of the product.
package baseline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"orchestrator/internal/datadir"
)

// The names of the baselines.
const (
	FloorGet    = "floor-get"
	FloorPatch  = "floor-patch"
	FloorAppend = "floor-append"
	FloorGroup  = "floor-group"
	Peer        = "peer"
	Lone        = "lone"
)

// The files in the folder of a baseline.
const (
	FileRequirement = "requirement.json" // what a GET returns, and what a PATCH stores
	FileRecord      = "record.json"      // what a PATCH adds
	FileIDs         = "ids"              // of the requirements that are there from the start, one a line
	FileDatabase    = "database"         // how PostgreSQL is reached
	FilePuts        = "puts.json"        // what a PATCH puts: a list of Put
)

// Files returns the files of a baseline that has these requirements, and stores at each change what the product has
// stored at its last: the requirement, and the last record of its history.
func Files(ids []string, requirement, history []byte) (map[string][]byte, error) {
	var page struct {
		Records []json.RawMessage `json:"records"`
	}
	if err := json.Unmarshal(history, &page); err != nil || len(page.Records) == 0 {
		return nil, errors.Join(err, errors.New("the history shows no record of the change"))
	}
	return map[string][]byte{FileRequirement: requirement, FileRecord: page.Records[len(page.Records)-1],
		FileIDs: []byte(strings.Join(ids, "\n") + "\n")}, nil
}

// Is reports whether a baseline has that name.
func Is(name string) bool {
	return slices.Contains([]string{FloorGet, FloorPatch, FloorAppend, FloorGroup, Peer, Lone}, name)
}

// Serve serves a baseline from the current folder until ctx ends.
func Serve(ctx context.Context, name string) error {
	if name == FloorGroup || name == Lone {
		return servePuts(ctx, name)
	}
	requirement, err := os.ReadFile(FileRequirement)
	if err != nil {
		return err
	}
	if name == FloorGet {
		return serve(ctx, bytesHandler(requirement))
	}
	record, err := os.ReadFile(FileRecord)
	if err != nil {
		return err
	}
	ids, err := os.ReadFile(FileIDs)
	if err != nil {
		return err
	}
	bytes := stored{strings.Fields(string(ids)), requirement, record}
	if name == Peer {
		return servePeer(ctx, bytes)
	}
	return serveFloor(ctx, bytes, name == FloorAppend)
}

// stored is what a baseline has, and what each change makes it store.
type stored struct {
	ids                 []string
	requirement, record []byte
}

// serve listens, says where in the same file as the product, and serves.
func serve(ctx context.Context, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: handler}
	context.AfterFunc(ctx, func() { _ = web.Close() })
	if err := os.WriteFile(datadir.Dir(datadir.Default).Address(), fmt.Appendln(nil, listener.Addr()),
		0o600); err != nil {
		return err
	}
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
