package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/webhooks"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
)

// makeKey makes the key of a data folder that no replica has had.
func makeKey(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(name, "data"), 0o700))
	_, err := keyfile.Make(datadir.Dir(filepath.Join(name, "data")).Key(), "orchestrator/"+filepath.Base(name))
	require.NoError(t, err)
}

// openTogether opens two replicas at the same moment.
func openTogether(t *testing.T, hub *storetest.Hub, o Options, names [2]string) (opened [2]*replica, errs [2]error) {
	t.Helper()
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { opened[i], errs[i] = openReplica(t, hub, o, name) })
	}
	all.Wait()
	return opened, errs
}

// Verifies: ORC-362
// Verifies: ORC-365
// Verifies: ORC-370
func TestReplicasThatStartAtOnceBeginOneLog(t *testing.T) {
	o, _ := inWorkingTree(t)
	for round := range 10 {
		hub := storetest.NewHub()
		names := [2]string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		makeKey(t, names[0])
		copyKey(t, names[0], names[1])
		both, errs := openTogether(t, hub, o, names)
		made := 0
		for i, r := range both {
			require.NoError(t, errs[i])
			r.serve()
			made += len(r.MadeTokens)
			require.NotContains(t, r.log.String(), "an earlier start", "nobody has left it")
		}
		require.Equal(t, 2, made, "the pm's and the viewer's, once")
		for _, r := range both {
			eventually(t, "it has what was imported", func() bool { return r.Service.State().Requirements == 1 })
			require.Equal(t, 1, r.imports())
			all, err := r.data.credentials.List(t.Context())
			require.NoError(t, err)
			require.Len(t, all, 2)
		}
		require.Equal(t, both[0].Ledger.Head(), both[1].Ledger.Head())
		both[0].close()
		both[1].close()
	}
}

// Of two projects that begin in one store the first has it. The other leaves nothing, there or in its data folder.
//
// Verifies: ORC-362
func TestOfTwoProjectsThatStartAtOnceOneIsRefused(t *testing.T) {
	o, _ := inWorkingTree(t)
	for round := range 10 {
		hub := storetest.NewHub()
		names := [2]string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		makeKey(t, names[0])
		makeKey(t, names[1])
		both, errs := openTogether(t, hub, o, names)
		won, lost := 0, 1
		if errs[0] != nil {
			won, lost = 1, 0
		}
		require.NoError(t, errs[won])
		require.True(t, fault.Is(errs[lost], "store_of_another_project"), "%v", errs[lost])
		left, err := os.ReadDir(filepath.Join(names[lost], "data"))
		require.NoError(t, err)
		require.Len(t, left, 1, "the key alone: %v", left)
		both[won].serve()
		require.Equal(t, 1, both[won].imports())
		both[won].close()
	}
}

// slowTool is a program that says that it runs, and waits until it is let go.
const slowTool = `name: project.%[1]s
version: "1.0"
description: Says that it runs.
roles: [pm]
satisfies: [REPORT(query.%[1]s)]
consumes: {}
produces: {type: object, properties: {lines: {type: integer}}, required: [lines], additionalProperties: false}
reliability: high
cost: tiny
latency_ms: 50
timeout_ms: 60000
verify: "off"
idempotent: %[2]t
implementation:
  means: exec
  argv: [/bin/sh, -c, 'echo %[1]s >> ran; while [ ! -e %[3]s ]; do sleep 0.01; done; echo "{\"lines\":3}"']
  env: [PATH]
  dir: .
`

// A run goes on at the next replica where the first one, cut off from the store, can put nothing on record any more.
//
// Verifies: ORC-365
func TestARunThatIsHalfDoneGoesOnAtTheNextReplicaOnce(t *testing.T) {
	for _, idempotent := range []bool{true, false} {
		t.Run(fmt.Sprint("idempotent ", idempotent), func(t *testing.T) {
			o, _ := inWorkingTree(t)
			hub := storetest.NewHub()
			for _, name := range []string{"one", "two"} {
				tools := filepath.Join(name, "data", "tools")
				require.NoError(t, os.MkdirAll(tools, 0o700))
				contracts := fmt.Sprintf(slowTool, "quick", false, "R.md") + "---\n" +
					fmt.Sprintf(slowTool, "slow", idempotent, "go")
				require.NoError(t, os.WriteFile(filepath.Join(tools, "both.yaml"), []byte(contracts), 0o600))
			}
			one := startReplica(t, hub, o, "one")
			copyKey(t, "one", "two")
			two := startReplica(t, hub, o, "two")
			caller := conductor.Caller{Name: "pm", Role: "pm"}
			asked := conductor.Asked{Request: requestOf(t, `{"idempotency_key":"k","obligations":[
				{"type":"REPORT","payload":{"kind":"query.quick"}},{"type":"REPORT","payload":{"kind":"query.slow"}},
				{"type":"REPORT","payload":{"kind":"query.math","expr":"2+3"}}]}`)}
			answered := make(chan error, 1)
			go func() {
				_, err := one.Conductor.Ask(t.Context(), caller, asked)
				answered <- err
			}()
			ran := func() string {
				text, _ := os.ReadFile("ran")
				return strings.Join(strings.Fields(string(text)), " ")
			}
			eventually(t, "it is half done", func() bool { return ran() == "quick slow" })
			one.handle.Cut(fault.New(fault.Unavailable, "store_unreachable", "no server").Because(errors.New("cut")))
			eventually(t, "the other takes over", two.Duty().OnDuty)
			if idempotent {
				eventually(t, "what may run again does", func() bool { return ran() == "quick slow slow" })
			}
			require.NoError(t, os.WriteFile("go", nil, 0o600))
			eventually(t, "the run has ended", func() bool {
				return strings.Contains(two.log.String(), "went on to its end")
			})
			require.Error(t, <-answered, "who asked the first one is told nothing that is not on record")

			trace, err := two.Conductor.Ask(t.Context(), caller, asked)
			require.NoError(t, err)
			require.Len(t, trace.Obligations, 3)
			var outcomes []string
			for _, one := range trace.Obligations {
				outcomes = append(outcomes, string(one.Status))
				require.Len(t, one.Runs, 1)
			}
			want, times := []string{"resolved", "resolved", "resolved"}, "quick slow slow"
			if !idempotent {
				want, times = []string{"resolved", "escalated", "resolved"}, "quick slow"
				require.EqualValues(t, "outcome_unknown", trace.Obligations[1].Runs[0].Error.Code)
			}
			require.Equal(t, want, outcomes)
			require.Equal(t, times, ran())
			size := two.Ledger.Head().Size
			one.handle.Cut(nil)
			eventually(t, "the first one is there again", func() bool { return one.Ledger.Head().Size == size })
			one.close()
			require.Equal(t, size, two.Ledger.Head().Size, "it adds nothing")
			two.close()
		})
	}
}

