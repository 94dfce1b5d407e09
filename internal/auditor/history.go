package auditor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/system/git"
)

// maxHistory is the most bytes that git may print of one file's history.
const maxHistory = 256 << 20

// History is every checkpoint that a repository has had in one file.
type History struct {
	Kept    []Kept
	Skipped []string // versions of the file that are no checkpoint
	Shallow bool     // the clone does not have the whole history
}

// ReadHistory finds all versions of a checkpoint file in all branches, tags and the reflog of the repository that it
// lies in. Whoever commits the file beside the work makes the repository, and every clone of it, a witness.
func ReadHistory(ctx context.Context, path string) (History, error) {
	h, err := readHistory(ctx, path)
	if err == nil && len(h.Kept) == 0 {
		err = errors.New("no commit has a checkpoint in it")
	}
	if err != nil {
		return h, fault.New(fault.Unavailable, "history_unreadable", "the history of %s cannot be read", path).
			WithFix("name the checkpoint file in a git repository that it was committed to: --git=FILE").Because(err)
	}
	return h, nil
}

func readHistory(ctx context.Context, path string) (h History, err error) {
	command, err := git.Find("")
	if err != nil {
		return h, err
	}
	repository := git.Command{Path: command, Dir: filepath.Dir(path), Env: []string{"GIT_LITERAL_PATHSPECS=1"}}
	shallow, err := run(ctx, repository, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return h, err
	}
	h.Shallow = strings.TrimSpace(string(shallow)) == "true"
	listed, err := run(ctx, repository, nil, "log", "--all", "--reflog", "--full-history", "-m", "--raw",
		"--no-abbrev", "--no-renames", "--format=%h of %cs", "--", filepath.Base(path))
	if err != nil {
		return h, err
	}
	ids, names := versions(string(listed))
	content, err := run(ctx, repository, strings.NewReader(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return h, err
	}
	from := bufio.NewReader(bytes.NewReader(content))
	for i, id := range ids {
		note, err := nextBlob(from, id)
		if err != nil {
			return h, err
		}
		name := filepath.Base(path) + " in commit " + names[i]
		if c, err := audit.ReadCheckpoint(note); err != nil || c.Size == 0 {
			h.Skipped = append(h.Skipped, name)
			continue
		}
		h.Kept = append(h.Kept, Kept{name, note})
	}
	return h, nil
}

// versions reads the raw form of git log: the ids of the file's versions, each once, and a commit that has it.
func versions(listed string) (ids, names []string) {
	seen := map[string]bool{}
	commit := ""
	for line := range strings.Lines(listed) {
		line = strings.TrimSuffix(line, "\n")
		fields := strings.Fields(line)
		switch {
		case !strings.HasPrefix(line, ":"):
			if line != "" {
				commit = line
			}
		case len(fields) > 4 && !seen[fields[3]] && strings.Trim(fields[3], "0") != "":
			seen[fields[3]] = true
			ids, names = append(ids, fields[3]), append(names, commit)
		}
	}
	return ids, names
}

// nextBlob reads one answer of git cat-file --batch: id, type and size on a line, then the content.
func nextBlob(from *bufio.Reader, id string) ([]byte, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != id || fields[1] != "blob" {
		return nil, fmt.Errorf("git does not have %s as a file: %s", id, strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > maxHistory {
		return nil, fmt.Errorf("git cannot show %s: %s", id, strings.TrimSpace(line))
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(from, content); err != nil {
		return nil, err
	}
	return content[:size], nil
}

func run(ctx context.Context, repository git.Command, in io.Reader, args ...string) ([]byte, error) {
	cmd := repository.Prepare(ctx, args...)
	out, words := &git.Output{Most: maxHistory}, &git.Output{Most: 1 << 10, Cut: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, words
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %s: %w", args[0], git.Said(words.String()), err)
	}
	return []byte(out.String()), nil
}
