//go:build race

package auditor

// raceEnabled makes the tests try less: the race detector makes them ten times slower.
const raceEnabled = true
