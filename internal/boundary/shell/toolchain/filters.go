package toolchain

// filters write the files that they are given, and without one what they are fed to standard output.
var filters = []string{"dos2unix", "rustfmt", "sponge", "tee", "unix2dos"}

// Filters reports whether a program that writes the files which it is given writes none where it gets none.
func Filters(program string) bool { return has(filters, program) }
