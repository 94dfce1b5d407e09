package logcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor"
	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

const maxProof = 64 << 10 // bytes of an answer; a proof has at most a few kilobytes

type witnessOptions struct {
	witness.Options
	data, out      string
	tokens         []string
	every, timeout time.Duration
	tlsCA          string
	once, asJSON   bool
}

func auditWitness() *cobra.Command {
	var o witnessOptions
	cmd := &cobra.Command{
		Use:   "witness URL...",
		Short: "Watch logs, check that they only grow, and cosign their checkpoints",
		Long: `Witness asks each server for its signed checkpoint, requires a proof that the log has only grown since
the last one, and cosigns it (C2SP tlog-cosignature). The state file has the checkpoint before anyone sees the
cosignature.

At first it accepts the key that a server shows, or requires one of --key; from then on the address is pinned to that
log and that key. A checkpoint that is smaller, forked, not proved to have only grown, or of another log or key is
refused. The checkpoint in the state remains, and the alarm is written to the state and to a file ALARM-... beside it,
with both checkpoints, so that anyone can check it. An alarm is repeated in every round.

Keep the state and the key of the witness away from the servers that it watches, and do not copy them: two witnesses
with one key could cosign contradictory checkpoints.

Exit codes: 0 all is well, or stopped; 1 an alarm; 2 usage or environment; 3 with
--once, a server could not be asked.`,
		Example: `  orchestrator audit witness --token-file viewer.token https://shop.example.org
  orchestrator audit witness --once --key audit.pub http://127.0.0.1:8080   # as a job
  orchestrator audit witness -o cosigned --token-file a.token https://a.example https://b.example`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.State, "state", "witness.json", "file with the last checkpoint of each log, and the alarms")
	f.StringVar(&o.Key, "witness-key", "",
		"file of the private key of the witness, made at first use; without it witness.key beside the state")
	f.StringVar(&o.Name, "name", "",
		"name of the witness, preferably an address without https://, chosen when the key is created")
	f.StringArrayVar(&o.Trust, "key", nil,
		"public key of a log, or a file that holds it, as GET /audit/key answers it; a server seen for the first "+
			"time must show one of these")
	f.DurationVar(&o.every, "every", time.Minute, "time between two rounds")
	f.BoolVar(&o.once, "once", false, "one round, then exit")
	cli.TLSCAFlag(cmd, &o.tlsCA)
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long a server may take in a round")
	f.StringArrayVar(&o.tokens, "token-file", nil,
		"file with the token to ask with: one for all servers, or one for each; without it, for a server on this "+
			"machine, the viewer's of --data")
	f.BoolVar(&o.asJSON, "json", false, "write a line of JSON for each server and round")
	f.StringVarP(&o.out, "out", "o", "", "folder to put the cosigned checkpoints in, a file for each log")
	cli.DataFlag(cmd, &o.data)
	return cli.Usage(cli.WithEnv(cmd))
}

func (o witnessOptions) run(ctx context.Context, out, notes io.Writer, urls []string) error {
	servers, err := o.connect(urls)
	if err != nil {
		return err
	}
	w, err := o.open(ctx, notes)
	if err != nil {
		return err
	}
	defer w.Close()
	watch := witness.Watch{Witness: w, Servers: servers, Timeout: o.timeout,
		Observer: reporter{out, notes, o.out, o.asJSON, map[string]bool{}}}
	if o.once {
		err = watch.Once(ctx)
	} else {
		err = watch.Run(ctx, o.every)
	}
	switch {
	case fault.Is(err, witness.CodeAlarm):
		return cli.Found(err)
	case fault.Is(err, witness.CodeIncomplete):
		return cli.ExitError{Err: err, Code: cli.ExitUnreachable}
	}
	return err
}

// open opens the witness, and says where it is new.
func (o witnessOptions) open(ctx context.Context, notes io.Writer) (w *witness.Witness, err error) {
	if o.every < time.Second || o.timeout < time.Second {
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "--every and --timeout take a second at least").
			WithFix("use --every 1m")
	}
	if o.Trust, err = trustedKeys(ctx, o.Trust); err != nil {
		return nil, err
	}
	if o.Key == "" {
		o.Key = datadir.WitnessKeyBeside(o.State)
	}
	if err := makeFolder(o.out); err != nil {
		return nil, fault.New(fault.Unavailable, "witness_out", "the folder %s cannot be made", o.out).
			WithFix("name another with -o").Because(err)
	}
	o.Displaced = func(path, what string) { output.Displaced(notes, path, what) }
	w, err = witness.Open(o.Options)
	if err == nil && w.Made {
		fmt.Fprintf(notes, "made the key of this witness, %s; what it cosigns is verified with %s\n", o.Key, w.Key())
	}
	return w, err
}

func trustedKeys(ctx context.Context, given []string) (keys []string, err error) {
	for _, text := range given {
		key, err := auditor.ReadKey(ctx, text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// connect prepares to ask each server with its token.
func (o witnessOptions) connect(urls []string) ([]witness.Watched, error) {
	if n := len(o.tokens); n > 1 && n != len(urls) {
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "there are %d servers and %d token files", len(urls), n).
			WithFix("give --token-file once for all of them, or once for each, in their order")
	}
	var servers []witness.Watched
	for i, raw := range urls {
		address := witness.Address(raw)
		if slices.ContainsFunc(servers, func(s witness.Watched) bool { return s.URL == address }) {
			return nil, fault.New(fault.Invalid, fault.CodeUsage, "%s is named twice", address).
				WithFix("name each server once")
		}
		options, err := o.tokenFor(i, address)
		if err != nil {
			return nil, err
		}
		options.CAFile, options.UserAgent, options.MaxAnswer = o.tlsCA, cli.UserAgent(), maxProof
		c, err := apiclient.New(options)
		if err != nil {
			return nil, err
		}
		servers = append(servers, witness.Watched{URL: address, Server: c})
	}
	return servers, nil
}

// tokenFor returns the address to ask, and the token that is for it.
func (o witnessOptions) tokenFor(i int, address string) (apiclient.Options, error) {
	switch {
	case len(o.tokens) == 1:
		return apiclient.Options{Server: address, TokenFile: o.tokens[0]}, nil
	case len(o.tokens) > 1:
		return apiclient.Options{Server: address, TokenFile: o.tokens[i]}, nil
	}
	data := datadir.Dir(o.data)
	if server, own := apiclient.LocalServer(context.Background(), data, address); own && tree.Exists(data.Token("viewer")) {
		return apiclient.Options{Server: server, Own: data, TokenIn: string(data), TokenFile: data.Token("viewer")}, nil
	}
	return apiclient.Options{}, fault.New(fault.Invalid, "token_file", "there is no token to ask %s with", apiclient.Redacted(address)).
		WithFix("where that server runs, make one that can only read: orchestrator token add viewer witness --out " +
			"witness.token; then name it with --token-file")
}

func makeFolder(folder string) error {
	if folder == "" {
		return nil
	}
	return os.MkdirAll(folder, 0o755)
}
