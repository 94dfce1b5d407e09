package trace

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"orchestrator/internal/system/lazyregexp"
)

// language says how the names of tests are written in files whose names end in one of the suffixes.
type language struct {
	suffixes []string
	names    []naming
	marker   func() *regexp.Regexp // the line announces a test, whose method is named in it or below
	method   func() *regexp.Regexp // the method behind a marker
	opens    func() *regexp.Regexp // the line ends where the name begins, which is the first text of the next
	table    func() *regexp.Regexp // the line begins a table of cases, behind which the name stands
}

// naming finds the name of a test in a line. The name is the first group that took part.
type naming struct {
	needle string // what every such line holds; it is cheaper to look for
	line   func() *regexp.Regexp
}

const (
	double = `"((?:[^"\\]|\\.)*)"`
	single = `'((?:[^'\\]|\\.)*)'`
	ticks  = "`([^`]*)`"
	quoted = `(?:` + double + `|` + single + `|` + ticks + `)`
)

// jsCall begins the definition of a test in JavaScript.
const jsCall = `^\s*(?:await\s+)?(?:\w\.|Deno\.)?[fx]?(?:it|test|describe|context|suite|specify)(?:\.\w+)*(?:<[^()]*>)?`

// jvmCall begins one in the languages of the JVM that have no methods for it.
const jvmCall = `^\s*(?:test|it|should|describe|context|given|when|then|scenario|feature|property)\(`

// swiftAttributes may stand in front of another one.
const swiftAttributes = `^\s*(?:@\w+(?:\([^)]*\))?\s+)*`

func name(needle, line string) naming { return naming{needle, lazyregexp.New(line)} }

// languages are those whose tests are found. A name is taken from a line that begins as a definition does, so that
// tests that are commented out are left out. The first row that fits a file counts.
var languages = []language{
	{ // Go, and Ginkgo
		suffixes: []string{"_test.go"},
		names: []naming{
			name("func ", `^func (?:\([^)]*\) ?)?((?:Test|Fuzz|Benchmark|Example)\w*)\(`),
			name(".Run(", `^[^/"`+"`"+`]*\.Run\((?:`+double+`|`+ticks+`)`),
			name("(", `^\s*(?:var _ = )?[FPX]?(?:It|Describe|DescribeTable|Context|Specify|When|Entry)\(`+double),
		},
		opens: lazyregexp.New(`^(?:[^/"` + "`" + `]*\.Run|\s*(?:var _ = )?[FPX]?(?:It|Describe|DescribeTable|Context|Specify|When|Entry))\($`),
	},
	{ // pytest, unittest
		suffixes: []string{".py"},
		names: []naming{name("def ", `^\s*(?:async\s+)?def\s+(test\w*)`),
			name("class ", `^\s*class\s+(Test\w*|\w+Tests?)\b`)},
	},
	{ // Jest, Vitest, Mocha, Jasmine, Playwright, node:test
		suffixes: []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"},
		names:    []naming{name("(", jsCall+`(?:\(.*?\)|`+"`[^`]*`"+`)?\(\s*`+quoted)},
		opens:    lazyregexp.New(jsCall + `(?:\(.*\)|` + "`[^`]*`" + `)?\($`),
		table:    lazyregexp.New(jsCall + `(?:\((?:[^)]|\)[^(])*|` + "`[^`]*" + `)$`),
	},
	{ // JUnit, TestNG, Kotest, Spock, ScalaTest, xUnit, NUnit, MSTest
		suffixes: []string{".java", ".kt", ".kts", ".groovy", ".scala", ".cs"},
		names: []naming{
			name("Name", `^\s*[@\[].*?\b(?:DisplayName|TestName|Description|Feature)\s*(?:\(|=)\s*`+double),
			name("(", jvmCall+double),
			name("def ", `^\s*(?:def|void)\s+`+quoted+`\s*\(`),
			name("void test", `^\s*(?:public\s+)?void\s+(test\w*)\(`),
		},
		marker: lazyregexp.New(`^\s*(?:@|\[)(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|` +
			`Fact|Theory|TestCase|TestCaseSource|TestMethod|DataTestMethod)\b`),
		method: lazyregexp.New(`^[\w<>\[\].,?&\s]*?(?:(\w+)|` + ticks + `)\s*(?:<[^>]*>)?\(`),
		opens:  lazyregexp.New(`^\s*[@\[].*?\b(?:DisplayName|TestName|Description|Feature)\($|` + jvmCall + `$`),
	},
	{
		suffixes: []string{".rs"},
		names:    []naming{name("test_case", `^\s*#\[(?:\w+::)*test_case\(.*;\s*`+double)},
		marker:   lazyregexp.New(`^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b`),
		method:   lazyregexp.New(`\bfn\s+(\w+)`),
	},
	{ // RSpec, Minitest, ExUnit
		suffixes: []string{".rb", ".ex", ".exs"},
		names: []naming{
			name("", `^\s*(?:RSpec\.)?[fx]?(?:it|describe|context|specify|example|scenario|feature|test|should|property)[ (]\s*(?:`+double+`|`+single+`)`),
			name("def ", `^\s*def\s+(test_\w+)`),
		},
	},
	{ // PHPUnit, Pest
		suffixes: []string{".php"},
		names: []naming{
			name("function ", `^\s*(?:(?:public|final)\s+)*function\s+(test\w*)`),
			name("(", `^\s*(?:it|test|describe)\(\s*(?:`+double+`|`+single+`)`),
		},
		opens: lazyregexp.New(`^\s*(?:it|test|describe)\($`),
	},
	{ // XCTest, Swift Testing
		suffixes: []string{".swift"},
		names: []naming{name("func ", `\bfunc\s+(?:(test\w*)|`+ticks+`)`),
			name("@", swiftAttributes+`@(?:Test|Suite)\(\s*`+double)},
		opens:  lazyregexp.New(swiftAttributes + `@(?:Test|Suite)\($`),
		marker: lazyregexp.New(swiftAttributes + `@Test\b`),
		method: lazyregexp.New(`\bfunc\s+(?:(\w+)|` + ticks + `)`),
	},
	{ // GoogleTest, Catch2, Boost.Test
		suffixes: []string{".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"},
		names: []naming{
			name("(", `^\s*(?:TYPED_)?TEST(?:_F|_P)?\(([^)"]*)\)`),
			name("(", `^\s*(?:BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE)\(([^)]*)\)`),
			name("(", `^\s*(?:TEST_CASE|SCENARIO|SECTION|SUBCASE)\(\s*`+double),
		},
	},
	{
		suffixes: []string{".bats"},
		names:    []naming{name("@test", `^\s*@test\s+(?:`+double+`|`+single+`)`)},
	},
	{ // Gherkin
		suffixes: []string{".feature"},
		names: []naming{
			name(":", `^\s*(?:Feature|Rule|Scenario(?: Outline| Template)?|Example):\s*(.+)`),
			name("@", `^\s*(@\S.*)`),
		},
	},
}

