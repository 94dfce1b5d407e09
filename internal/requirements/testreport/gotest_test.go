package testreport

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shop is a module with one of each way to end.
var shop = map[string]string{
	"go.mod": "module shop\n\ngo 1.26\n",
	"cart/cart_test.go": `package cart
import "testing"
func TestAdd_REQ7(t *testing.T) { t.Run("two items", func(t *testing.T) {}); t.Run("later", func(t *testing.T) { t.Skip() }) }
func TestRemove(t *testing.T)   { print("no line end"); t.Run("one", func(t *testing.T) { t.Fail() }) }
func BenchmarkAdd(b *testing.B) { for b.Loop() {} }
func Example() {
	// Output:
}
func FuzzAdd(f *testing.F)      { f.Add(1); f.Fuzz(func(*testing.T, int) {}) }
`,
	"broken/broken.go":        "package broken\n\nfunc F() int { return \"\" }\n",
	"broken/broken_test.go":   "package broken\nimport \"testing\"\nfunc TestF(t *testing.T) { F() }\n",
	"uses/uses_test.go":       "package uses\nimport (\"testing\"; \"shop/broken\")\nfunc TestF(t *testing.T) { broken.F() }\n",
	"vetted/vetted_test.go":   "package vetted\nimport (\"fmt\"; \"testing\")\nfunc TestF(t *testing.T) { fmt.Printf(\"%d\", \"\") }\n",
	"panics/panics_test.go":   "package panics\nimport \"testing\"\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { panic(1) }\nfunc TestC(t *testing.T) {}\n",
	"exits/exits_test.go":     "package exits\nimport (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(3) }\nfunc TestA(t *testing.T) {}\n",
	"killed/killed_test.go":   "package killed\nimport (\"os\"; \"testing\")\nfunc TestA(t *testing.T) { p, _ := os.FindProcess(os.Getpid()); p.Kill(); select {} }\n",
	"nothing/nothing.go":      "package nothing\n",
	"notests/notests_test.go": "package notests\n",
}

func TestTheOutputOfGoTest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range shop {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.Command("go", "test", "-json", "-bench", ".", "-benchtime", "1x", "-p", "1", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	begin := time.Now()
	out, err := cmd.Output()
	require.Error(t, err, "tests of the module fail")
	end := time.Now()
	r := parsed(t, Go, string(out))
	ran := r.RanOf("TestAdd_REQ7")
	require.False(t, ran.IsZero())
	require.False(t, ran.Before(begin) || ran.After(end) || r.Ran.Before(begin) || r.Ran.After(end))
	got := lines(r)
	slices.Sort(got)
	require.Equal(t, []string{
		"fail shop/broken", "fail shop/cart.TestRemove", "fail shop/cart.TestRemove/one", "fail shop/exits",
		"fail shop/killed.TestA", "fail shop/panics.TestB", "fail shop/uses", "fail shop/vetted",
		"pass shop/cart.Example", "pass shop/cart.FuzzAdd", "pass shop/cart.FuzzAdd/seed#0", "pass shop/cart.TestAdd_REQ7",
		"pass shop/cart.TestAdd_REQ7/two_items", "pass shop/exits.TestA", "pass shop/panics.TestA",
		"skip shop/cart.TestAdd_REQ7/later",
	}, got)

	// A stream that was cut anywhere is refused, or shows a failure.
	text := string(out)
	for cut := 0; cut < len(text); cut += 97 {
		if r, err := Parse([]byte(text[:cut])); err == nil {
			require.Positive(t, r.Counts().Failed, "cut at %d", cut)
		}
	}
}

// event writes lines of go test -json: "action package test".
func events(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		f := append(strings.Fields(line), "", "")
		b.WriteString(`{"Time":"2026-03-02T10:11:12Z","Action":"` + f[0] + `","Package":"` + f[1] + `"`)
		if f[2] != "" {
			b.WriteString(`,"Test":"` + f[2] + `"`)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestTheLastActionWins(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"passes":                    {events("start p", "run p T", "output p T", "pass p T", "pass p"), []string{"pass p.T"}},
		"fails, then passes":        {events("run p T", "fail p T", "run p T", "pass p T", "pass p"), []string{"pass p.T"}},
		"so, but the package fails": {events("run p T", "fail p T", "run p T", "pass p T", "fail p"), []string{"pass p.T", "fail p"}},
		"passes, then fails":        {events("run p T", "pass p T", "run p T", "fail p T", "fail p"), []string{"fail p.T"}},
		"runs again without an end": {events("run p T", "pass p T", "run p T", "pass p"), []string{"fail p.T"}},
		"paused":                    {events("run p T", "pause p T", "cont p T", "pass p"), []string{"fail p.T"}},
		"output after the end":      {events("run p T", "pass p T", "output p T", "pass p", "output p"), []string{"pass p.T"}},
		"no start":                  {events("pass p T", "pass p"), []string{"pass p.T"}},
		"no end":                    {events("start p", "pass p T"), []string{"pass p.T", "fail p"}},
		"no end, only output":       {events("output p"), []string{"fail p"}},
		"a run that is cut":         {events("start p", "pass p T", "pass p", "start q"), []string{"pass p.T", "fail q"}},
		"one package fails":         {events("fail p T", "fail p", "pass q T", "fail q"), []string{"fail p.T", "pass q.T", "fail q"}},
		"skips":                     {events("run p T", "skip p T", "pass p"), []string{"skip p.T"}},
		"no test files":             {events("start p", "skip p"), []string{}},
		"no tests":                  {events("start p", "output p", "pass p"), []string{}},
		"a benchmark":               {events("run p BenchmarkX", "output p BenchmarkX", "pass p"), []string{}},
		"a benchmark that fails":    {events("run p BenchmarkX", "fail p BenchmarkX", "fail p"), []string{"fail p.BenchmarkX"}},
		"a benchmark that hangs":    {events("run p BenchmarkX", "fail p"), []string{"fail p"}},
		"without a package":         {events("run"), []string{"fail the package"}},
		"an action to come":         {events("start p", "attr p T", "artifacts p T", "pass p T", "pass p"), []string{"pass p.T"}},
		"a build that fails": {
			`{"ImportPath":"q [p.test]","Action":"build-fail"}` + "\n" + events("pass p T", "pass p", "pass q T", "pass q"),
			[]string{"pass p.T", "pass q.T", "fail q"},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, lines(parsed(t, Go, c.text))) })
	}
}

func TestLinesThatAreNoEvents(t *testing.T) {
	whole := events("start p", "pass p T", "pass p")
	for _, bad := range []string{
		whole[:len(whole)-4], whole + "FAIL p [build failed]", whole + `{"Action":"pass"} x`, whole + `{"Action":5}`,
		whole + `{"Action":"fail","Action":"pass","Package":"p"}`, whole + `["Action"]`, whole + "null x",
	} {
		refused(t, bad, "report_unreadable", "not one whole JSON object")
	}
	refused(t, whole+`{"action":"pass"}`, "report_unreadable", "line 4: the object has no Action")
	refused(t, whole+"\n\nnull", "report_unreadable", "line 6: the object has no Action")
}
