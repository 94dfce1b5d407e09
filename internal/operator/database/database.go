// Package database works on the database of an installation while no service has it open: it verifies it, makes its
// file smaller, rebuilds one of an older format, and reads its log.
package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
)

// CodeMissing is the code of a data folder without a database.
const CodeMissing fault.Code = "database_missing"

// DutyLease is the name of the lease of the service that does alone what one of several must do.
const DutyLease = "duty"

// Existing returns the name of the database of a project, for what must not make one.
func Existing(ctx context.Context, place storage.Place) (string, error) {
	if !place.Exists() {
		if err := place.CheckHere(ctx); err != nil {
			return "", err
		}
		return "", fault.New(fault.NotFound, CodeMissing, "there is no database %s", place).
			WithFix("give the folder that has it with --data, or the store with --store")
	}
	return place.String(), nil
}

// Source returns the log of a database, with the key that lies beside it. Call end after use.
func Source(ctx context.Context, place storage.Place) (src auditor.Source, end func() error, err error) {
	if !place.Exists() {
		if err := place.CheckHere(ctx); err != nil {
			return nil, nil, err
		}
		return nil, nil, fault.New(fault.NotFound, CodeMissing,
			"no service runs with the folder %s, and there is no database in it", place.Data()).
			WithFix("name the service with --server, or the folder with --data")
	}
	opened, err := place.Open(ctx, storage.Options{ReadOnly: true})
	if err != nil {
		return nil, nil, InUse(ctx, err, place.Data(), "name it with --server ADDRESS")
	}
	src, err = sourceOf(ctx, opened, place)
	if err != nil {
		return nil, nil, errors.Join(NameUpgrade(err, place.Data()), opened.Close())
	}
	return src, opened.Close, nil
}

// Unused refuses a store that a service uses. A file is locked by whoever uses it; where several processes can have the
// store open, the one on duty is named, and what to do instead, in which ADDRESS stands for its address.
func Unused(ctx context.Context, s storage.Store, place storage.Place, instead string) error {
	shared := storage.Shared(s)
	if shared == nil {
		return nil
	}
	lease, err := shared.Holder(ctx, DutyLease)
	if err != nil || lease.Holder == "" {
		return err
	}
	return fault.New(fault.Unavailable, store.CodeLocked, "the service at %s uses the log in %s", lease.Holder, place).
		WithFix("%s", strings.ReplaceAll(instead, "ADDRESS", lease.Holder))
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

// sourceOf reads the state before the log, which may grow in between.
func sourceOf(ctx context.Context, from store.Store, place storage.Place) (auditor.Source, error) {
	l, err := ledger.OpenReadOnly(ctx, from)
	if err != nil {
		return nil, err
	}
	signer, err := keyfile.Read(ctx, place.Data().Key())
	if err != nil {
		return nil, err
	}
	state, err := requirements.Export(ctx, l)
	if err != nil {
		return nil, err
	}
	if l, err = ledger.OpenReadOnly(ctx, from); err != nil {
		return nil, err
	}
	return auditor.FromLedger(place.String(), l, signer, state), nil
}
