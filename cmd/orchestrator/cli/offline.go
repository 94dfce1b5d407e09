package cli

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/operator/exportfile"
)

// Offline returns the path of the export of the project where no service was named and none runs, as in a clone. Asked
// is the error of asking; it is returned where an export does not stand in for the answer.
func Offline(cmd *cobra.Command, asked error) (string, error) {
	path, err := setting.ExportPath(cmd)
	if err != nil || ServiceOf(cmd).Server != "" || !apiclient.NotRunning(asked) || !exportfile.StandsIn(path, asked) {
		return "", asked
	}
	return path, nil
}
