package project

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/requirements/choices"
)

// openKey reads the private key of the log, or makes it at the first start. The log names the key it is signed with, so
// that one cannot be lost, or put in the place of another, without a word.
func (p *Plan) openKey(ctx context.Context, d *dataFolder) (audit.Signer, error) {
	onRecord, err := choices.KeyOnRecord(ctx, d.ledger)
	if err != nil {
		return audit.Signer{}, err
	}
	if onRecord != "" {
		if err := sameOrigin(audit.OriginOf(onRecord), p.Origin); err != nil {
			return audit.Signer{}, err
		}
	}
	signer, err := p.readOrMakeKey(ctx, onRecord)
	if err != nil {
		return audit.Signer{}, err
	}
	if err := sameOrigin(signer.Origin(), p.Origin); err != nil {
		return audit.Signer{}, err
	}
	if err := choices.CheckKey(onRecord, signer.Key, p.AcceptNewKey); err != nil {
		return audit.Signer{}, err // before anything is written
	}
	path := p.dir().Key()
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		d.log.Warn().Str("file", path).Stringer("mode", info.Mode().Perm()).
			Msg("others can read the key that signs the log; chmod 600 keeps them out")
	}
	return signer, d.postponed.tryNow(ctx, datadir.PublicKey, func(ctx context.Context) error {
		return keyfile.WritePublic(ctx, p.dir().PublicKey(), signer.Key)
	})
}

// readOrMakeKey reads the private key. A missing one is made for a new log; for one that names a key only where the
// operator said why.
func (p *Plan) readOrMakeKey(ctx context.Context, onRecord string) (audit.Signer, error) {
	path := p.dir().Key()
	signer, err := keyfile.Read(ctx, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return signer, err
	}
	switch {
	case onRecord != "" && p.AcceptNewKey == "":
		return audit.Signer{}, fault.New(fault.Conflict, "audit_key_missing",
			"the key %s is missing, which signs the log %s", path, audit.OriginOf(onRecord)).
			WithFix("put it back from a backup, or give --accept-new-key REASON, which is recorded; who " +
				"has kept a checkpoint will then have to trust the new key")
	case p.Origin != "":
		return keyfile.Make(path, p.Origin)
	case onRecord != "":
		return keyfile.Make(path, audit.OriginOf(onRecord))
	}
	return keyfile.Make(path, "orchestrator/"+strings.ToLower(rand.Text()[:16])) // so that no two logs share one
}

// sameOrigin refuses another origin than the log has; "" is none.
func sameOrigin(has, wanted string) error {
	if wanted == "" || wanted == has {
		return nil
	}
	return fault.New(fault.Conflict, "audit_origin_changed", "the log has the origin %s, not %s", has, wanted).
		WithFix("leave --origin out; an origin is chosen once, at the first start")
}
