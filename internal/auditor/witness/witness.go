package witness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

const (
	lockWait = 2 * time.Second
	maxKey   = 1 << 10
)

// Server is asked for its log. An error of kind fault.NotFound, fault.Malformed, fault.Invalid or fault.Conflict is the
// server's refusal; any other says nothing of its log.
type Server interface {
	Get(ctx context.Context, path, media string) ([]byte, error)
	GetJSON(ctx context.Context, path string, v any) ([]byte, error)
}

// Options say where a witness keeps what it knows.
type Options struct {
	State string // file; made where there is none
	Key   string // file of its private key; made together with the state
	Name  string // of a key that is made, or required of the one that is there; empty for any
	// Displaced is told what stood in the place of a file that was written and was no regular file; may be nil.
	Displaced func(path, what string)
	// keys of logs; an address seen for the first time must show one of these. None: what it says it is
	Trust []string
}

// Witness watches logs. Only one at a time has a state file open.
type Witness struct {
	path   string
	trust  []string
	signer audit.Cosigner
	state  State
	unlock func()
	told   func(path, what string)

	Made bool // its key is new
}

// Open takes hold of the state and the key. A key without its state is refused: the witness could cosign what
// contradicts what it cosigned before.
func Open(o Options) (*Witness, error) {
	unlock, err := durable.Lock(o.State+".lock", lockWait)
	if errors.Is(err, durable.ErrLocked) {
		return nil, fault.New(fault.Unavailable, "witness_locked", "another witness uses %s", o.State).
			WithFix("give each witness a state of its own, with --state and --witness-key")
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "witness_folder", "the state %s cannot be kept", o.State).
			WithFix("name a file in a folder that is there and can be written, with --state").Because(err)
	}
	w := &Witness{path: o.State, trust: o.Trust, unlock: unlock, told: o.Displaced}
	if err := w.load(o); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Close lets others use the state.
func (w *Witness) Close() { w.unlock() }

// Key verifies what the witness cosigns.
func (w *Witness) Key() string { return w.signer.Key }

// Alarms returns all that were ever raised.
func (w *Witness) Alarms() []Alarm { return slices.Clone(w.state.Alarms) }

func (w *Witness) load(o Options) (err error) {
	if err := durable.RemoveStale(o.State); err != nil {
		return err
	}
	w.state, err = Read(o.State)
	if errors.Is(err, fault.NotFound) {
		if _, err := os.Stat(o.Key); err == nil {
			return forgotten("there is the key of a witness, %s, but not its state, %s", o.Key, o.State)
		}
		w.state, err = State{Logs: []Log{}, Alarms: []Alarm{}}, nil
	}
	if err != nil {
		return err
	}
	private, err := w.openKey(o)
	if err != nil {
		return err
	}
	if !w.Made && w.state.Witness != w.signer.Key {
		return forgotten("there is the key of a witness, %s, but the state %s is not of that witness", o.Key, o.State)
	}
	if err := w.checkTrust(); err != nil || !w.Made {
		return err
	}
	// The state comes first: a key that is there always has a state that names it.
	next := w.state
	next.Witness = w.signer.Key
	if err := w.save(next); err != nil {
		return err
	}
	if err := w.write(o.Key, append(private, '\n')); err != nil {
		return unusable(o, err)
	}
	return nil
}

func forgotten(format string, args ...any) error {
	return fault.New(fault.NotFound, "witness_state_missing", format, args...).
		WithFix("put the state back, or name it with --state; to begin as another witness, name another --witness-key")
}

func unusable(o Options, cause error) error {
	return fault.New(fault.Unavailable, "witness_key", "the key of the witness, %s, cannot be used", o.Key).
		WithFix("put it back from a backup, or name another regular file with --witness-key").Because(cause)
}

// openKey reads the key, or makes one, which is not in its file yet.
func (w *Witness) openKey(o Options) (private []byte, err error) {
	private, err = tree.ReadFile(context.Background(), o.Key, maxKey)
	if errors.Is(err, fs.ErrNotExist) {
		private, err = newKey(o.Name)
		w.Made = true
	}
	if err != nil {
		return nil, unusable(o, err)
	}
	if w.signer, err = audit.ParseCosigner(strings.TrimSpace(string(private))); err != nil {
		return nil, unusable(o, err)
	}
	if o.Name != "" && o.Name != w.signer.Name() {
		return nil, fault.New(fault.Conflict, "witness_name", "the key %s is of the witness %s, not %s", o.Key,
			w.signer.Name(), o.Name).
			WithFix("leave --name out; a name is chosen once, when the key is made")
	}
	return private, nil
}

func newKey(name string) ([]byte, error) {
	if name == "" {
		name = "witness/" + strings.ToLower(rand.Text()[:16])
	}
	private, err := audit.GenerateCosigner(rand.Reader, name)
	return []byte(private), err
}

// checkTrust refuses keys that contradict what is pinned.
func (w *Witness) checkTrust() error {
	for _, key := range w.trust {
		if err := audit.CheckKey(key); err != nil {
			return fault.New(fault.Invalid, fault.CodeUsage, "--key: %v", err).
				WithFix("give the line that GET /audit/key answers, or audit.pub holds")
		}
		if l, ok := w.state.byOrigin(audit.OriginOf(key)); ok && l.Key != key {
			return pinnedElse(l)
		}
	}
	return nil
}

func pinnedElse(l Log) error {
	return fault.New(fault.Conflict, "witness_key_pinned", "the log %s is pinned to another key: %s", l.Origin, l.Key).
		WithFix("leave --key out; if the log has got a new key, and says so, watch it with another --state and --witness-key")
}

