package settings

import (
	"errors"
	"io/fs"

	"github.com/BurntSushi/toml"

	"orchestrator/internal/system/durable"
)

// loadTOML reads a file of TOML; a missing one is empty.
func loadTOML(file string) (root map[string]any, err error) {
	text, err := durable.ReadRegular(file, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = toml.Unmarshal(text, &root)
	}
	return root, err
}

// inTOML returns the member at a path, nil where there is none.
func inTOML(root any, path ...string) any {
	for _, name := range path {
		table, _ := root.(map[string]any)
		root = table[name]
	}
	return root
}
