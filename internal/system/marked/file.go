package marked

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/system/durable"
)

// MaxFile is the largest file that is edited.
const MaxFile = 1 << 20

// File is a file of the user that may hold a part.
type File struct {
	Name  string
	There bool
	Text  string
	Left  string // why it is left as it is: it is a link, too large or not UTF-8; "" where it is not

	mode fs.FileMode
}

// Read reads a file. One that is not there is empty, and is made by Write.
func Read(name string) (File, error) {
	f := File{Name: name, mode: 0o644}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		f.Left = "not a regular file"
	case info.Size() > MaxFile:
		f.Left = "larger than 1 MiB"
	}
	if f.There, f.mode = true, info.Mode().Perm(); f.Left != "" {
		return f, nil
	}
	text, err := durable.ReadRegular(name, MaxFile)
	if err == nil && !utf8.Valid(text) {
		f.Left = "not UTF-8"
		return f, nil
	}
	f.Text = string(text)
	return f, err
}

// Includes reports whether the file takes over another one, by a line such as @AGENTS.md.
func (f File) Includes(other string) bool { return slices.Contains(strings.Fields(f.Text), "@"+other) }

// Write replaces the text of the file in one step.
func (f File) Write(text string) error {
	return durable.WriteFile(f.Name, f.mode, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