// languageOf returns the language of a file's tests, or nil.
func languageOf(path string) *language {
	for i := range languages {
		for _, suffix := range languages[i].suffixes {
			if strings.HasSuffix(path, suffix) {
				return &languages[i]
			}
		}
	}
	return nil
}

// markerReach is how many lines below a marker its method may stand: other annotations, or a long list of cases.
const markerReach = 10

// names finds the names of tests in the lines of a file, one after the other.
type names struct {
	in     *language
	hint   hint
	left   int    // lines in which the method of a marker may still come
	rows   int    // lines in which a table of cases may still end
	before string // the line before, but for empty ones and comments
	behind bool   // it ended a table
}

// line returns the names of the tests that the next line defines, as far as they may hold an id. One line may hold
// several, as `@DisplayName("Log in") void login()` does.
func (n *names) line(s string) (all []string) {
	if n.hint.mayName(s) {
		for _, naming := range n.in.names {
			if strings.Contains(s, naming.needle) {
				all = append(all, group(naming.line(), s)...)
			}
		}
	}
	if n.in.opens != nil {
		all = append(all, n.apart(s)...)
	}
	if n.in.marker == nil {
		return all
	}
	if n.left--; n.in.marker().MatchString(s) {
		n.left = markerReach
	}
	if n.left > 0 && !comment(s) {
		if method := group(n.in.method(), annotations().ReplaceAllString(s, "")); method != nil {
			n.left = 0
			return append(all, method...)
		}
	}
	return all
}

// tableReach is how many lines a table of cases may have.
const tableReach = 1000

var (
	firstText = lazyregexp.New(`^\s*` + quoted)
	// tableEnd ends a table, and the name follows, in this line or as the first text of the next.
	tableEnd = lazyregexp.New(`^\s*(?:(?:[}\]]+(?:\s+as\s+\w+)?,?\s*)?\)|` + "`" + `)\s*\(\s*(?:` + quoted + `|$)`)
)

// apart finds the name of a test that does not stand in the line in which its call begins. Only a line that may name
// something makes it look at the line before.
func (n *names) apart(s string) []string {
	text := strings.TrimSpace(s)
	if text == "" || comment(text) {
		return nil
	}
	before, behind := n.before, n.behind
	n.before, n.behind = text, false
	first := text[:1]
	if strings.Contains("\"'`", first) && strings.HasSuffix(before, "(") && n.hint.mayName(text) &&
		(behind || n.in.opens().MatchString(before)) {
		return group(firstText(), text)
	}
	if n.rows--; n.rows > 0 && strings.Contains("}])`", first) && tableEnd().MatchString(text) {
		n.rows, n.behind = 0, strings.HasSuffix(text, "(")
		return group(tableEnd(), text)
	}
	if n.in.table != nil && (strings.Contains(text, ".each") || strings.Contains(text, ".for")) &&
		n.in.table().MatchString(text) {
		n.rows = tableReach
	}
	return nil
}

// annotations are what may stand in front of a method in its line.
var annotations = lazyregexp.New(`^\s*(?:(?:@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[[^\]]*\])\s*)*`)

// comment reports whether the line is a comment, in the languages that have markers.
func comment(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "//") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "/*")
}

// hint is the words that ids begin with, in small letters, where they are few: a line without any names no requirement.
// It spares most lines the search. Without words every line may.
type hint []string

const manyWords = 8

func newHint(ids []string, short map[string][]string) hint {
	var all hint
	for _, id := range slices.Concat(ids, slices.Collect(maps.Keys(short))) {
		word, _, _ := stem(id)
		small := strings.ToLower(word)
		if slices.Contains(all, small) {
			continue
		}
		oneWord := word == small || word == strings.ToUpper(word) // others may be parted: LogIn, log_in
		if word == "" || !oneWord || len(all) == manyWords {
			return nil
		}
		all = append(all, small)
	}
	return all
}

func (h hint) mayName(line string) bool {
	if len(h) == 0 {
		return true
	}
	line = strings.ToLower(line)
	return slices.ContainsFunc(h, func(word string) bool { return strings.Contains(line, word) })
}

// group returns what the first group that took part matched, or nil.
func group(re *regexp.Regexp, s string) []string {
	m := re.FindStringSubmatchIndex(s)
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 && m[i] < m[i+1] {
			return []string{s[m[i]:m[i+1]]}
		}
	}
	return nil
}
