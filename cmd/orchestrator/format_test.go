package main

import (
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/ledger"
)

// keptLogs is the folder with logs of earlier formats and rules.
const keptLogs = "../../testdata/logs"

// keepVariable names the folder into which keep copies; `make format-data` sets it.
const keepVariable = "KEEP_FORMAT"

// keep: keep DATABASE BUNDLE BACKUP copies what a script has made, as format<N>.db.gz, format<N>.bundle.zip and
// format<N>.backup.zip, into the folder that KEEP_FORMAT names; without it, keep does nothing.
func (s *script) keep(args []string) error {
	folder := os.Getenv(keepVariable)
	if folder == "" {
		return nil
	}
	base := filepath.Join(folder, fmt.Sprintf("format%d", ledger.Format))
	return errors.Join(
		compress(s.ts.MkAbs(args[0]), base+".db.gz"),
		os.WriteFile(base+".bundle.zip", []byte(s.ts.ReadFile(args[1])), 0o644),
		os.WriteFile(base+".backup.zip", []byte(s.ts.ReadFile(args[2])), 0o644))
}

// kept: kept NAME[:PATH] FILE makes a copy of a file of testdata/logs, without its compression if its name ends in .gz, or
// of what a ZIP file has at a path.
func (s *script) kept(args []string) error {
	name, path, within := strings.Cut(args[0], ":")
	from, to := filepath.Join(keptLogs, name), s.ts.MkAbs(args[1])
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	read := os.ReadFile
	switch {
	case within:
		read = func(from string) ([]byte, error) { return unpacked(from, path) }
	case filepath.Ext(from) == ".gz":
		read = decompressed
	}
	content, err := read(from)
	return errors.Join(err, os.WriteFile(to, content, 0o600))
}

// unpacked is a file of a ZIP file.
func unpacked(from, path string) ([]byte, error) {
	z, err := zip.OpenReader(from)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	f, err := z.Open(path)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

func compress(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	_, err = z.Write(content)
	return errors.Join(err, z.Close(), f.Close())
}

func decompressed(from string) ([]byte, error) {
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
