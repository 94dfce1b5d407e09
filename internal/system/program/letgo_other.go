//go:build !linux

package program

// LetGo does nothing here.
func LetGo() {}

// Empty does nothing here.
func Empty([]byte) {}
