//go:build !linux

package program

// LetGo does nothing here.
func LetGo() {}
