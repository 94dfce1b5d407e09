package schemas

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Schemas are compiled when they are first asked for, which may be by several requests at once.
func TestDocumentsAreReadByManyAtOnce(t *testing.T) {
	document := documents()
	var all sync.WaitGroup
	for range 8 {
		for name := range compiled {
			all.Go(func() { require.NotEmpty(t, document(name)["$schema"]) })
		}
	}
	all.Wait()
}
