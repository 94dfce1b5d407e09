//go:build !linux

package tree

import (
	"errors"
	"io/fs"
	"os"
)

func exchange(_, _ spot) error { return errors.ErrUnsupported }

func isLocal(*os.File) bool { return false }

func holdAlone(*os.File, fs.FileInfo) (fs.FileInfo, bool) { return nil, false }

func letGo(*os.File) error { return nil }

func isUntouched(fs.FileInfo, fs.FileInfo) bool { return false }
