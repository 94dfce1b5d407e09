package main

import (
	"fmt"
	"os"
	"path/filepath"

	"orchestrator/cmd/bench/fixture"
)

// The lengths of a requirement's text: what makes it about 1 KB as stored, as imported and with an implementation, and
// some lines.
const (
	wholeText  = 660
	shortText  = 120
	middleText = 220
)

func requirementID(i int) string { return fixture.RequirementID(i) }

// perDocument is how many requirements stand in one document; a document has a largest size.
const perDocument = 20_000

// document returns a requirement document; fixture.Document says with what.
func document(first, end, size int) []byte { return fixture.Document(first, end, size) }

// folder makes a folder under the run's own with documents of n requirements in it.
func (b *bench) folder(name string, n, size int) (string, error) {
	files := map[string][]byte{}
	for first := 0; first < n; first += perDocument {
		files[fmt.Sprintf("REQUIREMENTS-%d.md", len(files)+1)] = document(first, min(first+perDocument, n), size)
	}
	return b.folderOf(name, files)
}

// folderOf makes a folder under the run's own with these files in it.
func (b *bench) folderOf(name string, files map[string][]byte) (string, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// get returns a GET that is always the same.
func (s *server) get(role, path string) request {
	text := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, s.addr, s.secret(role))
	return func(dst []byte, _ int) []byte { return append(dst, text...) }
}

// patch returns a PATCH by the coder of one requirement after the other, step apart, round and round.
func (s *server) patch(requirements, step int) request {
	head := fmt.Sprintf("HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		s.addr, s.secret("coder"), len(fmt.Sprintf(fixture.Change, 0)))
	return func(dst []byte, n int) []byte {
		dst = fmt.Appendf(dst, "PATCH /requirements/%s %s", requirementID(n*step%requirements), head)
		return fmt.Appendf(dst, fixture.Change, n)
	}
}
