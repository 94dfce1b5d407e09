// Package projectcmd holds the commands that set a project up on a machine, and run its service there.
package projectcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/localservice"
	"orchestrator/internal/system/background"
)

const upLong = `Up starts orchestrator serve in the background, waits until it is ready, and prints its address and
its log. If the service runs, up says so and changes nothing.

The service takes its settings from orchestrator.yaml and .orchestrator/settings.yaml, and variables from this
environment. Where neither --addr nor a setting names an address, up takes a free port and sets addr, so that the
service has the same port next time and several projects do not get in each other's way.

The log is .orchestrator/serve.log. At 8 MiB its content is moved to serve.log.1. If the start fails, up says why, as
serve does. The service ends with orchestrator down, and with the machine; for a service that starts with
the machine, see docs/packages.md.`

// UpCommand returns the command that starts the service in the background.
func UpCommand() *cobra.Command {
	var data string
	var o localservice.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the service of this project in the background",
		Long:  upLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Program, err = os.Executable(); err != nil {
				return err
			}
			waiting := output.NewWaiting(cmd.ErrOrStderr(), "starting the service")
			o.Data, o.Root, o.Agent, o.Waits = datadir.Dir(data), ".", cli.UserAgent(), waiting.Update
			o.Saved = !cmd.Flags().Changed("addr")
			s, err := localservice.Up(cmd.Context(), o)
			waiting.Clear()
			if err != nil {
				return err
			}
			if asJSON {
				return output.WriteJSON(cmd.OutOrStdout(), jsonOf(s, o.Data))
			}
			printUp(cmd.OutOrStdout(), s, o.Data)
			return nil
		},
	}
	cli.DataFlag(cmd, &data)
	cmd.Flags().StringVar(&o.Addr, "addr", "",
		"address to listen on this time: HOST:PORT, or unix:PATH for a socket; without it that of the settings, or a "+
			"free port")
	cmd.Flags().DurationVar(&o.Patience, "timeout", time.Minute, "how long the service may take until it is ready")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	setting.Declare(cmd, "addr")
	setting.WorkAtRoot(cmd, "data", "addr")
	return cli.WithEnv(cmd)
}

func printUp(out io.Writer, s localservice.Service, data datadir.Dir) {
	said := "The service runs"
	if s.Already {
		said = "The service runs already"
	}
	if s.Process == 0 {
		fmt.Fprintf(out, "%s at %s; orchestrator up did not start it.\n", said, s.URL)
		return
	}
	fmt.Fprintf(out, "%s at %s as process %d.\nIts log is %s. orchestrator down stops it.\n", said, s.URL, s.Process,
		localservice.LogFile(data))
}

// local is the service of a project as JSON.
type local struct {
	URL     string `json:"url,omitzero"`
	Process int    `json:"process,omitzero"` // that up started
	Already bool   `json:"already,omitzero"` // it ran before
	Log     string `json:"log,omitzero"`
}

// jsonOf returns a service as JSON; of one that up did not start there is no log.
func jsonOf(s localservice.Service, data datadir.Dir) local {
	l := local{URL: s.URL, Process: s.Process, Already: s.Already}
	if s.Process != 0 {
		l.Log = localservice.LogFile(data)
	}
	return l
}

// DownCommand returns the command that stops the service in the background.
func DownCommand() *cobra.Command {
	var data string
	var patience time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the service that up started",
		Long: `Down tells the service that orchestrator up started to end, and waits until it has. The service
finishes the requests in flight and writes the last export. Down never kills it, and stops nothing that up did not
start. If no service runs, it says so and exits with 0.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), patience)
			defer cancel()
			begin := time.Now()
			s, err := localservice.Down(ctx, datadir.Dir(data))
			switch out := cmd.OutOrStdout(); {
			case err != nil:
				return err
			case asJSON:
				return output.WriteJSON(out, jsonOf(s, datadir.Dir(data)))
			case s.Process == 0:
				fmt.Fprintln(out, "No service runs.")
			default:
				fmt.Fprintf(out, "Stopped the service at %s, process %d, after %.1f s.\n", s.URL, s.Process,
					time.Since(begin).Seconds())
			}
			return nil
		},
	}
	cli.DataFlag(cmd, &data)
	cmd.Flags().DurationVar(&patience, "timeout", 30*time.Second, "how long the service may take to end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON: the service that was stopped, or nothing of one")
	setting.WorkAtRoot(cmd, "data")
	return cli.WithEnv(cmd)
}

// OpenCommand returns the command that shows the service in a browser.
func OpenCommand() *cobra.Command {
	var service cli.Service
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Print the address of the service and open it in a browser",
		Long: `Open prints the address of the running service and shows its page /docs, the documentation of the API,
in the browser of this machine. A service on a socket has an address, and nothing that a browser can show.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			address, err := service.Address()
			if err == nil {
				err = apiclient.CheckServer(address)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), apiclient.Redacted(address))
			if printOnly || strings.HasPrefix(address, "unix:") {
				return nil
			}
			if err := background.Show(address + "/docs"); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "no browser could be opened: visit %s/docs\n",
					apiclient.Redacted(address))
			}
			return nil
		},
	}
	cli.DataFlag(cmd, &service.Data)
	cli.ServerFlag(cmd, &service.Server)
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the address, and open nothing")
	return cli.WithEnv(cmd)
}
