package worktree

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// kept is a tree that nobody works in: what is in it is of an earlier drive, or waits for a person.
type kept struct {
	shows string // its commit, and what is not committed
	moves int    // how often it had been entered and left
}

// keptBeside returns the trees of other requirements that nobody works in, by their folders.
//
// Implements: ORC-292
func keptBeside(ctx context.Context, m *Manager, own *Tree) map[string]kept {
	trees := map[string]kept{}
	entries, _ := os.ReadDir(m.folder()) // none where there is no folder
	for _, e := range entries {
		path := filepath.Join(m.folder(), e.Name())
		if !e.IsDir() || path == own.Path || slices.ContainsFunc(slices.Collect(maps.Values(m.entered)),
			func(t *Tree) bool { return t.Path == path }) {
			continue
		}
		trees[path] = kept{shows: shown(ctx, m, &Tree{Branch: prefix + e.Name(), Path: path}), moves: m.moves[path]}
	}
	return trees
}

// shown returns what a tree shows, in short.
func shown(ctx context.Context, m *Manager, t *Tree) string {
	at, err := m.resolve(ctx, headsPrefix+t.Branch)
	if err != nil {
		return err.Error()
	}
	left, err := m.uncommitted(ctx, t)
	text := fmt.Sprintln(at, err)
	for _, file := range left {
		text += fmt.Sprintln(file, digest(filepath.Join(t.Path, file)))
	}
	return text
}

// changedTrees returns the trees that are not as they were, though nobody worked in them meanwhile.
func changedTrees(before, now map[string]kept, moves map[string]int) (changed []string) {
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if was := before[path]; now[path].shows != was.shows && moves[path] == was.moves {
			changed = append(changed, "the working tree "+filepath.Base(path))
		}
	}
	return changed
}
