package record

import (
	"fmt"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/webhook/hook"
)

// Replay works out again which webhooks are in force. Its zero value has seen no record; it is a ledger.Replay.
type Replay struct {
	inForce []InForce
	written bool
}

// Kinds makes Replay a ledger.Replay.
func (r *Replay) Kinds() []string { return Kinds() }

// Read makes Replay a ledger.Replay.
func (r *Replay) Read(blobs store.Getter, from audit.Record) (any, error) {
	if from.Kind == KindAdded {
		return ledger.DataOf[Added](blobs, from)
	}
	return ledger.DataOf[Removed](blobs, from)
}

// Apply takes over that a hook was added or removed.
func (r *Replay) Apply(from audit.Record, data any) error {
	r.written = true
	switch data := data.(type) {
	case Added:
		if len(r.inForce) >= hook.Most || r.index(data.Name) >= 0 {
			return fmt.Errorf("it adds the webhook %s, which is there, or beyond %d", data.Name, hook.Most)
		}
		r.inForce = append(r.inForce, InForce{data, from.Seq})
		return check(from, data.Name)
	case Removed:
		i := r.index(data.Name)
		if i < 0 || r.inForce[i].ID != data.ID {
			return fmt.Errorf("it removes the webhook %s, which is not there", data.Name)
		}
		r.inForce = slices.Delete(r.inForce, i, i+1)
		return check(from, data.Name)
	}
	return fmt.Errorf("it has %T", data)
}

func (r *Replay) index(name string) int {
	return slices.IndexFunc(r.inForce, func(f InForce) bool { return f.Name == name })
}

// Tables makes Replay a ledger.Replay.
func (r *Replay) Tables() ([]ledger.Contents, error) {
	var values map[string][]InForce
	if r.written {
		values = map[string][]InForce{key: r.inForce}
	}
	contents, err := ledger.ContentsOf(table, values)
	return []ledger.Contents{contents}, err
}
