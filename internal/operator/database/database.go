// Package database works on the database of an installation while no service has it open: it verifies it, makes its
// file smaller, rebuilds one of an older format, and reads its log.
package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/requirements"
)

// CodeMissing is the code of a data folder without a database.
const CodeMissing fault.Code = "database_missing"

// Existing returns the path of the database in a data folder, for what must not make one.
func Existing(data datadir.Dir) (string, error) {
	database := data.Database()
	if _, err := os.Stat(database); err != nil {
		return "", fault.New(fault.NotFound, CodeMissing, "there is no database %s", database).
			WithFix("give the folder that has it with --data").Because(err)
	}
	return database, nil
}

// Source returns the log of a database, with the key that lies beside it. Call end after use.
func Source(ctx context.Context, data datadir.Dir) (src auditor.Source, end func() error, err error) {
	path := data.Database()
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fault.New(fault.NotFound, CodeMissing,
			"no service runs with the folder %s, and there is no database in it", data).
			WithFix("name the service with --server, or the folder with --data").Because(err)
	}
	opened, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	if err != nil {
		return nil, nil, InUse(ctx, err, data, "name it with --server ADDRESS")
	}
	src, err = sourceOf(ctx, opened, data)
	if err != nil {
		return nil, nil, errors.Join(NameUpgrade(err, data), opened.Close())
	}
	return src, opened.Close, nil
}

// InUse returns err. If it is that a service has the database open, the error says where that service answers, and what
// to do instead, in which ADDRESS stands for its address.
func InUse(ctx context.Context, err error, data datadir.Dir, instead string) error {
	if !fault.Is(err, store.CodeLocked) || !apiclient.Runs(data) {
		return err
	}
	addr, unread := apiclient.LocalAddress(ctx, data)
	if unread != nil {
		return err
	}
	url := apiclient.LocalURL(addr)
	held := fault.As(err).WithFix("%s", strings.ReplaceAll(instead, "ADDRESS", url)).Because(nil)
	held.Detail = fmt.Sprintf("the service at %s has the database %s open", url, data.Database())
	return held
}

// stopFirst is what to do for what needs the database to itself.
const stopFirst = "stop the service first, such as with orchestrator down; until then it answers as ever"

func sourceOf(ctx context.Context, from *boltstore.Store, data datadir.Dir) (auditor.Source, error) {
	l, err := ledger.OpenReadOnly(ctx, from)
	if err != nil {
		return nil, err
	}
	signer, err := keyfile.Read(ctx, data.Key())
	if err != nil {
		return nil, err
	}
	state, err := requirements.Export(ctx, l)
	if err != nil {
		return nil, err
	}
	return auditor.FromLedger(data.Database(), l, signer, state), nil
}
