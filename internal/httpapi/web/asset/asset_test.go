package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// get asks for an address, taking an encoding.
func get(t *testing.T, url, encoding string, sent ...string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	for i := 0; i < len(sent); i += 2 {
		r.Header.Set(sent[i], sent[i+1])
	}
	w := httptest.NewRecorder()
	return w, Handler(w, r)
}

// TestEveryFileIsServed under its name, as its media type, compressed and as it is.
func TestEveryFileIsServed(t *testing.T) {
	for name, mediaType := range map[string]string{
		"sheet.css": "text/css; charset=utf-8", "marks.svg": "image/svg+xml", "icon.svg": "image/svg+xml",
		"page.js": "text/javascript; charset=utf-8", "htmx.min.js": "text/javascript; charset=utf-8",
		"uPlot.iife.min.js": "text/javascript; charset=utf-8",
		"htmx.licence.txt":  "text/plain; charset=utf-8", "uPlot.licence.txt": "text/plain; charset=utf-8",
	} {
		plain, err := get(t, URL(name), "")
		require.NoError(t, err, name)
		require.Equal(t, http.StatusOK, plain.Code)
		require.Equal(t, mediaType, plain.Header().Get("Content-Type"), name)
		require.Equal(t, "public, max-age=31536000, immutable", plain.Header().Get("Cache-Control"), name)
		require.NotEmpty(t, plain.Body.Bytes(), name)

		packed, err := get(t, URL(name), "gzip")
		require.NoError(t, err)
		if packed.Header().Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(packed.Body)
			require.NoError(t, err)
			body, err := io.ReadAll(z)
			require.NoError(t, err)
			require.True(t, bytes.Equal(plain.Body.Bytes(), body), name)
		}
		require.Len(t, served(), 8, "a file is served that this test does not know")
	}
}

// TestTheAddressChangesWithTheBytes, so that nobody keeps what is no longer so.
func TestTheAddressChangesWithTheBytes(t *testing.T) {
	url := URL("page.js")
	require.Regexp(t, `^/ui/assets/page\.js\?v=[0-9a-f]{8}$`, url)
	require.NotEqual(t, fileOf("page.js", []byte("one")).digest, fileOf("page.js", []byte("other")).digest)
	for _, other := range []string{"/ui/assets/page.js", "/ui/assets/page.js?v=00000000"} {
		w, err := get(t, other, "")
		require.NoError(t, err)
		require.Equal(t, "public, no-cache", w.Header().Get("Cache-Control"), other)

		w, err = get(t, other, "", "If-None-Match", w.Header().Get("Etag"))
		require.NoError(t, err)
		require.Equal(t, http.StatusNotModified, w.Code)
		require.Equal(t, "public, no-cache", w.Header().Get("Cache-Control"))
	}
	require.Panics(t, func() { URL("missing.js") })
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	for url, code := range map[string]fault.Code{
		"/ui/assets/missing.js":    "unknown_path",
		"/ui/assets/tokens.css":    "unknown_path",
		"/ui/assets/manifest.json": "unknown_path",
		"/ui/assets/page.js?w=1":   "unknown_parameter",
	} {
		w, err := get(t, url, "")
		var refused *fault.Error
		require.ErrorAs(t, err, &refused, url)
		require.Equal(t, code, refused.Code, url)
		require.NotEmpty(t, refused.Fix)
		require.Zero(t, w.Body.Len())
	}
}

