package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"orchestrator/internal/datadir"
)

// Root returns the root of the project that a folder belongs to: the nearest folder, from that one upwards, that has
// a data folder or orchestrator.yaml. The way up ends at the top of a repository.
//
// What another user put above a folder is passed over: it belongs to the owner of the folder, to the user who asks, or
// to root. Otherwise anybody could settle, in a folder such as /tmp, what commands in the folders below it do.
func Root(from string) (root string, found bool) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", false
	}
	trusted := []int{0, os.Getuid(), ownerOf(os.Stat(from))}
	for at := from; ; at = filepath.Dir(at) {
		if at == from && isRoot(at, nil) || isRoot(at, trusted) {
			return at, true
		}
		if info, err := os.Lstat(filepath.Join(at, ".git")); err == nil && info.IsDir() || at == filepath.Dir(at) {
			return "", false
		}
	}
}

// Above returns the outermost project that a folder lies in, not the folder itself, whatever repositories lie between.
// What another user put there is passed over, as Root does.
func Above(folder string) (outer string, found bool) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", false
	}
	trusted := []int{0, os.Getuid(), ownerOf(os.Stat(folder))}
	for at := folder; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		if isRoot(at, trusted) {
			outer, found = at, true
		}
	}
	return outer, found
}

// isRoot reports whether a folder has a data folder or orchestrator.yaml of one of some owners; nil is of anybody.
func isRoot(folder string, owners []int) bool {
	data, err := os.Stat(filepath.Join(folder, datadir.Default))
	if err == nil && data.IsDir() && isOf(filepath.Join(folder, datadir.Default), owners) {
		return true
	}
	return isOf(filepath.Join(folder, TreeFile), owners)
}

// isOf reports whether something stands at a path, and one of some owners put it there.
func isOf(path string, owners []int) bool {
	info, err := os.Lstat(path)
	if err != nil || owners == nil {
		return err == nil
	}
	owner := ownerOf(info, nil)
	for _, trusted := range owners {
		if owner == trusted && owner >= 0 {
			return true
		}
	}
	return false
}

// ownerOf returns the user that a file belongs to, or -1.
func ownerOf(info fs.FileInfo, err error) int {
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return int(stat.Uid)
		}
	}
	return -1
}

// Top returns the top of the git working tree that a folder lies in. What another user put above the folder is passed
// over, as Root does.
func Top(from string) (top string, found bool) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", false
	}
	trusted := []int{0, os.Getuid(), ownerOf(os.Stat(from))}
	for at := from; ; at = filepath.Dir(at) {
		if isOf(filepath.Join(at, ".git"), trusted) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}
