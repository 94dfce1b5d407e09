package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// OpenRegular opens a regular file for reading, and nothing else: a pipe or a device could keep the program waiting for
// ever.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadRegular reads a regular file whole. One with more than most bytes is an error, and no more than that are read.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	if info, err := f.Stat(); err == nil {
		content.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	}
	_, err = content.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(content.Len()) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	if err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}
