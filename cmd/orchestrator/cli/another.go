package cli

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/database"
)

// codeOfAnother is the code of a data folder that belongs to another user.
const codeOfAnother fault.Code = "data_of_another"

// CheckData refuses a data folder that is there, and that this user cannot look into.
func CheckData(cmd *cobra.Command, data string) error {
	_, err := os.Stat(datadir.Dir(data).Database())
	if !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	fix := "run the command as that user"
	if cmd.Flags().Lookup("token-file") != nil {
		fix += "; or name the service with --server, and your token with --token-file"
	}
	return fault.New(fault.Forbidden, codeOfAnother, "the folder %s belongs to another user", data).
		WithFix("%s", fix).Because(errors.Unwrap(err))
}

// explainData makes commands say so that fail because their data folder belongs to another user, whatever they found
// missing in it.
func explainData(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		explainData(sub)
	}
	work := cmd.RunE
	if work == nil || cmd.Flags().Lookup("data") == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if !errors.Is(err, fs.ErrPermission) && !fault.Is(err, database.CodeMissing) {
			return err
		}
		other := CheckData(cmd, cmd.Flags().Lookup("data").Value.String())
		if own := (ExitError{}); other != nil && errors.As(err, &own) {
			return ExitError{other, own.Code}
		} else if other != nil {
			return other
		}
		return err
	}
}
