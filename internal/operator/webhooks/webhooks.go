// Package webhooks adds, lists, removes and tests the webhooks of a data folder, and has messages sent again, whether
// or not its service runs: a service takes changes of the files over by itself, and puts them on record.
package webhooks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
)

// Order is a webhook to be added.
type Order struct {
	URL, Name                         string // without a name it has that of its host
	Kinds, Roles, Requirements, Allow []string
	Link                              string
	SecretFile                        string // "" makes a secret
}

// Added is a webhook that was added.
type Added struct {
	Name   string `json:"name"`
	Host   string `json:"host"`
	Secret string `json:"secret_file"` // where it lies
	Plain  bool   `json:"plain_text"`  // other machines on the way can read the messages
}

// acceptEvery is how often it is looked whether a service follows a webhook.
const acceptEvery = 50 * time.Millisecond

// Add adds a webhook.
func Add(ctx context.Context, in storage.Place, o Order, now time.Time) (a Added, err error) {
	if err := in.CheckHere(ctx); err != nil {
		return a, err
	}
	data := in.Data()
	h, err := o.hook(now)
	if err != nil {
		return a, err
	}
	files, secret := folder.In(data), ""
	if o.SecretFile != "" {
		secret, err = files.SecretText(ctx, o.SecretFile)
	} else {
		secret = newSecret()
	}
	if err == nil {
		err = posting.Check(h)
	}
	if err == nil {
		err = files.Add(ctx, h, secret)
	}
	plain := strings.HasPrefix(h.URL, "http:") && !posting.Stays(h)
	return Added{h.Name, h.Host(), files.SecretPath(h.Name), plain}, err
}

// hook returns the webhook that is asked for.
func (o Order) hook(now time.Time) (h hook.Hook, err error) {
	h = hook.Hook{ID: newID(), Name: o.Name, URL: o.URL, Created: now.UTC().Truncate(time.Second), Kinds: o.Kinds,
		Roles: o.Roles, Requirements: o.Requirements, Allow: o.Allow, Link: o.Link}
	if h.Name == "" {
		h.Name = nameOf(h.Host())
	}
	if err := known("--kind", "a kind of record", o.Kinds, replay.Kinds()); err != nil {
		return h, err
	}
	roles := []string{ledger.System().Role}
	for _, role := range lifecycle.Roles() {
		roles = append(roles, string(role))
	}
	return h, known("--role", "a role", o.Roles, roles)
}

// known refuses values that are none of those that there are.
func known(flag, what string, given, there []string) error {
	for _, value := range given {
		if !slices.Contains(there, value) {
			return fault.New(fault.Invalid, fault.CodeUsage, "%s: %q is not %s", flag, fault.Clip(value, 80), what).
				WithFix("use one of %s", strings.Join(there, ", "))
		}
	}
	return nil
}

var unnamed = lazyregexp.New(`[^a-z0-9]+`)

// nameOf makes a name of a host.
func nameOf(host string) string {
	_, host, _ = strings.Cut(strings.ToLower(host), "://")
	name := strings.Trim(unnamed().ReplaceAllString(host, "-"), "-")
	return strings.TrimRight(name[:min(len(name), 40)], "-")
}

func newID() string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it does not fail
	return hex.EncodeToString(random[:])
}

func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:])
	return hook.NewSecret(random)
}

// AwaitFollowed returns once the service that runs with the data folder, if one does, follows a webhook.
func AwaitFollowed(ctx context.Context, in storage.Place, name string, most time.Duration) error {
	data := in.Data()
	if most <= 0 || !apiclient.Runs(data) {
		return nil
	}
	h, err := find(ctx, folder.In(data), name)
	if err != nil {
		return err
	}
	return reading(ctx, in, func(k kept) error {
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		for {
			if _, found, err := k.Progress(ctx, h); ctx.Err() == nil && (found || err != nil || !apiclient.Runs(data)) {
				return err
			}
			select {
			case <-time.After(acceptEvery):
			case <-ctx.Done():
				return notFollowed(k, name, most)
			}
		}
	})
}

func notFollowed(k kept, name string, most time.Duration) error {
	err := fault.New(fault.Unavailable, "webhook_not_followed",
		"the webhook was added, and the service did not follow it within %v", most)
	if k.shared {
		return err.WithFix("the replica on duty follows what lies in its own data folder: copy webhooks.json and "+
			"webhooks/%s.secret to that of %s, or run the command there; orchestrator webhook remove %s takes it back",
			name, cmp.Or(k.by, "each replica"), name)
	}
	return err.WithFix("see its log, or orchestrator health, for why it does not take webhooks.json over; "+
		"orchestrator webhook remove %s takes it back", name)
}

func find(ctx context.Context, files folder.Folder, name string) (hook.Hook, error) {
	all, err := files.Roster(ctx)
	if err != nil {
		return hook.Hook{}, err
	}
	return all.Find(name)
}

// Remove removes a webhook with its secret.
func Remove(ctx context.Context, data datadir.Dir, name string) error {
	_, err := folder.In(data).Remove(ctx, name)
	return err
}

