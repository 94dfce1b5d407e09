package state

import (
	"bytes"
	"strings"
	"time"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Begin returns the run as it is when a tool is about to start for an obligation.
func (t ToolRun) Begin(c planning.Contract, o planning.Obligation) ToolRun {
	t.Tool, t.Version, t.Status = c.Name, c.Version, RunStarted
	if t.Agent = c.Role != "" && c.Implementation.Means != planning.Steps; t.Agent {
		t.Requirement = requirementOf(o)
	}
	return t
}

// requirementOf returns the requirement that an obligation is about, or "".
func requirementOf(o planning.Obligation) string {
	id, _ := o.Payload["id"].(string)
	if !strings.HasPrefix(o.Kind(), "requirement.") {
		return ""
	}
	return id
}

// AgentRun is a run of an agent that has ended, or was cut off.
type AgentRun struct {
	Requirement string // that it was for; "" where it was for none
	Agent       string // the name of its contract, by which the log knows it
	Caller      string // in whose name it was run
	At          time.Time
	DurationMS  float64      // 0 where it was cut off
	Usage       *usage.Usage // nil where it reported none
}

// AgentRuns returns the runs of agents in the run of a number, and how many bytes were read to find them. Large values
// are not looked up.
func (v View) AgentRuns(n uint64) (all []AgentRun, size int, err error) {
	run, found, err := read[string](v.get, kindNumber, numberKey(n))
	if err != nil || !found {
		return nil, 0, err
	}
	err = v.scan(key(kindToolRun, run), func(rest string, raw []byte) error {
		size += len(raw)
		row, _, err := decode[ranRow](rest, visible(raw))
		if err != nil || row.Status == RunStarted {
			return err
		}
		one, is, err := agentRunOf(v, run, row)
		if is {
			all = append(all, one)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		return nil, size, err
	}
	request, more, err := shown[struct {
		Caller audit.Actor `json:"caller"`
	}](v.from, key(kindRequest, run))
	for i := range all {
		all[i].Caller = request.Caller.Name
	}
	return all, size + more, err
}

// ranRow is what is read of the row of a run of a tool.
type ranRow struct {
	ID          string       `json:"id"`
	Tool        string       `json:"tool"`
	Status      string       `json:"status"`
	At          time.Time    `json:"at"`
	DurationMS  float64      `json:"duration_ms"`
	Usage       *usage.Usage `json:"usage"`
	Agent       bool         `json:"agent"`
	Requirement string       `json:"requirement"`
}

// agentRunOf returns what a row says of a run of an agent; is is false where it is the run of another tool. The rows of
// earlier versions do not say so, but there is the event of an agent that was let in, and its obligation.
func agentRunOf(v View, run string, row ranRow) (one AgentRun, is bool, err error) {
	if !row.Agent {
		if is, err = admitted(v, run, row); err != nil || !is {
			return one, false, err
		}
		if row.Requirement, err = requirementIn(v, run, row.ID); err != nil {
			return one, false, err
		}
	}
	return AgentRun{Requirement: row.Requirement, Agent: row.Tool, At: row.At, DurationMS: row.DurationMS,
		Usage: row.Usage}, true, nil
}

// admitted reports whether a run let an agent in for the run of a tool.
func admitted(v View, run string, row ranRow) (bool, error) {
	if row.Usage != nil {
		return true, nil
	}
	event, err := v.packedRow(kindEvent, run, row.ID+"/agent")
	return event != nil, err
}

// requirementIn returns the requirement that the obligation of a run of a tool is about, or "".
func requirementIn(v View, run, id string) (string, error) {
	obligation, _, _ := strings.Cut(id, "/")
	row, _, err := shown[struct {
		Of planning.Obligation `json:"obligation"`
	}](v.from, key(kindObligation, run, obligation))
	return requirementOf(row.Of), err
}

// visible returns a row as it is kept: something else stands in the place of its large values.
func visible(raw []byte) []byte {
	if inner, is := bytes.CutPrefix(raw, []byte(packedMark)); is {
		return inner[:len(inner)-1]
	}
	return raw
}

// shown reads the small members of a row, and how many bytes it has; they are empty where there is no such row.
func shown[T any](from store.Getter, key string) (value T, size int, err error) {
	raw, err := from.Get(Table.Name, placeOf(key))
	if err != nil || raw == nil {
		return value, 0, err
	}
	value, _, err = decode[T](key, visible(raw))
	return value, len(raw), err
}
