package typed

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/editor"
	"orchestrator/internal/system/tree"
)

// Input reads a file, or standard input for "-".
func Input(cmd *cobra.Command, name string, most int64) ([]byte, error) {
	if name != "-" {
		content, err := tree.ReadFile(cmd.Context(), name, most)
		if err != nil {
			return nil, Unreadable(name, err)
		}
		return content, nil
	}
	content, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	if err == nil && int64(len(content)) > most {
		return nil, fault.Misuse("standard input has more than %d KiB", most>>10).WithFix("send less, or in parts")
	}
	return content, err
}

// Unreadable refuses a file that cannot be read.
func Unreadable(name string, cause error) error {
	return fault.Misuse("%s cannot be read", name).WithFix("name a file that is there and can be read").Because(cause)
}

// Edited opens a text in the editor, and returns the file that it lies in with what the person left of it.
func Edited(ctx context.Context, name, text string) (file string, left []byte, err error) {
	f, err := os.CreateTemp("", "orchestrator-"+name+"-*.yaml")
	if err != nil {
		return "", nil, err
	}
	if _, err = f.WriteString(text); err == nil {
		err = f.Close()
	}
	if err == nil {
		err = editor.Edit(ctx, f.Name())
	}
	if err == nil {
		left, err = os.ReadFile(f.Name())
	}
	return f.Name(), left, err
}
