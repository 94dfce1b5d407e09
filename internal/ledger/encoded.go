package ledger

// Encoded is a value as Encode encodes it.
type Encoded []byte

func encodeData(data any) ([]byte, error) {
	if encoded, is := data.(Encoded); is {
		return encoded, nil
	}
	return Encode(data)
}

// PutEncoded writes a value as Put would have encoded it. The bytes are the ledger's from then on. What follows the
// commits is given object in place of the value.
func (t Table[T]) PutEncoded(tx *Tx, key string, value Encoded, object any) error {
	return tx.write(Write{t.Name, key, value, object})
}
