//go:build !linux

package tree

import "os"

// takePlace puts the temporary file in the place of the named one.
func takePlace(root *os.Root, _ *os.File, temp, name string) error { return root.Rename(temp, name) }
