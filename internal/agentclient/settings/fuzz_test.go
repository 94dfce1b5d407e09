package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
)

// Whatever a settings file says: what is put in is complete, and taking it out again leaves what was said before.
func FuzzWire(f *testing.F) {
	cases, err := filepath.Glob("testdata/*/*.before")
	require.NoError(f, err)
	for _, file := range cases {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("{\"a\":{},\n\"hooks\":{\"x\":[[],{}],\"PreToolUse\":[ ]}}"))
	f.Add([]byte("{ /* a */ \"b\": [1,], // c\n}"))
	o := Options{Command: `"/a b/orchestrator-hook" x`, ClientVersion: "2.1.300"}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, client := range agentclient.All() {
			if client.Wiring.Plugin != "" {
				continue
			}
			w := &wiring{client.Wiring, client.Name}
			doc, err := parse(text)
			if err == nil {
				require.Equal(t, string(text), string(doc.text()))
			}
			if err != nil || w.fits(doc, "", o) != nil || len(doc.ways()) > 0 {
				continue
			}
			before, comments := w.meaning(doc), doc.comments()
			version := doc.get("version") != nil
			require.NoError(t, w.wire(doc, o))
			doc, err = parse(doc.text())
			require.NoError(t, err)
			require.True(t, w.complete(doc, o), string(doc.text()))
			w.unwire(doc)
			doc, err = parse(doc.text())
			require.NoError(t, err)
			after := w.meaning(doc)
			if !version && w.Version != 0 {
				delete(after, "version")
			}
			require.Equal(t, before, after, string(doc.text()))
			require.Equal(t, comments, doc.comments(), string(doc.text()))
		}
	})
}
