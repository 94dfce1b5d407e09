package ledger

// Keep writes a value that the log does not account for: no replay makes it, and it has no check sum. Whoever follows
// the ledger is told of it with the records of the same update; of an update without records nobody is told.
func (t Table[T]) Keep(tx *Tx, key string, value T) error {
	object := &value
	raw, err := Encode(object)
	if err != nil {
		return err
	}
	tx.kept = append(tx.kept, Write{Table: t.Name, Key: key, Value: raw, Object: object})
	return tx.store.Put(t.Name, key, raw)
}
