package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"orchestrator/cmd/orchestrator/boundarycmd"
	"orchestrator/internal/boundary/hook"
)

// TestMain lets copies of this test be the programs that the tests start: orchestrator and orchestrator-hook are the
// real programs, the race detector included, and limited starts another program that may only write small files.
func TestMain(m *testing.M) {
	// A program with the race detector sleeps for a second before it ends, unless it is told not to.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	boundarycmd.HookDeadline, boundarycmd.DoctorPatience = time.Minute, 20*time.Second // this machine may be busy with other things
	boundarycmd.FinishPatience = time.Minute
	_ = flag.Set("test.parallel", "6") // they wait more than they compute; the command line may still say otherwise
	testscript.Main(m, map[string]func(){
		"orchestrator": main, "limited": limited, "agent": agent,
		"orchestrator-hook": func() { os.Exit(hook.Main(os.Args[1:], time.Now(), boundarycmd.HookDeadline)) },
	})
}

// limited BYTES PROGRAM [ARGS] makes every write beyond the first BYTES of a file fail, as a full disk would.
func limited() {
	bytes, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes})
	}
	if err == nil {
		err = syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	}
	os.Stderr.WriteString("limited: " + err.Error() + "\n")
	os.Exit(125)
}

// TestScripts runs testdata/scripts/*.txtar, each a page of documentation that is executed. Beside the commands of
// testscript they use those of script_test.go.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			s := &script{}
			env.Values[scriptKey{}] = s
			env.Defer(s.end)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			if cache, err := os.UserCacheDir(); err == nil { // for scripts that run tests
				env.Setenv("GOCACHE", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server":   command((*script).serve),
			"refused":  command((*script).refused),
			"exits":    command((*script).exits),
			"shutdown": command((*script).shutdown),
			"crash":    command((*script).crash),
			"call":     command((*script).call),
			"await":    command((*script).await),
			"logs":     command((*script).logs),
			"awaitlog": command((*script).awaitLog),
			"secret":   command((*script).secret),
			"mode":     command((*script).mode),
			"cut":      command((*script).cut),
			"scribble": command((*script).scribble),
			"tamper":   command((*script).tamper),
			"listener": command((*script).listen),
			"heard":    command((*script).overheard),

			"certificate": command((*script).certificate),
			"keep":        command((*script).keep),
			"kept":        command((*script).kept),
		},
	})
}
