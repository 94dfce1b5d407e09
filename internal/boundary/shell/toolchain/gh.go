package toolchain

import (
	"slices"
	"strings"
)

// ghRows lists the commands of GitHub's client that read, and those that publish what a session proposes: a pull
// request, an issue, or a comment. These write no file here, and others can read them at once, so they count as
// producing: a policy can have the person asked, or block them. No row has an option that opens an editor or a browser,
// or takes text from a file that an earlier run left behind. All else that gh does is left to the rules of the
// boundary: it merges, closes, deletes, checks out, or changes a repository.
var ghRows = []Row{
	{Name: "gh alias list", Reads: true},
	{Name: "gh api", Words: Any, Opts: "X:~ --method:~ q: --jq: --paginate i --include --slurp", Reads: true},
	{Name: "gh auth status", Opts: "a --active h: --hostname:", Reads: true},
	{Name: "gh cache list", Opts: ghListed, Reads: true},
	{Name: "gh codespace list", Opts: ghListed, Reads: true},
	{Name: "gh extension list", Reads: true},
	{Name: "gh gist list", Opts: ghListed + " --public --secret", Reads: true},
	{Name: "gh issue comment", Words: Any, Opts: ghText},
	{Name: "gh issue create", Opts: ghText + ghNew},
	{Name: "gh issue list", Opts: ghListed + ghFilter + " --mention: m: --milestone:", Reads: true},
	{Name: "gh issue status", Opts: ghShown, Reads: true},
	{Name: "gh issue view", Words: Any, Opts: ghShown + " c --comments", Reads: true},
	{Name: "gh label list", Opts: ghListed + " S: --search:", Reads: true},
	{Name: "gh pr checks", Words: Any, Opts: ghShown + " --fail-fast i: --interval: --required --watch", Reads: true},
	{Name: "gh pr comment", Words: Any, Opts: ghText},
	{Name: "gh pr create", Opts: ghText + ghNew + " B: --base: d --draft --dry-run f --fill --fill-first " +
		"--fill-verbose H: --head: --no-maintainer-edit r: --reviewer:"},
	{Name: "gh pr diff", Words: Any, Opts: ghShown + " --color: --name-only --patch e: --exclude:", Reads: true},
	{Name: "gh pr list", Opts: ghListed + ghFilter + " B: --base: d --draft H: --head:", Reads: true},
	{Name: "gh pr status", Opts: ghShown + " c --conflict-status", Reads: true},
	{Name: "gh pr view", Words: Any, Opts: ghShown + " c --comments", Reads: true},
	{Name: "gh project list", Opts: ghListed + " --closed --format: --owner:", Reads: true},
	{Name: "gh release list", Opts: ghListed + " --exclude-drafts --exclude-pre-releases", Reads: true},
	{Name: "gh release view", Words: Any, Opts: ghShown, Reads: true},
	{Name: "gh repo list", Words: Any, Opts: ghListed + " --archived --fork l: --language: --no-archived --source " +
		"--topic: --visibility:", Reads: true},
	{Name: "gh repo view", Words: Any, Opts: ghShown + " b: --branch:", Reads: true},
	{Name: "gh ruleset list", Opts: ghListed + " o: --org: p --parents", Reads: true},
	{Name: "gh run list", Opts: ghListed + " a --all b: --branch: c: --commit: --created: e: --event: s: --status: " +
		"u: --user: w: --workflow:", Reads: true},
	{Name: "gh run view", Words: Any, Opts: ghShown + " a: --attempt: --exit-status j: --job: --log --log-failed " +
		"v --verbose", Reads: true},
	{Name: "gh run watch", Words: Any, Opts: ghShown + " --compact --exit-status i: --interval:", Reads: true},
	{Name: "gh search code", Words: Any, Opts: ghListed + ghFound + " --extension: --filename:", Reads: true},
	{Name: "gh search commits", Words: Any, Opts: ghListed + ghFound, Reads: true},
	{Name: "gh search issues", Words: Any, Opts: ghListed + ghFound, Reads: true},
	{Name: "gh search prs", Words: Any, Opts: ghListed + ghFound, Reads: true},
	{Name: "gh search repos", Words: Any, Opts: ghListed + ghFound, Reads: true},
	{Name: "gh secret list", Opts: ghListed, Reads: true},
	{Name: "gh status", Opts: "e: --exclude: o: --org:", Reads: true},
	{Name: "gh variable list", Opts: ghListed, Reads: true},
	{Name: "gh workflow list", Opts: ghListed + " a --all", Reads: true},
	{Name: "gh workflow view", Words: Any, Opts: ghShown + " r: --ref: y --yaml", Reads: true},
}

// Options that several commands of gh have.
const (
	ghShown  = "q: --jq: --json: R: --repo: t: --template:"
	ghListed = ghShown + " L: --limit: O: --order:"
	ghFilter = " --app: a: --assignee: A: --author: l: --label: S: --search: s: --state:"
	ghFound  = " --author: --label: --language: --owner: --sort: --state:"
	ghText   = "b: --body: F:< --body-file:< R: --repo:"
	ghNew    = " a: --assignee: l: --label: m: --milestone: p: --project: t: --title:"
)

// ghTyped reports whether a command of gh asks for what it is not told, and offers an editor for it.
func ghTyped(own []string) bool {
	given := func(short, long string) bool {
		return slices.ContainsFunc(own, func(w string) bool {
			return strings.HasPrefix(w, "--"+long) || strings.HasPrefix(w, "-"+short)
		})
	}
	body := given("b", "body") || given("F", "body-file") || given("f", "fill")
	switch {
	case slices.Contains(own, "create"):
		return !body || !given("t", "title") && !given("f", "fill")
	case slices.ContainsFunc(own, func(w string) bool {
		return slices.Contains([]string{"comment", "edit", "merge", "review"}, w)
	}):
		return !body
	}
	return false
}
