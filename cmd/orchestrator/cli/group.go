package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
	"orchestrator/internal/system/shellquote"
)

// wrongValue is how an error begins that says that a flag does not take a value.
var wrongValue = lazyregexp.New(`^invalid argument "(.*)" for "(?:-\w, )?--([a-z-]+)" flag: `)

// taken says what the flags of a type take.
var taken = map[string]struct{ what, fix string }{
	"int": {"a whole number", "a value such as 20"}, "int64": {"a whole number", "a value such as 20"},
	"bool": {"no value, or true or false", "no value, or =false behind it"}, "duration": {"a time", "a value such as 30s or 5m"},
}

// flagError adds to an error of a flag what to do.
func flagError(cmd *cobra.Command, err error) error {
	if m := wrongValue().FindStringSubmatch(err.Error()); m != nil {
		f := cmd.Flags().Lookup(m[2])
		if t, known := taken[f.Value.Type()]; known {
			return fault.Misuse("--%s takes %s, not %q", f.Name, t.what, m[1]).WithFix("give --%s %s", f.Name, t.fix)
		}
	}
	refusal := fault.Misuse("%v", err)
	for wrong, fix := range map[string]string{
		"unknown flag: --token": "name a file with it by --token-file, or put it into the variable " + tokenVariable +
			": others can see the command line",
		"unknown flag: --url":  "the address of the service is --server",
		"unknown flag: --host": "the address of the service is --server",
	} {
		if err.Error() == wrong && cmd.Flags().Lookup("server") != nil {
			return refusal.WithFix("%s", fix)
		}
	}
	return refusal.WithFix("%s --help lists the flags", cmd.CommandPath())
}

// Group makes a command that only holds others refuse a name it does not know; cobra would print help and succeed.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		refusal := fault.Misuse("there is no command %q", cmd.CommandPath()+" "+args[0])
		if similar := meant(cmd, args[0]); len(similar) > 0 {
			return refusal.WithFix("did you mean %s?", strings.Join(similar, " or "))
		}
		return refusal.WithFix("%s --help lists the commands", cmd.CommandPath())
	}
	return cmd
}

// leads says which commands do what other programs have other words for.
var leads = map[string][]string{
	"add": {"import", "token add"}, "check": {"gate", "doctor"}, "ci": {"gate"}, "cat": {"show"}, "close": {"approve"},
	"dashboard": {"open", "review"}, "describe": {"show"}, "diff": {"import --dry-run"},
	"done": {"approve"}, "edit": {"change"},
	"get": {"show"}, "install": {"init", "boundary install"}, "lint": {"import --check",
		"trace --check"}, "log": {"history", "audit"},
	"login": {"token add", "config"}, "logs": {"up", "history"}, "ls": {"list"}, "mv": {"rename"},
	"ps":    {"status", "health"},
	"ready": {"health"}, "reload": {"import"}, "report": {"review"}, "run": {"up", "serve", "drive"},
	"scan": {"trace"}, "server": {"up", "serve"},
	"set": {"config set", "change"}, "settings": {"config"}, "setup": {"init"}, "start": {"up",
		"serve"}, "stop": {"down"},
	"sync": {"import"}, "todo": {"next", "review"}, "ui": {"open"}, "update": {"change", "import"}, "user": {"token"},
	"users": {"token list"}, "validate": {"gate", "import --check"},
}

// meant returns the commands that somebody may have meant with another word.
func meant(cmd *cobra.Command, word string) (all []string) {
	if !cmd.HasParent() {
		for _, path := range leads[word] {
			if found, _, err := cmd.Find(strings.Fields(path)); err == nil && found != cmd {
				all = append(all, cmd.Name()+" "+path)
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	return cmd.SuggestionsFor(word)
}

// Finish arranges the commands of the program and their help, and gives what cobra says of wrong flags and arguments
// a remedy.
func Finish(root *cobra.Command) *cobra.Command {
	root.SetFlagErrorFunc(flagError)
	remedyArguments(arrange(root))
	explainData(root)
	narrowHelp(root)
	return root
}

func remedyArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		remedyArguments(sub)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || fault.As(err) != nil {
			return err
		}
		return wrongArguments(cmd, args)
	}
}

// takesOneID reports whether a command takes an id, and nothing else.
func takesOneID(cmd *cobra.Command) bool {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	return takes == "ID" || takes == "[ID]"
}

func wrongArguments(cmd *cobra.Command, args []string) error {
	fix := "the form is: " + cmd.UseLine()
	switch {
	case len(args) == 0:
		return fault.Misuse("%s needs an argument", cmd.CommandPath()).WithFix("%s", fix)
	case !strings.ContainsAny(cmd.Use, " "):
		return fault.Misuse("%s takes no arguments, and was given %q", cmd.CommandPath(), args[0]).WithFix("%s", fix)
	}
	if words := strings.Join(args, " "); takesOneID(cmd) {
		fix = "quote an id with spaces: " + cmd.CommandPath() + " " + shellquote.Quote(words)
	}
	if len(args) == 1 {
		return fault.Misuse("%s was given one argument", cmd.CommandPath()).WithFix("%s", fix)
	}
	return fault.Misuse("%s was given %d arguments", cmd.CommandPath(), len(args)).WithFix("%s", fix)
}
