package trace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namesIn returns the names of the tests in a file, separated by |.
func namesIn(path, text string) string {
	n := names{in: languageOf(path)}
	if n.in == nil {
		return "no tests"
	}
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, n.line(strings.TrimRight(line, "\r\n"))...)
	}
	return strings.Join(all, "|")
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a_test.go", "func TestX_REQ7(t *testing.T) {", "TestX_REQ7"},
		{"a_test.go", "func (s *Suite) TestX_REQ7() {", "TestX_REQ7"},
		{"a_test.go", "func FuzzX(f *testing.F) {\n\tf.Fuzz(func", "FuzzX"},
		{"a_test.go", "\tt.Run(\"logs in [REQ-7]\", func(t *testing.T) {", "logs in [REQ-7]"},
		{"a_test.go", "\tif !t.Run(`logs \"in\"`, f) {", `logs "in"`},
		{"a_test.go", "\tt.Run(c.name, func(t *testing.T) {", ""},
		{"a_test.go", "\t// t.Run(\"REQ-7\", f)\n// func TestX_REQ7(", ""},
		{"a_test.go", "\tx := \"t.Run(\\\"REQ-7\\\")\"", ""},
		{"a_test.go", "\tt.Run(\n\t\t\"REQ-7\",\n\tIt(\n\t\t\"REQ-8\",", "REQ-7|REQ-8"},
		{"a_test.go", "func helper_REQ7(t *testing.T) {", ""},
		{"a_test.go", "\tIt(\"REQ-7\", func() {\nvar _ = Describe(\"REQ-8\", f)", "REQ-7|REQ-8"},
		{"a.go", "func TestX_REQ7(t *testing.T) {", "no tests"},

		{"test_a.py", "    def test_req_7(self):", "test_req_7"},
		{"test_a.py", "async def test_req_7():", "test_req_7"},
		{"test_a.py", "class TestREQ7:\nclass REQ7Test(TestCase):", "TestREQ7|REQ7Test"},
		{"test_a.py", "def helper_req_7():\n# def test_req_7():", ""},

		{"a.test.ts", "  it('logs in (REQ-7)', async () => {", "logs in (REQ-7)"},
		{"a.test.ts", "test(\"it's \\\"REQ-7\\\"\", f)", `it's \"REQ-7\"`},
		{"a.spec.jsx", "describe(`REQ-7 ${x}`, () => {", "REQ-7 ${x}"},
		{"a.spec.js", "it.skip('REQ-7', f)\nxit('REQ-8', f)\ntest.describe.only('REQ-9', f)", "REQ-7|REQ-8|REQ-9"},
		{"a.spec.js", "test.each([[1, (2)], [3]])('REQ-7 %i', f)", "REQ-7 %i"},
		{"a.spec.mjs", "  await t.test('REQ-7', f)\nDeno.test(\"REQ-8\", f)", "REQ-7|REQ-8"},
		{"a.spec.js", "  it(\n    'logs in (REQ-7)',\n    async () => {\n      check('REQ-8')", "logs in (REQ-7)"},
		{"a.spec.js", "test.only(\n\n  // the first\n  \"REQ-7\",\n", "REQ-7"},
		{"a.spec.js", "it(\n  nameOf('REQ-7'),\n  'REQ-8')", ""},
		{"a.spec.js", "submit(\n  'REQ-7',\n// it(\n  'REQ-8'", ""},
		{"a.spec.ts", "test.each<[number, string]>([\n  [1, 'REQ-8'],\n  [(3), 'b'],\n])('REQ-7 %i', (a, b) => {", "REQ-7 %i"},
		{"a.spec.ts", "it.each([{\n  a: 'REQ-8',\n}] as const)(\n  \"REQ-7 $a\",\n  f)", "REQ-7 $a"},
		{"a.spec.ts", "it.each`\n  a | b\n  ${1} | ${2}\n`('REQ-7 $a', f)", "REQ-7 $a"},
		{"a.spec.ts", "it.each`a | b`('REQ-7 $a', f)\n`('REQ-8')", "REQ-7 $a"},
		{"a.spec.ts", "describe.each(\n  cases,\n)('REQ-7', f)\ntest.for(cases)(\n  'REQ-8',", "REQ-7|REQ-8"},
		{"a.spec.ts", "test.each(cases)(name, () => {\n})('REQ-7')", ""},
		{"a.spec.ts", "test.each([\n  1,\n])('REQ-7', () => {\n})('REQ-8')", "REQ-7"},
		{"a.spec.ts", "test.each([\n  1,\n])(\n  'REQ-7',\n  f)\nsubmit(\n  'REQ-8',", "REQ-7"},
		{"a.spec.ts", "forEach([\n  1,\n])('REQ-7')", ""},
		{"a.spec.js", "// it('REQ-7', f)\n * it('REQ-7')\nsubmit('REQ-7')\nif (re.test('REQ-7')) {", ""},

		{"A.java", "    @Test\n    public void login_REQ7() throws Exception {", "login_REQ7"},
		{"A.java", "    @Test void login_REQ7() {", "login_REQ7"},
		{"A.java", "    @org.junit.jupiter.api.Test\n    void login_REQ7() {", "login_REQ7"},
		{"A.java", "    @Test(expected = IOException.class)\n    public void login_REQ7() {", "login_REQ7"},
		{"A.java", "  @ParameterizedTest(name = \"{0}\")\n  @CsvSource({\n    \"a(1), 2\",\n  })\n  // see f(x)\n  <T> void login_REQ7(String a) {", "login_REQ7"},
		{"A.java", "  @Test\n  @DisplayName(\"REQ-7: logs in\")\n  void login() {", "REQ-7: logs in|login"},
		{"A.java", "  @BeforeEach\n  void setUp_REQ7() {\n  void helper_REQ7() {", ""},
		{"A.java", "  @Test\n  void login() {\n    check_REQ7();", "login"},
		{"A.java", "  // @Test\n  void login_REQ7() {", ""},
		{"A.kt", "    @Test\n    fun `REQ-7 logs in`() = runTest {", "REQ-7 logs in"},
		{"A.kt", "  test(\"REQ-7\") {\n  test(\n    \"REQ-8\"\n  ) {", "REQ-7|REQ-8"},
		{"A.java", "  @Test\n  @DisplayName(\n    \"REQ-7\")\n  void login() {", "REQ-7|login"},
		{"A.groovy", "  def \"REQ-7 logs in\"() {", "REQ-7 logs in"},
		{"A.scala", "  test(\"REQ-7\") {", "REQ-7"},
		{"A.cs", "        [Fact]\n        public async Task Login_REQ7()", "Login_REQ7"},
		{"A.cs", "        [Fact(DisplayName = \"REQ-7 logs in\")]\n        public void Login()", "REQ-7 logs in|Login"},
		{"A.cs", "        [TestCase(1, 2)]\n        [TestCase(3, 4)]\n        public Task<List<int>> Login_REQ7(int a)", "Login_REQ7"},
		{"A.cs", "        [Test] public void Login_REQ7() {", "Login_REQ7"},
		{"A.cs", "        int x = list[Test(7)];\n        void Login_REQ7()", ""},

		{"a.rs", "    #[test]\n    fn login_req_7() {", "login_req_7"},
		{"a.rs", "#[tokio::test(flavor = \"multi_thread\")]\n#[ignore]\nasync fn login_req_7() {", "login_req_7"},
		{"a.rs", "#[test_case(1 ; \"REQ-7 one\")]\nfn login(x: i32) {", "REQ-7 one|login"},
		{"a.rs", "fn login_req_7() {\n// #[test]\nfn other_req_7() {", ""},

		{"a_spec.rb", "  it \"logs in (REQ-7)\" do\n  it('REQ-8') { }\nRSpec.describe 'REQ-9' do", "logs in (REQ-7)|REQ-8|REQ-9"},
		{"a_test.rb", "  def test_req_7\n  # it \"REQ-8\" do\n  submit \"REQ-9\"", "test_req_7"},
		{"a_test.exs", "  test \"REQ-7 logs in\", %{conn: conn} do", "REQ-7 logs in"},
		{"ATest.php", "    public function testLogin_REQ7(): void\nit('REQ-8', function () {\ntest(\n  'REQ-9',", "testLogin_REQ7|REQ-8|REQ-9"},
		{"a.swift", "  @Test(\"REQ-7\") func login() {\n  func testLogin_REQ8() {", "REQ-7|login|testLogin_REQ8"},
		{"a.swift", "  @Test(\"REQ-7 logs in\", .tags(.fast), arguments: [1, 2])\n  func login(n: Int) {\n    check_REQ8()", "REQ-7 logs in|login"},
		{"a.swift", "@MainActor @Test(\n  \"REQ-7\",\n  .bug(\"x\")\n)\nfunc login() {", "REQ-7|login"},
		{"a.swift", "@Test func login_REQ7() {\n@Test @MainActor\nfunc `REQ-8 logs out`() async {", "login_REQ7|REQ-8 logs out|REQ-8 logs out"},
		{"a.swift", "@Suite(\"REQ-7\") struct Login {\n  func helper_REQ8() {\n  // @Test(\"REQ-9\")", "REQ-7"},
		{"a.cc", "TEST_F(Login, REQ7_LogsIn) {\nTEST_CASE(\"REQ-8\", \"[login]\") {\nBOOST_AUTO_TEST_CASE(req_9)", "Login, REQ7_LogsIn|REQ-8|req_9"},
		{"a.bats", "@test \"REQ-7 logs in\" {", "REQ-7 logs in"},
		{"a.feature", "@REQ-7 @slow\nScenario Outline: logs in (REQ-8)\n  Given REQ-9\n  # Scenario: REQ-9", "@REQ-7 @slow|logs in (REQ-8)"},
		{"a.txt", "it('REQ-7')", "no tests"},
	} {
		t.Run(c.path+" "+c.text, func(t *testing.T) { require.Equal(t, c.want, namesIn(c.path, c.text)) })
	}
}

