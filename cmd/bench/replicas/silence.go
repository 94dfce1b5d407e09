package replicas

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"orchestrator/cmd/bench/report"
	"orchestrator/cmd/torture/fleet"
)

// promotions is how many primaries are killed.
const promotions = 5

// silence measures how long nothing is acknowledged after a promotion, and requires that nothing is lost.
func (r *run) silence(ctx context.Context) (rows []report.Row, err error) {
	database, err := fleet.NewDatabase(ctx, filepath.Dir(r.Dir), fleet.StandbyOptions{Synchronous: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	project := &fleet.Project{Dir: filepath.Join(r.Dir, "silence"), Binary: r.Binary}
	defer func() { err = errors.Join(err, project.Close()) }()
	load := fleet.NewLoad(project)
	for range 2 {
		network, err := database.Network()
		if err != nil {
			return nil, err
		}
		if _, err := project.Join(ctx, network.URL("")); err != nil {
			return nil, err
		}
	}
	load.Target(project.Replicas()...)
	load.Begin(8, 1)
	var silent []float64
	for range promotions {
		time.Sleep(r.Round)
		promoted, err := database.FailOver(ctx)
		if err == nil {
			time.Sleep(3 * time.Second)
			silent = append(silent, load.Silence(promoted, time.Now()).Seconds())
			err = database.Renew(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, load.End())
		}
		r.Say("a promotion was followed by %.2f s of silence at most", silent[len(silent)-1])
	}
	if err := load.End(); err != nil {
		return nil, err
	}
	judged, err := load.Judge(project.Replicas()[0])
	if err != nil {
		return nil, err
	}
	return []report.Row{
		report.NewRow("longest silence after a promotion", "s", nil, silent, nil, atMost(2)),
	}, judged.Err()
}