func requestOf(t *testing.T, text string) (request planning.Request) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &request))
	return request
}

// What comes next for a webhook is where all replicas look: a command may be given in the data folder of any.
//
// Verifies: ORC-368
func TestAWebhookIsToldAgainOnceWhereverThatIsAsked(t *testing.T) {
	var mu sync.Mutex
	told, status := map[string]int{}, http.StatusOK
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		if status == http.StatusOK {
			told[r.Header.Get("Webhook-Id")]++
		}
		w.WriteHeader(status)
	}))
	defer receiver.Close()
	answer := func(with int) {
		mu.Lock()
		defer mu.Unlock()
		status = with
	}
	times := func() (times []int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range told {
			times = append(times, n)
		}
		return times
	}
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	h := hook.Hook{ID: "0123456789ab", Name: "ops", URL: receiver.URL, Created: time.Now().UTC(),
		Kinds: []string{"requirements.imported"}, Allow: []string{receiver.Listener.Addr().String()}}
	for _, name := range []string{"one", "two"} {
		data := datadir.Dir(filepath.Join(name, "data"))
		require.NoError(t, os.MkdirAll(string(data), 0o700))
		require.NoError(t, folder.In(data).Add(t.Context(), h, hook.NewSecret([32]byte{1})))
	}
	eventually(t, "it is followed", func() bool { return len(one.Webhooks()) == 1 })
	copyKey(t, "one", "two")
	two := startReplica(t, hub, o, "two")
	in := func(name string) storage.Place {
		return storage.Opening(datadir.Dir(filepath.Join(name, "data")), "memory",
			func(context.Context) (store.Shared, error) { return hub.Open(), nil })
	}
	change := func(text string, on *replica, imports int) {
		require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: "+text+".\n"), 0o600))
		eventually(t, "it is imported", func() bool { return on.imports() == imports })
	}
	first := one.Ledger.Head().Size
	change("Uno", one, 2)
	eventually(t, "it is told", func() bool { return len(times()) == 1 })
	listed := func(name string) webhooks.Listed {
		all, err := webhooks.List(t.Context(), in(name))
		require.NoError(t, err)
		return all[0]
	}
	eventually(t, "that is kept", func() bool { return listed("two").Sent == 1 })
	require.Equal(t, listed("one"), listed("two"))

	replayed, err := webhooks.Replay(t.Context(), in("two"), "ops", first)
	require.NoError(t, err)
	require.True(t, replayed.Runs)
	eventually(t, "it is told again", func() bool { return listed("one").Sent == 2 && listed("one").Again == 0 })
	answer(http.StatusGone)
	change("Eins", one, 3)
	eventually(t, "it is given up", func() bool { return listed("two").Letters == 1 })
	answer(http.StatusOK)
	one.close()
	eventually(t, "the other follows it", func() bool { return len(two.Webhooks()) == 1 })
	_, err = webhooks.ReplayDead(t.Context(), in("one"), "ops")
	require.NoError(t, err)
	eventually(t, "the dead letter is told", func() bool { return listed("two").Sent == 3 })

	again := startReplica(t, hub, o, "one")
	two.close()
	eventually(t, "the first one follows it", func() bool { return len(again.Webhooks()) == 1 })
	change("Un", again, 4)
	eventually(t, "it is told", func() bool { return listed("one").Sent == 4 })
	require.Zero(t, listed("one").Letters)
	again.close()
	require.ElementsMatch(t, []int{2, 1, 1}, times(), "once more where that was asked, and no more")
}
