//go:build !race

package sentry

const raceEnabled = false
