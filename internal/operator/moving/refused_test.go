package moving

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// A process that moves a log is killed at every step and in the middle of tables. The log is never lost, and the same
// move goes on.
//
// Verifies: ORC-376
func TestAMoveThatIsKilledGoesOn(t *testing.T) {
	steps := []string{"noted", "copied", "checked", "left", "published"}
	for range 3 {
		steps = append(steps, fmt.Sprint(1+rand.IntN(10)))
	}
	for _, step := range steps {
		data, to := lived(t, 40), datadir.Dir(filepath.Join(t.TempDir(), "to"))
		before := heldIn(t, data)
		killed(t, child(t, "bbolt:"+string(data), "bbolt:"+string(to), step))
		require.NoFileExists(t, to.Database(), "nothing is half visible")

		done, err := Move(t.Context(), InFolder(data), InFolder(to), plain)
		require.NoError(t, err, step)
		require.True(t, done.Resumed, step)
		requireSame(t, before, heldIn(t, to))
		change(t, to, 1)
	}
}

// After an interruption only what is missing is written.
func TestWhatIsCopiedIsNotCopiedAgain(t *testing.T) {
	data := lived(t, 30)
	other, memory := inMemory("memory://other")
	_, err := Move(t.Context(), InFolder(data), other, stopAt("copied"))
	require.ErrorIs(t, err, errStop)
	counted := &counting{Store: memory}
	to := Shared("memory://other", func(context.Context, bool) (store.Store, error) { return counted, nil })
	_, err = Move(t.Context(), InFolder(data), to, stopAt("compared"))
	require.ErrorIs(t, err, errStop)
	require.Zero(t, counted.updates)
}

type counting struct {
	store.Store

	updates int
}

func (c *counting) Update(ctx context.Context, fn func(store.Tx) error) error {
	c.updates++
	return c.Store.Update(ctx, fn)
}

func (*counting) Close() error { return nil }

// Verifies: ORC-376 ORC-377
func TestALogThatIsUsedIsNotMoved(t *testing.T) {
	data := lived(t, 5)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	other, memory := inMemory("memory://other")
	_, err = Move(t.Context(), InFolder(data), other, plain)
	requireFault(t, err, store.CodeLocked)
	require.NoError(t, s.Close())
	require.Empty(t, memory.Dump())

	// One that several processes can have open is found to have grown in the end, at the latest.
	_, err = Move(t.Context(), InFolder(data), other, plain)
	require.NoError(t, err)
	third, elsewhere := inMemory("memory://third")
	o := Options{Now: time.Now, reached: func(step string) error {
		if step == "checked" {
			changeIn(t, memory, 1)
		}
		return nil
	}}
	_, err = Move(t.Context(), other, third, o)
	requireFault(t, err, codeInUse)
	changeIn(t, memory, 1) // it goes on where it was
	require.Empty(t, elsewhere.Dump()[tableMeta])
	done, err := Move(t.Context(), other, third, plain)
	require.NoError(t, err)
	require.True(t, done.Resumed)
	requireSame(t, held(t, memory), held(t, elsewhere))
}

// Verifies: ORC-376
func TestNothingIsMovedOverSomethingElse(t *testing.T) {
	data, filled := lived(t, 5), lived(t, 6)
	before := heldIn(t, filled)
	_, err := Move(t.Context(), InFolder(data), InFolder(filled), plain)
	requireFault(t, err, codeNotEmpty)
	requireSame(t, before, heldIn(t, filled))

	other, memory := inMemory("memory://other")
	changeIn(t, memory, 1)
	_, err = Move(t.Context(), InFolder(data), other, plain)
	requireFault(t, err, codeNotEmpty)

	half, _ := inMemory("memory://half")
	_, err = Move(t.Context(), InFolder(filled), half, stopAt("copied"))
	require.ErrorIs(t, err, errStop)
	_, err = Move(t.Context(), other, half, plain)
	require.ErrorContains(t, requireFault(t, err, codeAnother), filled.Database())

	_, err = Move(t.Context(), InFolder(lived(t, 30)), half, plain)
	requireFault(t, err, codeAnother)

	_, err = Move(t.Context(), InFolder(data), InFolder(data), plain)
	requireFault(t, err, fault.CodeUsage)
	_, err = Move(t.Context(), InFolder(datadir.Dir(t.TempDir())), half, plain)
	requireFault(t, err, "database_missing")
}

// A log that was moved can be moved on from where it is, and from nowhere else.
func TestALogIsMovedFromWhereItIs(t *testing.T) {
	data := lived(t, 5)
	one, _ := inMemory("memory://one")
	two, _ := inMemory("memory://two")
	_, err := Move(t.Context(), InFolder(data), one, plain)
	require.NoError(t, err)
	_, err = Move(t.Context(), InFolder(data), two, plain)
	require.ErrorContains(t, requireFault(t, err, codeMoved), "memory://one")
	_, err = Move(t.Context(), one, two, plain)
	require.NoError(t, err)
}

// Another log, where one was about to appear, is not taken for it, however long it is.
//
// Verifies: ORC-376
func TestAnotherLogIsNotTakenForTheOneThatWasMoved(t *testing.T) {
	data := lived(t, 5)
	there, _ := inMemory("memory://there")
	_, err := Move(t.Context(), InFolder(data), there, stopAt("left"))
	require.ErrorIs(t, err, errStop)
	taken, memory := inMemory("memory://there")
	_, err = Move(t.Context(), InFolder(lived(t, 9)), taken, plain)
	require.NoError(t, err)
	before := memory.Dump()
	done, err := Move(t.Context(), InFolder(data), taken, plain)
	requireFault(t, err, codeNotEmpty)
	require.False(t, done.Already)
	require.Equal(t, before, memory.Dump())
	_, err = Move(t.Context(), InFolder(data), there, plain)
	require.NoError(t, err)
}

// A log that is not in order stays where it is, and so does one of which something else arrives.
func TestWhatIsNotInOrderIsNotMoved(t *testing.T) {
	data := lived(t, 5)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	require.NoError(
		t,
		s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("requirements", "MOV-001", []byte("{}")) }),
	)
	require.NoError(t, s.Close())
	other, memory := inMemory("memory://other")
	_, err = Move(t.Context(), InFolder(data), other, plain)
	requireFault(t, err, store.CodeDamaged)
	require.Empty(t, memory.Dump()[tableAudit])

	sound := lived(t, 5)
	tampered, changed := inMemory("memory://tampered")
	_, err = Move(t.Context(), InFolder(sound), tampered, Options{Now: time.Now, reached: func(step string) error {
		if step != "copied" {
			return nil
		}
		return changed.Update(t.Context(), func(tx store.Tx) error { return tx.Put("spent", "somebody", []byte("{}")) })
	}})
	requireFault(t, err, codeDiffers)
	change(t, sound, 1)
}

// A note keeps ledgers out; what stands in the way of a folder is said.
func TestAFolderThatCannotBeUsed(t *testing.T) {
	data := lived(t, 5)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Move(t.Context(), InFolder(data), InFolder(datadir.Dir(filepath.Join(file, "below"))), plain)
	requireFault(t, err, "data_folder")

	to := datadir.Dir(t.TempDir())
	folder, err := os.Open(string(to))
	require.NoError(t, err)
	defer folder.Close()
	require.NoError(t, syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	_, err = Move(t.Context(), InFolder(data), InFolder(to), plain)
	requireFault(t, err, codeBusy)
}
