// Package printed keeps what agent clients print of the tokens and the money that they used.
package printed

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// usages is where is kept what clients print of what they used, seen from the root of the repository.
const usages = "internal/conductor/usage/testdata/driven"

// wholly are members of a client's messages that are kept as they are, and partly those of which some members are.
var (
	wholly = []string{"type", "usage", "total_cost_usd", "modelUsage", "models", "tokens", "cost"}
	partly = []string{"stats", "part"}
)

// reported returns what a message says of its usage.
func reported(message any) any {
	switch m := message.(type) {
	case []any:
		all := []any{}
		for _, one := range m {
			all = append(all, reported(one))
		}
		return all
	case map[string]any:
		kept := map[string]any{}
		for name, value := range m {
			switch {
			case slices.Contains(wholly, name):
				kept[name] = value
			case slices.Contains(partly, name):
				kept[name] = reported(value)
			}
		}
		return kept
	}
	return nil
}

// Keep keeps what a client printed of its usage, in the last of its runs, whose outputs lie in a folder.
func Keep(folder, client string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("the client printed nothing"))
	}
	raw, err := os.ReadFile(slices.Max(files))
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for decoder := json.NewDecoder(bytes.NewReader(raw)); ; {
		var message any
		if err = decoder.Decode(&message); err != nil {
			break
		}
		line, err := json.Marshal(reported(message))
		if err != nil {
			return err
		}
		kept.Write(append(line, '\n'))
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return os.WriteFile(filepath.Join(usages, client+".jsonl"), kept.Bytes(), 0o600)
}
