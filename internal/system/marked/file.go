package marked

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
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
		return f, unreadable(name, err)
	case !info.Mode().IsRegular():
		f.Left = "not a regular file"
	case info.Size() > MaxFile:
		f.Left = "larger than 1 MiB"
	}
	if f.There, f.mode = true, info.Mode().Perm(); f.Left != "" {
		return f, nil
	}
	text, err := durable.ReadRegular(name, MaxFile)
	switch {
	case err != nil:
		return f, unreadable(name, err)
	case !utf8.Valid(text):
		f.Left = "not UTF-8"
	default:
		f.Text = string(text)
	}
	return f, nil
}

func unreadable(name string, err error) error {
	return fault.New(fault.Unavailable, "instructions_unreadable", "%s cannot be read", name).
		WithFix("make it readable for you").Because(err)
}

// Includes reports whether the file takes over another one, by a line such as @AGENTS.md.
func (f File) Includes(other string) bool { return slices.Contains(strings.Fields(f.Text), "@"+other) }

// LeadsTo reports whether the file is a link that leads to another one.
func (f File) LeadsTo(other string) bool {
	link, err := os.Lstat(f.Name)
	if err != nil || link.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	to, err := os.Stat(f.Name)
	if err != nil {
		return false
	}
	info, err := os.Lstat(other)
	return err == nil && os.SameFile(to, info)
}

// Write replaces the text of the file in one step.
func (f File) Write(text string) error {
	err := durable.WriteFile(f.Name, f.mode, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return fault.New(fault.Unavailable, "file_unwritable", "%s cannot be written; it is as it was", f.Name).
			WithFix("make it and its folder writable for you, or free space on the disk").Because(err)
	}
	return nil
}