// TestTheSheetIsInOrder: tokens, base, then by name, and comments are left out.
func TestTheSheetIsInOrder(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"a.css": "/* of a page */\na{}\n", "z.css": "z{}\n", "tokens.css": ":root{} /* two\nlines */\n",
		"base.css": "body{}\n",
	} {
		files["css/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	require.Equal(t, ":root{} body{}\na{}\nz{}\n", sheetOf(files))
	require.NotContains(t, sheetOf(embedded), "/*")
	require.Equal(t, strings.Count(sheetOf(embedded), "{"), strings.Count(sheetOf(embedded), "}"))
}

// TestMarksAreWellFormed: one file of symbols on 16 x 16, which take the colour of the text and no other.
func TestMarksAreWellFormed(t *testing.T) {
	var marks struct {
		Symbols []struct {
			ID      string `xml:"id,attr"`
			ViewBox string `xml:"viewBox,attr"`
			Inner   string `xml:",innerxml"`
		} `xml:"symbol"`
	}
	require.NoError(t, xml.Unmarshal(content(embedded, "marks.svg"), &marks))
	seen := map[string]bool{}
	for _, s := range marks.Symbols {
		require.False(t, seen[s.ID], "%s stands twice", s.ID)
		seen[s.ID] = true
		require.Equal(t, "0 0 16 16", s.ViewBox, s.ID)
		require.Contains(t, s.Inner, "currentColor", s.ID)
		require.NotRegexp(t, "#[0-9a-f]{3}|style=|<script", s.Inner, s.ID)
	}
	require.Len(t, seen, 22)
}

// TestTheFilesOfOthersAreThoseOfTheManifest, byte for byte, and each has its licence beside it. make web-assets
// compares them with the packages.
func TestTheFilesOfOthersAreThoseOfTheManifest(t *testing.T) {
	var packages []struct {
		Package, Version, Integrity, Licence string
		Files                                []struct{ Name, From, SHA256 string }
	}
	require.NoError(t, jsonv2.Unmarshal(content(embedded, "third-party/manifest.json"), &packages,
		jsonv2.MatchCaseInsensitiveNames(true), jsonv2.RejectUnknownMembers(true)))
	listed := []string{"manifest.json"}
	for _, p := range packages {
		require.Regexp(t, `^\d+\.\d+\.\d+$`, p.Version)
		require.Regexp(t, `^sha512-`, p.Integrity)
		require.Contains(t, []string{"0BSD", "MIT"}, p.Licence)
		licences := 0
		for _, f := range p.Files {
			sum := sha256.Sum256(content(embedded, "third-party/"+f.Name))
			require.Equal(t, f.SHA256, hex.EncodeToString(sum[:]),
				"%s is not that of %s %s: make web-assets RENEW=1", f.Name, p.Package, p.Version)
			listed = append(listed, f.Name)
			if path.Ext(f.Name) == ".txt" {
				licences++
			}
		}
		require.Equal(t, 1, licences, "%s has one licence text", p.Package)
	}
	kept, err := fs.ReadDir(embedded, "third-party")
	require.NoError(t, err)
	var there []string
	for _, entry := range kept {
		there = append(there, entry.Name())
	}
	require.ElementsMatch(t, listed, there)
}

// TestOwnScriptStaysSmall, and needs no right that the policy of the page withholds.
func TestOwnScriptStaysSmall(t *testing.T) {
	w, err := get(t, URL("page.js"), "gzip")
	require.NoError(t, err)
	require.LessOrEqual(t, w.Body.Len(), 4096, "bytes, compressed")
	require.NotRegexp(t, `\beval\(|new Function|innerHTML|document\.write`, string(content(embedded, "page.js")))
}

// TestTheScriptIsServedWithoutItsComments, and is the same otherwise.
func TestTheScriptIsServedWithoutItsComments(t *testing.T) {
	require.Equal(t, "{let a = 'http://x';b();}\nc()\n", string(scriptOf(
		[]byte("// One.\n// Two.\n{\n\n  // Three.\n  let a = 'http://x';\n\t// Four.\n    // Five.\n    b();\n}\nc()\n"))))
	source := string(content(embedded, script))
	require.NotRegexp(t, `(?m)^[ \t]*[^ \t/\n].*[ \t]//`, source, "a comment stands on a line of its own")
	for line := range strings.Lines(source) {
		require.Zero(t, strings.Count(line, "`")%2, "a template is written on one line: %s", line)
	}
}
