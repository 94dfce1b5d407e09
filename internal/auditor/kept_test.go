package auditor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// TestHold holds kept checkpoints against a log of ten records that has had two keys, and gave up the records 5 to 7 of
// an earlier life.
func TestHold(t *testing.T) {
	first, second := signerOf(t, "example.org/shop", "a"), signerOf(t, "example.org/shop", "b")
	root := func(n uint64) audit.Hash { return audit.Hash{byte(n)} }
	log := Log{
		Origin: "example.org/shop", Size: 10, RootAt: func(size uint64) (audit.Hash, error) { return root(size), nil },
		Keys:      []record.ChosenKey{{Record: 1, Key: first.Key}, {Record: 5, Key: second.Key, Reason: "lost"}},
		Rollbacks: []projection.Rollback{{Record: 5, Size: 8, Root: root(99)}},
	}
	kept := func(signer audit.Signer, size uint64, of audit.Hash) Kept {
		signed, err := signer.Sign(audit.Head{Size: size, Root: of})
		require.NoError(t, err)
		return Kept{"kept", signed}
	}
	for name, c := range map[string]struct {
		kept     []Kept
		rollback bool
		want     string // code of the finding; "" for none
		result   string // of the last one
	}{
		"none":                             {nil, false, "", ""},
		"a moment of it":                   {[]Kept{kept(first, 3, root(3))}, false, "", Consistent},
		"the present one, by both keys":    {[]Kept{kept(second, 10, root(10)), kept(first, 2, root(2))}, false, "", Consistent},
		"a later one":                      {[]Kept{kept(second, 11, root(11))}, false, "log_shorter", ""},
		"another root":                     {[]Kept{kept(first, 3, root(3)), kept(second, 9, root(3))}, false, "log_forked", ""},
		"another log":                      {[]Kept{kept(signerOf(t, "example.org/other", "a"), 3, root(3))}, false, "log_another_log", ""},
		"a key that it never had":          {[]Kept{kept(signerOf(t, "example.org/shop", "c"), 3, root(3))}, false, "log_another_key", ""},
		"given up":                         {[]Kept{kept(first, 7, root(99))}, false, "log_forked", ""},
		"given up, and allowed":            {[]Kept{kept(first, 8, root(99))}, true, "", RolledBack},
		"another of the same size":         {[]Kept{kept(first, 8, root(98))}, true, "log_forked", ""},
		"before it, which nobody can tell": {[]Kept{kept(first, 7, root(99))}, true, "log_forked", ""},
		"before what was given up":         {[]Kept{kept(first, 5, root(99))}, true, "log_forked", ""},
		"after what was given up":          {[]Kept{kept(second, 9, root(99))}, true, "log_forked", ""},
		"later than it, though allowed":    {[]Kept{kept(second, 11, root(11))}, true, "log_shorter", ""},
		"allowed, and there is no need":    {[]Kept{kept(first, 7, root(7))}, true, "", Consistent},
		"allowed, by a key it never had":   {[]Kept{kept(signerOf(t, "example.org/shop", "c"), 7, root(99))}, true, "log_another_key", ""},
	} {
		t.Run(name, func(t *testing.T) {
			log.AllowRollback = c.rollback
			held, err := log.Hold(c.kept)
			if c.want != "" {
				requireBad(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, held, len(c.kept))
			if c.result != "" {
				require.Equal(t, c.result, held[len(held)-1].Result)
			}
		})
	}
	_, err := log.Hold([]Kept{kept(first, 3, root(3)), kept(second, 9, root(1))})
	require.ErrorContains(t, err, "it is another log after record 2")
	for _, nothing := range [][]byte{nil, []byte("nonsense"), kept(first, 0, root(0)).Signed} {
		_, err := log.Hold([]Kept{{"nothing", nothing}})
		require.ErrorContains(t, err, "nothing cannot be held against the log")
	}
}
