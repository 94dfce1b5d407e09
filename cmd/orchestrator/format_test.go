package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// kept: kept NAME FILE makes a copy of a file of testdata/logs, without its compression if its name ends in .gz.
func (s *script) kept(args []string) error {
	from, to := filepath.Join(keptLogs, args[0]), s.ts.MkAbs(args[1])
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if filepath.Ext(from) == ".gz" {
		return decompress(from, to)
	}
	content, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, content, 0o600))
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

func decompress(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(z)
	return errors.Join(err, os.WriteFile(to, content, 0o600))
}
