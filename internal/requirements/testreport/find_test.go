package testreport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	r := Report{Format: Go, Cases: []Case{
		{"shop/cart", "TestAdd", Pass}, {"shop/cart", "TestRemove", Fail}, {"shop/total", "TestAdd", Pass},
		{"shop/total", "TestRemove", Pass}, {"shop/total", "TestLater", Skip}, {"", "shop/broken", Fail},
		{"shop/twice", "TestTwice", Fail}, {"shop/twice", "TestTwice", Pass},
		{"", "a.b", Pass}, {"c", "a.b", Fail}, {"a", "b", Pass},
	}}
	for name, want := range map[string]string{
		"TestAdd": Pass, "shop/cart.TestAdd": Pass, "shop/cart.TestRemove": Fail, "shop/total.TestRemove": Pass,
		"TestLater": Skip, "shop/broken": Fail, "c.a.b": Fail,
		"a.b": Pass, // one test has this as its full name, and so has the other that passed
	} {
		got, err := r.Find(name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	_, err := r.Find("TestRemove")
	requireFault(t, err, "test_ambiguous", `2 tests of the report are called "TestRemove", and they differ: "shop/cart.TestRemove": fail, "shop/total.TestRemove": pass`)
	_, err = r.Find("shop/twice.TestTwice")
	requireFault(t, err, "test_ambiguous", `"shop/twice.TestTwice": fail, "shop/twice.TestTwice": pass`)
	for _, name := range []string{"testadd", "TestAdd ", "cart.TestAdd", "shop/cart.", ".TestAdd", "", "shop/cart", "."} {
		_, err := r.Find(name)
		requireFault(t, err, "test_missing", fmt.Sprintf("no test %q among its 11", name))
	}
}

// An answer lists a few tests, however many there are.
func TestManyTestsOfOneName(t *testing.T) {
	r := Report{Format: Go}
	for i := range 1000 {
		r.Cases = append(r.Cases, Case{fmt.Sprint("p", i), "TestA", []string{Pass, Fail}[i%2]})
	}
	_, err := r.Find("TestA")
	requireFault(t, err, "test_ambiguous", `"p9.TestA": fail, 990 more`)
}

func TestFullNames(t *testing.T) {
	for format, want := range map[string]string{JUnit: "s.n", Go: "s.n", TAP: "s > n", CTRF: "s > n"} {
		r := Report{Format: format, Cases: []Case{{"s", "n", Pass}}}
		require.Equal(t, want, r.FullName(r.Cases[0]))
		got, err := r.Find(want)
		require.NoError(t, err)
		require.Equal(t, Pass, got)
	}
}

func TestDidYouMean(t *testing.T) {
	r := Report{Format: Go, Cases: []Case{
		{"p", "TestLogin", Pass}, {"p", "TestLogout", Pass}, {"p", "TestLogins", Pass}, {"p", "TestLoginAgain", Pass},
		{"q", "TestLogin", Pass}, {"p", "TestOther", Pass}, {"p", strings.Repeat("x", 5000), Pass},
	}}
	for name, want := range map[string]string{
		"TestLogim":        `did you mean "p.TestLogin", or "q.TestLogin", or "p.TestLogins"?`,
		"testlogins":       `did you mean "p.TestLogins", or "p.TestLogin", or "q.TestLogin"?`,
		"q.TestLoginn":     `did you mean "q.TestLogin", or "p.TestLogin", or "p.TestLogins"?`,
		"TestOhter":        `did you mean "p.TestOther"?`,
		"TestSomethingNew": "give the name of a test that is in the report",
		"":                 "give the name of a test that is in the report",
	} {
		_, err := r.Find(name)
		requireFault(t, err, "test_missing", "")
		require.ErrorContains(t, err, want)
	}
	_, err := r.Find(strings.Repeat("x", 4999))
	requireFault(t, err, "test_missing", "xxx…")
}

// Looking for near names gives up after so much work, however many names there are.
func TestDidYouMeanIsBounded(t *testing.T) {
	r := Report{Format: Go}
	for i := range 10_000 {
		r.Cases = append(r.Cases, Case{"", strings.Repeat("a", 190) + fmt.Sprint(i), Pass})
	}
	_, cells := r.nearest(strings.Repeat("a", 189))
	require.Greater(t, cells, maxCells-1, "there is more to do than is allowed")
	require.Less(t, cells, maxCells+maxNear*maxNear)
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		far  int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"TestLogin", "testLOGIN", 0}, {"abc", "acb", 2}, {"abc", "xyz", 3},
	} {
		d := distances{most: 5, to: c.b}
		far, _ := d.from(c.a)
		require.Equal(t, c.far, far, "%q %q", c.a, c.b)
		d = distances{most: 2, to: c.b}
		far, _ = d.from(c.a)
		require.Equal(t, min(c.far, 3), far, "%q %q, at most 2", c.a, c.b)
	}
}
