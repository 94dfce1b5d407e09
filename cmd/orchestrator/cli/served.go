package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

// whileServed says of a database that is open elsewhere which service has it, and what works meanwhile.
func whileServed(cmd *cobra.Command, err error) error {
	data := datadir.Dir(cmd.Flags().Lookup("data").Value.String())
	if !fault.Is(err, store.CodeLocked) || !apiclient.Runs(data) {
		return err
	}
	addr, unread := apiclient.LocalAddress(cmd.Context(), data)
	if unread != nil {
		return err
	}
	url := apiclient.LocalURL(addr)
	found := fault.As(err)
	told := found.WithDetail("the service at %s has the database of %s open", url, data)
	switch cmd.Name() {
	case "import":
		told = told.WithFix("%s", found.Fix)
	case "verify":
		told = told.WithFix("%s %s checks it while it runs; for the file itself, stop it first: orchestrator down",
			cmd.CommandPath(), url)
	default:
		told = told.WithFix("stop it first: orchestrator down; until then it serves as before")
	}
	if own := (ExitError{}); errors.As(err, &own) {
		return ExitError{told, own.Code}
	}
	return told
}
