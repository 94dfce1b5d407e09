package token

// SharedOf returns the tokens of a token file as shared ones. path names the file in errors.
func SharedOf(path string, file []byte) ([]byte, error) {
	tokens, err := decode(path, file)
	if err != nil {
		return nil, err
	}
	set := sharedSet{Version: 1, Tokens: make([]sharedToken, len(tokens))}
	for i, t := range tokens {
		set.Tokens[i].Token = t
	}
	return encodeShared(set)
}

// FileOf returns the token file that has shared tokens, but for those that were minted: they end with the service.
func FileOf(shared []byte) ([]byte, error) {
	set, err := decodeShared(shared)
	if err != nil {
		return nil, err
	}
	tokens := []Token{}
	for _, t := range set.Tokens {
		if t.Minted == nil {
			tokens = append(tokens, t.Token)
		}
	}
	return encode(tokens)
}