// Listed is a webhook, and how it stands. It has no secret, and of the URL no more than the host.
type Listed struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Host    string    `json:"host"`
	Created time.Time `json:"created"`

	Kinds        []string `json:"kinds,omitempty"`
	Roles        []string `json:"roles,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	Allow        []string `json:"allow_addresses,omitempty"`
	Link         string   `json:"link,omitempty"`

	Begun    bool          `json:"begun"` // a service has followed it
	Next     uint64        `json:"next"`  // the record that it comes to next
	Sent     uint64        `json:"sent"`
	LastSent time.Time     `json:"last_sent,omitzero"`
	Again    uint64        `json:"again"` // records that are looked at again
	Dead     []hook.Dead   `json:"dead"`
	Letters  uint64        `json:"dead_letters"`
	Failing  *hook.Failing `json:"failing,omitempty"`
	Unusable string        `json:"unusable,omitempty"` // why the file that says how far it is cannot be used
}

// Named returns the webhooks of a data folder, without how they stand.
func Named(ctx context.Context, data datadir.Dir) ([]Listed, error) {
	all, err := folder.In(data).Roster(ctx)
	list := []Listed{}
	for _, h := range all {
		list = append(list, listed(h, hook.Progress{}, false))
	}
	return list, err
}

// List returns the webhooks as they stand.
func List(ctx context.Context, in storage.Place) (list []Listed, err error) {
	all, err := folder.In(in.Data()).Roster(ctx)
	if err != nil || len(all) == 0 {
		return []Listed{}, err
	}
	err = reading(ctx, in, func(k kept) error {
		for _, h := range all {
			p, begun, err := k.Progress(ctx, h)
			if ctx.Err() != nil {
				return err
			}
			if !begun {
				p = hook.Progress{}
			}
			one := listed(h, p, begun)
			if err != nil {
				one.Unusable = err.Error()
			}
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

func listed(h hook.Hook, p hook.Progress, begun bool) Listed {
	one := Listed{ID: h.ID, Name: h.Name, Host: h.Host(), Created: h.Created, Kinds: h.Kinds, Roles: h.Roles,
		Requirements: h.Requirements, Allow: h.Allow, Link: h.Link, Begun: begun, Next: p.Next, Sent: p.Sent,
		LastSent: p.LastAt, Dead: p.Dead, Letters: p.Letters(), Failing: p.Failing}
	for _, s := range p.Again {
		one.Again += s.To - s.From + 1
	}
	if one.Dead == nil {
		one.Dead = []hook.Dead{}
	}
	return one
}

// Tested is what became of a message that shows that a webhook works.
type Tested struct {
	Name   string  `json:"name"`
	ID     string  `json:"id"` // of the message
	Status int     `json:"status,omitzero"`
	TookMS float64 `json:"took_ms"`
}

// Test sends a signed message now, from this process, of which agent is the name.
func Test(ctx context.Context, data datadir.Dir, name, agent string, now time.Time) (Tested, error) {
	files := folder.In(data)
	h, err := find(ctx, files, name)
	if err != nil {
		return Tested{}, err
	}
	secrets, err := files.Secrets(ctx, name)
	if err != nil {
		return Tested{}, err
	}
	body, err := hook.Test(h, audit.Actor{Name: "operator", Role: ledger.System().Role}, now).Encode()
	if err != nil {
		return Tested{}, err
	}
	id := hook.IDOf([]byte(newID()))
	o := posting.Sender{Agent: agent}.Post(ctx, h, secrets, posting.Message{ID: id, At: now, Body: body})
	return Tested{name, id, o.Status, float64(o.Took.Microseconds()) / 1000}, o.Err
}

// Replayed is what is sent again.
type Replayed struct {
	Name  string `json:"name"`
	Since uint64 `json:"since,omitzero"`
	Dead  uint64 `json:"dead,omitzero"` // messages
	Runs  bool   `json:"service_runs"`  // otherwise they are sent when it does
}

// Replay marks the records from a number on to be sent again, before what comes next.
func Replay(ctx context.Context, in storage.Place, name string, since uint64) (Replayed, error) {
	r := Replayed{Name: name, Since: since}
	return again(ctx, in, r, func(p *hook.Progress) error { return p.Replay(since) })
}

// ReplayDead marks all dead letters to be sent again.
func ReplayDead(ctx context.Context, in storage.Place, name string) (Replayed, error) {
	var n uint64
	r, err := again(ctx, in, Replayed{Name: name}, func(p *hook.Progress) (err error) {
		n, err = p.ReplayDead()
		return err
	})
	r.Dead = n
	return r, err
}

// again changes how far a webhook has come, which its service notices.
func again(ctx context.Context, in storage.Place, r Replayed, change func(*hook.Progress) error) (Replayed, error) {
	h, err := find(ctx, folder.In(in.Data()), r.Name)
	if err != nil {
		return r, err
	}
	err = with(ctx, in, func(k kept) error {
		if _, begun, err := k.Progress(ctx, h); err != nil || !begun {
			if err == nil {
				err = fault.New(fault.Conflict, hook.CodeNothing, "no service has followed the webhook %s yet", r.Name).
					WithFix("start it: orchestrator up; what is recorded from then on is sent anyway")
			}
			return err
		}
		_, err := k.Advance(ctx, h, 0, change)
		r.Runs = k.by != ""
		return err
	})
	return r, err
}