// The hint may never keep a name from being looked at that mentions an id.
func TestHint(t *testing.T) {
	for _, c := range []struct {
		ids  []string
		want hint
	}{
		{[]string{"REQ-7", "REQ-8", "PAY-F-12"}, hint{"req", "pay"}},
		{[]string{"req~log-in~1", "GRÖSSE-3"}, hint{"req", "grösse"}},
		{[]string{"REQ-7", "LogIn-3"}, nil},
		{[]string{"REQ-7", "12"}, nil},
		{[]string{"A1", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "I1"}, nil},
	} {
		require.Equal(t, c.want, newHint(c.ids, nil), "%q", c.ids)
	}
	h := newHint([]string{"REQ-7"}, nil)
	require.True(t, h.mayName("func TestReq7(") && h.mayName("TestREQ_7") && h.mayName("[req.7]"))
	require.False(t, h.mayName("func TestR7("))
	require.True(t, hint(nil).mayName("anything"))
	require.Empty(t, (&names{in: languageOf("a_test.go"), hint: h}).line("func TestOther("), "spared")
	java := names{in: languageOf("A.java"), hint: h}
	require.Equal(t, []string{"login"}, java.line("@Test void login() {"))
	require.Empty(t, java.line("void helper_REQ7() {"), "the marker is used up")
}
