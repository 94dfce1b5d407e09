package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// starting is a project whose starts are measured, with its goals.
type starting struct {
	requirements, text int // how many, and bytes of text of each

	ready, importing  *goal // seconds: to the first answer, and of processor time of the start that imports
	resident, highest *goal // MB after traffic
}

var startings = []starting{
	{started, wholeText, atMost(0.5), atMost(1), atMost(80), atMost(110)},
	{many, middleText, atMost(3), atMost(8), nil, nil},
}

// startUp measures how soon the product answers, and how much memory it then takes.
func (b *bench) startUp(ctx context.Context) (rows []row, err error) {
	for _, of := range startings {
		more, err := b.startUpOf(ctx, of)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (b *bench) startUpOf(ctx context.Context, of starting) ([]row, error) {
	dir, err := b.folder(fmt.Sprint("start-", of.requirements), of.requirements, of.text)
	if err != nil {
		return nil, err
	}
	say("first start, which imports %d requirements", of.requirements)
	var imported float64
	first, peak, err := b.startOnce(ctx, dir, func(s *server) (float64, error) {
		imported = s.cpu().Seconds()
		return s.memory("VmHWM")
	})
	if err != nil {
		return nil, err
	}
	var seconds, resident, highest []float64
	for range b.rounds {
		took, now, err := b.startOnce(ctx, dir, func(s *server) (float64, error) {
			if err := s.traffic(ctx, of.requirements); err != nil {
				return 0, err
			}
			high, err := s.memory("VmHWM")
			highest = append(highest, high)
			return now(s, err)
		})
		if err != nil {
			return nil, err
		}
		seconds, resident = append(seconds, took), append(resident, now)
		say("start %.3f s, then %.1f MB resident, %.1f MB at most", took, now, highest[len(highest)-1])
	}
	info, err := os.Stat(filepath.Join(dir, "project_status.json"))
	if err != nil {
		return nil, err
	}
	size := fmt.Sprintf("%d requirements, export of %.1f MB", of.requirements, float64(info.Size())/1e6)
	among := fmt.Sprintf(", %d requirements", of.requirements)
	return []row{
		newRow("start to first 200, "+size, "s", nil, seconds, nil, of.ready),
		newRow("first start, with import"+among, "s", nil, []float64{first}, nil, nil),
		newRow("processor time of the first start"+among, "s", nil, []float64{imported}, nil, of.importing),
		newRow("resident memory after traffic"+among, "MB", nil, resident, nil, of.resident),
		newRow("highest resident memory"+among, "MB", nil, highest, nil, of.highest),
		newRow("highest resident memory, first start"+among, "MB", nil, []float64{peak}, nil, nil),
	}, nil
}

// now returns what is resident.
func now(s *server, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	return s.memory("VmRSS")
}

// startOnce starts the product, takes a measure and ends it.
func (b *bench) startOnce(ctx context.Context, dir string,
	measure func(*server) (float64, error)) (seconds, measured float64, err error) {
	s, err := b.product(ctx, dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	measured, err = measure(s)
	return s.ready.Seconds(), measured, err
}

// traffic makes some of every request, among so many requirements.
func (s *server) traffic(ctx context.Context, requirements int) error {
	if err := s.once(ctx, s.get("viewer", "/requirements/"+requirementID(1)), 2_000); err != nil {
		return err
	}
	if err := s.once(ctx, s.patch(requirements, requirements/patched), patched); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	return s.calm(ctx)
}
