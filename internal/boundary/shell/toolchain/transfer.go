package toolchain

// Transfer returns the options of a program that copies, moves or links files, as package shell reads them.
func Transfer(program string) string {
	opts := "t:/ --target-directory:/ T S: --suffix: v f --no-target-directory"
	switch program {
	case "cp", "gcp":
		opts += " s& --symbolic-link& l& --link& i n p u --interactive --no-clobber --update= --force --verbose"
	case "ln":
		opts += " s& --symbolic& r$ --relative$"
	case "install":
		opts += " m: o: g: d* --directory* --mode: --owner: --group:"
	case "rsync":
		opts = "n. --dry-run. --list-only. a v r l p t g o D z u c h P q x H& A X S W i d --archive --verbose " +
			"--recursive --link-dest:& --hard-links& --stats --progress --compress --delete --checksum " +
			"--itemize-changes --human-readable --update --links e:! --rsh:! --rsync-path:! --log-file:> --exclude: --include: " +
			"--exclude-from: --files-from: f: --filter: --remove-source-files@ " +
			"--write-batch:> --only-write-batch:> --partial-dir:@ T:@ --temp-dir:@ --backup-dir:@ B: M: --info: " +
			"--port: --timeout: --bwlimit: --password-file:"
	case "scp":
		opts = "S:! F: i: o:! P: c: J: l: X: D:!"
	}
	return opts
}

// Tar and Patch are the options of the programs of those names, as package shell reads them.
const (
	Tar = "x@ --extract@ --get@ t. --list. c r@ u@ A@ f:> --file:> --append@ --update@ --delete@ C:/ " +
		"--directory:/ T: X: I:! F:! g:> " +
		"--to-command:! --use-compress-program:! --checkpoint-action:! --rmt-command:! --rsh-command:! " +
		"--info-script:! --new-volume-script:! --index-file:> " +
		"z j J v p a h k --gzip --bzip2 --xz --zstd --verbose --auto-compress --wildcards " +
		"--exclude: --transform: --files-from: --listed-incremental:> --strip-components: b: H: K: L: N: V: --remove-files@"
	Patch = "o:> --output:> --dry-run. C. --check. --version. d:/ --directory:/ i: --input: p: --strip: r:> " +
		"--reject-file:> B: D: F: V: Y: z: --get: g: N R s f t E b"
)