// save makes a state the one that counts, once it is on disk.
func (w *Witness) save(next State) error {
	raw, err := next.encode()
	if err == nil {
		err = w.write(w.path, raw)
	}
	if err != nil {
		return fault.New(fault.Unavailable, "witness_state_unwritten",
			"the state %s cannot be written; nothing was cosigned", w.path).
			WithFix("see to the disk, then try again").Because(err)
	}
	w.state = next
	return nil
}

// write replaces a file, durably, and tells of what stood in its place that was no regular file.
func (w *Witness) write(path string, content []byte) error {
	displaced, err := durable.Replace(path, tree.Write{Perm: 0o600, Content: func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	}})
	if displaced != "" && w.told != nil {
		w.told(path, displaced)
	}
	return err
}

// Sighting is a checkpoint that was accepted and cosigned.
type Sighting struct {
	URL        string    `json:"url"`
	Origin     string    `json:"origin"`
	Size       uint64    `json:"size"`
	GrownBy    uint64    `json:"grown_by"`
	First      bool      `json:"first"` // the log is new to the witness: its key and size were taken on trust
	At         time.Time `json:"at"`
	Checkpoint string    `json:"checkpoint"` // cosigned
}

// Look asks the server at an address for its checkpoint, and accepts and cosigns it, or raises an *AlarmError. Any
// other error says that nothing is known. Before it returns, what it decided is on disk.
func (w *Witness) Look(ctx context.Context, url string, server Server, now time.Time) (Sighting, error) {
	presented, err := server.Get(ctx, "/audit/checkpoint", "text/plain")
	if err != nil {
		return Sighting{}, err
	}
	kept, refused := w.logOf(ctx, url, server, presented)
	var proof *audit.Consistency
	var accepted audit.Checkpoint
	if refused == nil {
		if proof, refused = prove(ctx, server, kept, presented); refused == nil {
			accepted, refused = Update(kept, presented, proof)
		}
	}
	if refusal := (*Refusal)(nil); errors.As(refused, &refusal) {
		return Sighting{}, w.alarm(ctx, server, Alarm{
			At: now.UTC(), URL: url, Reason: refusal.Reason, Detail: refusal.Detail,
			Key: kept.Key, Kept: kept.Checkpoint, Presented: string(presented), Proof: proof,
		})
	}
	if refused != nil {
		return Sighting{}, refused
	}
	return w.accept(url, kept, accepted, presented, now)
}

// logOf returns the log that an address is pinned to, or what is known of the log that a new address shows. On a
// *Refusal it is the log that the checkpoint should have been of.
func (w *Witness) logOf(ctx context.Context, url string, server Server, presented []byte) (Log, error) {
	if l, pinned := w.state.byURL(url); pinned {
		if len(w.trust) > 0 && !slices.Contains(w.trust, l.Key) {
			return l, pinnedElse(l)
		}
		return l, nil
	}
	said, err := claimed(presented)
	if err != nil {
		return Log{}, err
	}
	key, err := w.firstKey(ctx, server, said.Origin)
	if err != nil {
		return Log{}, err
	}
	if len(w.trust) == 0 {
		// A server that contradicts itself at the first meeting has broken no promise yet.
		if _, err := audit.OpenCheckpoint(presented, key); err != nil {
			return Log{}, fmt.Errorf("the checkpoint is not of the key that the server names: %w", err)
		}
	}
	if l, known := w.state.byOrigin(audit.OriginOf(key)); known {
		// under its own key: two logs of one origin cannot both be cosigned, since a cosignature names the origin alone
		return l, nil
	}
	return Log{Origin: audit.OriginOf(key), Key: key}, nil
}

// firstKey returns the key to open the checkpoint of a new address with: one of those trusted, or what the server
// names.
func (w *Witness) firstKey(ctx context.Context, server Server, origin string) (string, error) {
	for _, key := range w.trust {
		if audit.OriginOf(key) == origin {
			return key, nil
		}
	}
	if len(w.trust) > 0 {
		return w.trust[0], nil // which will not open it
	}
	answer, err := server.Get(ctx, "/audit/key", "text/plain")
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(answer))
	return key, audit.CheckKey(key)
}

// prove asks for the proof that a log has only grown, where one is needed.
func prove(ctx context.Context, server Server, kept Log, presented []byte) (*audit.Consistency, error) {
	c, err := open(kept.Key, presented)
	if err != nil || !NeedsProof(kept, c) {
		return nil, err
	}
	var proof audit.Consistency
	_, err = server.GetJSON(ctx, fmt.Sprintf("/audit/proof/consistency?old=%d&new=%d", kept.Size, c.Size), &proof)
	for _, refusal := range []fault.Kind{fault.NotFound, fault.Malformed, fault.Invalid, fault.Conflict} {
		if errors.Is(err, refusal) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &proof, nil
}

func (w *Witness) accept(url string, kept Log, c audit.Checkpoint, presented []byte, now time.Time) (Sighting, error) {
	if at := kept.LastSeen; now.Before(at) { // of two cosignatures the later one is of the larger log
		now = at
	}
	now = now.UTC().Truncate(time.Second)
	cosigned, err := w.signer.Cosign(presented, now)
	if err != nil {
		return Sighting{}, err
	}
	first := kept.Checkpoint == ""
	seen := Sighting{url, c.Origin, c.Size, c.Size - kept.Size, first, now, string(cosigned)}
	if first {
		kept.FirstSeen, seen.GrownBy = now, 0
	}
	if !slices.Contains(kept.URLs, url) {
		kept.URLs = append(slices.Clone(kept.URLs), url)
	}
	kept.Checkpoint, kept.Size, kept.Root, kept.LastSeen = string(cosigned), c.Size, c.Root, now
	if err := w.save(w.state.with(kept)); err != nil {
		return Sighting{}, err
	}
	return seen, nil
}
