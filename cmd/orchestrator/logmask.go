package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"orchestrator/internal/secret"
)

// maskedLog writes log lines, which are JSON objects, without the secrets in their texts: a path, a panic or the
// message of another program may hold what a client sent.
type maskedLog struct{ to zerolog.LevelWriter }

// Write makes maskedLog an io.Writer.
func (m maskedLog) Write(line []byte) (int, error) { return m.WriteLevel(zerolog.NoLevel, line) }

// WriteLevel makes maskedLog a zerolog.LevelWriter.
func (m maskedLog) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	if _, err := m.to.WriteLevel(level, masked(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// masked returns a line without secrets. One that is no JSON is masked as it stands.
func masked(line []byte) []byte {
	if bytes.IndexByte(line, '\\') < 0 && len(secret.Find(string(line))) == 0 {
		return line
	}
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(line), lenient...), jsontext.NewEncoder(&out, lenient...)
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) && out.Len() > 0 {
			return out.Bytes()
		}
		if err == nil && token.Kind() == '"' {
			token = jsontext.String(secret.Mask(token.String()))
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			return []byte(secret.Mask(string(line)))
		}
	}
}
