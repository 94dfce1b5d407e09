package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// readText is the length of a requirement's text that makes a document of 10,000 about 5 MB.
const readText = 440

// reading measures how long the product takes to read a document of 5 MB and report on it, and in how much memory.
func (b *bench) reading(ctx context.Context) ([]row, error) {
	dir, err := b.folder("reading", started, readText)
	if err != nil {
		return nil, err
	}
	document := filepath.Join(dir, "REQUIREMENTS-1.md")
	info, err := os.Stat(document)
	if err != nil {
		return nil, err
	}
	megabytes := float64(info.Size()) / 1e6
	var seconds, times []float64
	for range b.rounds {
		took, peak, err := b.readOnce(ctx, dir, document)
		if err != nil {
			return nil, err
		}
		seconds, times = append(seconds, took), append(times, peak/megabytes)
		say("read %.1f MB in %.3f s, %.1f MB resident at most", megabytes, took, peak)
	}
	of := fmt.Sprintf("%d requirements, %.1f MB", started, megabytes)
	return []row{
		newRow("import --dry-run, "+of, "s", nil, seconds, nil, atMost(1)),
		newRow("its highest resident memory, in sizes of the document", "x", nil, times, nil, atMost(20)),
	}, nil
}

// readOnce runs the command once; the memory is in MB.
func (b *bench) readOnce(ctx context.Context, dir, document string) (seconds, peak float64, err error) {
	cmd := exec.CommandContext(ctx, b.binary, "import", "--dry-run", "--json", filepath.Base(document))
	cmd.Dir, cmd.Stdout = dir, io.Discard
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, err
	}
	took := time.Since(begun)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return took.Seconds(), float64(usage.Maxrss) * 1024 / 1e6, nil
}
