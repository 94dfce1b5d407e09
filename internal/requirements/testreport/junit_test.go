package testreport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJUnit(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"no tests":             {"<testsuites/>", []string{}},
		"one suite":            {`<testsuite name="s"><testcase name="a"/></testsuite>`, []string{"pass s.a"}},
		"fewer than counted":   {`<testsuites tests="3"><testsuite name="s" tests="2"><testcase name="a"/></testsuite></testsuites>`, []string{"pass s.a", "fail s.2 tests are counted and 1 are listed", "fail 3 tests are counted and 2 are listed"}},
		"as many as counted":   {`<testsuites tests="2"><testsuite name="s" tests="1"><testcase name="a"/></testsuite><testsuite name="t"><testcase name="b"/></testsuite></testsuites>`, []string{"pass s.a", "pass t.b"}},
		"class":                {`<testsuite name="s"><testcase classname="c" name="a"/></testsuite>`, []string{"pass c.a"}},
		"nested":               {`<testsuites><testsuite name="s"><testsuite name="t"><testcase name="a"/></testsuite><testcase name="b"/></testsuite></testsuites>`, []string{"pass t.a", "pass s.b"}},
		"no suite":             {`<testsuites name="r"><testcase name="a"/></testsuites>`, []string{"pass r.a"}},
		"no names":             {`<testsuite><testcase/><testcase classname="c"/></testsuite>`, []string{"pass a test case without a name", "pass c"}},
		"elsewhere":            {`<testsuite><other><testcase name="a"/><testsuite name="t"><testcase name="b"/></testsuite></other></testsuite>`, []string{"pass a", "pass t.b"}},
		"namespaces":           {`<j:testsuite xmlns:j="x"><j:testcase name="a" j:name="b"><j:failure/></j:testcase></j:testsuite>`, []string{"fail a"}},
		"escapes":              {`<testsuite><testcase name="&lt;a&gt;&amp;&quot;&#10;&#x1F600;&amp;lt;"/></testsuite>`, []string{"pass <a>&\"\n😀&lt;"}},
		"text":                 {`<testsuite><testcase name="a"><system-out>&lt;failure/&gt;<![CDATA[<failure/></fake-root>]]></system-out></testcase></testsuite>`, []string{"pass a"}},
		"much like attributes": {"<testsuite><testcase name='a'><x>" + strings.Repeat("a='b' <b c='d'/>", 20_000) + "</x></testcase></testsuite>", []string{"pass a"}},
		"a comment":            {"<!-- x --><testsuite><!-- <failure/> --></testsuite><!-- y -->\n", []string{}},

		// A failure is a failure, whatever else is said.
		"failed and skipped":  {`<testsuite><testcase name="a"><failure/><skipped/></testcase><testcase name="b"><skipped/><error/></testcase></testsuite>`, []string{"fail a", "fail b"}},
		"skipped often":       {`<testsuite><testcase name="a">` + strings.Repeat("<skipped/>", 20_000) + `</testcase></testsuite>`, []string{"skip a"}},
		"failed deep inside":  {`<testsuite><testcase name="a"><steps><step><failure/></step></steps></testcase></testsuite>`, []string{"fail a"}},
		"failed by attribute": {`<testsuite><testcase name="a" status="FAILED"/><testcase name="b" status="run" result="error"/></testsuite>`, []string{"fail a", "fail b"}},
		"attributes differ":   {`<testsuite><testcase name="a" status="skipped"><failure/></testcase></testsuite>`, []string{"fail a"}},
		"flaky":               {`<testsuite failures="0"><testcase name="a"><flakyFailure/><flakyError/></testcase></testsuite>`, []string{"pass a"}},
		"outside a case":      {`<testsuite name="s"><error message="x"/><testcase name="a"/></testsuite>`, []string{"fail s.failed outside its test cases", "pass s.a"}},
		"outside all suites":  {`<testsuites><failure/></testsuites>`, []string{"fail failed outside its test cases"}},
		"counted, not listed": {`<testsuite name="s" errors="2" failures="1"><testcase name="a"/></testsuite>`, []string{"pass s.a", "fail s.3 failures or errors are counted and none is listed"}},
		"counted at the root": {`<testsuites failures="1"><testsuite name="s"><testcase name="a"/></testsuite></testsuites>`, []string{"pass s.a", "fail 1 failures or errors are counted and none is listed"}},
		"counted and listed":  {`<testsuites failures="1"><testsuite failures="1"><testsuite failures="1"><testcase name="a"><failure/></testcase></testsuite></testsuite></testsuites>`, []string{"fail a"}},
		"a number to deceive": {`<testsuite failures="-1" errors="1"><testcase name="a"/></testsuite>`, []string{"pass a", "fail 1 failures or errors are counted and none is listed"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, lines(parsed(t, JUnit, c.text))) })
	}
}

func TestJUnitThatCannotBeRead(t *testing.T) {
	for text, reason := range map[string]string{
		"<testsuite>": "line 1: it is not whole",
		"<testsuite>\n<testcase name='a'>\n</testsuite>":                                "line 3: it is not whole",
		"<testsuite/><testsuite/>":                                                      "second root",
		"<testsuites></testsuites>\n\n<x/>":                                             "line 3: there is a second root",
		"<testsuite/> PASS":                                                             "text outside",
		"<html><testsuite/></html>":                                                     "the root element is <html>",
		"<!DOCTYPE testsuite><testsuite/>":                                              "document type",
		"<testsuite/><!ENTITY a 'b'>":                                                   "document type",
		"<testsuite><testcase name='&a;'/></testsuite>":                                 "not whole",
		"<testsuite><testcase name='a' <failure/></x>":                                  "not whole",
		"<testsuite>\x01</testsuite>":                                                   "not whole",
		"<testsuite><testcase name='a' name='b'/></testsuite>":                          "the attribute name twice",
		"<testsuite><testcase " + strings.Repeat("a = 'b' ", 20_000) + "/></testsuite>": "not whole",
		"<!-- only a comment -->":                                                       "not whole",
		"<?xml version='1.0'?>":                                                         "not whole",
		"<?xml version='1.0' encoding='UTF-16'?><a>é</a>":                               "not whole",
		"<testsuite><testcase><testcase/></testcase></testsuite>":                       "test case inside a test case",
		"<testsuite><testcase><testsuite/></testcase></testsuite>":                      "suite inside a test case",
		"<testsuite>" + strings.Repeat("<a>", 100):                                      "more than 64 elements",
		"<" + strings.Repeat("a", 1000) + "/>":                                          "the root element is <aaa",
	} {
		t.Run(text[:min(len(text), 40)], func(t *testing.T) { refused(t, text, "report_unreadable", reason) })
	}
	bomb := `<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite name="&b;"/>`
	refused(t, bomb, "report_unreadable", "document type")
}

// The library reads the cases in batches: none is lost or doubled where one batch ends.
func TestJUnitInBatches(t *testing.T) {
	var b strings.Builder
	want := []string{}
	b.WriteString("<testsuites><testsuite name='s'>")
	for i := range 5000 {
		if i%2 == 0 {
			fmt.Fprintf(&b, "<testcase name='%d'/>", i)
			want = append(want, fmt.Sprintf("pass s.%d", i))
		} else {
			fmt.Fprintf(&b, "<testcase name='%d'>%s<failure>%s</failure></testcase>", i, "<system-out>x</system-out>", "<a>&lt;</a>")
			want = append(want, fmt.Sprintf("fail s.%d", i))
		}
	}
	b.WriteString("</testsuite></testsuites>")
	require.Equal(t, want, lines(parsed(t, JUnit, b.String())))
}
