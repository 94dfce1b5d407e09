// Package typed checks what somebody typed before anything is sent.
package typed

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/proposal"
)

// Said refuses words of a person that are hints still, as printed commands have them.
func Said(cmd *cobra.Command, args []string) (wrong error) {
	for _, arg := range args {
		if err := proposal.CheckSaid("the argument", arg); err != nil {
			return err
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		words := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			words = list.GetSlice()
		}
		for _, word := range words {
			if err := proposal.CheckSaid("--"+f.Name, word); err != nil && wrong == nil {
				wrong = err
			}
		}
	})
	return wrong
}

// Whole refuses flags that say what a file says that is read as the whole request; others may stand besides.
func Whole(cmd *cobra.Command, from string, besides ...string) (wrong error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if from != "" && wrong == nil && !slices.Contains(besides, f.Name) {
			wrong = fault.Misuse("--from is the whole request, and --%s is given beside it", f.Name).
				WithFix("put what --%s says into the file, or leave --from out", f.Name)
		}
	})
	return wrong
}

// OneOf refuses the value of a flag that is none of those there are; "" is none.
func OneOf[T ~string](flag, value string, known []T) error {
	if value == "" || slices.Contains(known, T(value)) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return fault.Misuse("%s cannot be %q", flag, value).WithFix("give one of %s", strings.Join(names, ", "))
}
