package onefile

import (
	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/ledger/store/onefile/file"
)

// Check walks every page of the newest committed state and returns an error that names the first flaw: a page
// that is no page, is used twice or is lost, keys out of order, a bucket in a bucket, a damaged head. It reads
// the bytes of the file and trusts none of them. bbolt keeps no checksums, so a changed value passes. Updates
// may run meanwhile.
func (s *Store) Check() error {
	tx, heads, err := s.beginCheck()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // until then the pages of this state are not written over
	at, err := file.Newest(heads)
	if err == nil && at.TxID != uint64(tx.ID()) {
		err = file.Flaw("the head of state %d is damaged", tx.ID())
	}
	if err == nil {
		err = file.Walk(s.file, at, bolt.MaxKeySize)
	}
	if err == nil && !(heads[0].Valid && heads[1].Valid) {
		err = errOneHead
	}
	if err != nil {
		return refusal(s.path, err)
	}
	return nil
}

// beginCheck reads the heads while no commit can change them.
func (s *Store) beginCheck() (tx *bolt.Tx, heads [2]file.Head, err error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	s.commit.RLock()
	defer s.commit.RUnlock()
	if tx, err = s.begin(); err != nil {
		return nil, heads, err
	}
	if heads, err = file.ReadHeads(s.file, s.size); err != nil {
		_ = tx.Rollback()
		return nil, heads, refusal(s.path, err)
	}
	return tx, heads, nil
}
