package witness

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/ledger/audit"
)

// AlarmError is an alarm, new or repeated, and the file that tells of it.
type AlarmError struct {
	Alarm   Alarm
	File    string
	Unsaved error // why it could not be kept, if so
}

func (e *AlarmError) Error() string { return e.Alarm.Detail }

func (e *AlarmError) Unwrap() error { return e.Unsaved }

// alarm keeps an alarm, unless the same one is kept already, and writes its file.
func (w *Witness) alarm(ctx context.Context, server Server, a Alarm) error {
	// An address gives one alarm of a kind for each checkpoint kept, so that a server that goes on cannot fill the
	// disk.
	same := func(old Alarm) bool {
		return old.URL == a.URL && old.Reason == a.Reason && old.Key == a.Key && textOf(old.Kept) == textOf(a.Kept)
	}
	number := slices.IndexFunc(w.state.Alarms, same)
	if number < 0 {
		number = len(w.state.Alarms)
		if a.Reason == WrongKey || a.Reason == WrongOrigin {
			if key, err := server.Get(ctx, "/audit/key", "text/plain"); err == nil && len(key) <= maxKey &&
				utf8.Valid(key) {
				a.PresentedKey = strings.TrimSpace(string(key))
			}
		}
		next := w.state
		next.Alarms = append(slices.Clone(next.Alarms), a)
		if err := w.save(next); err != nil {
			return &AlarmError{a, "", err}
		}
	}
	a = w.state.Alarms[number]
	file := filepath.Join(filepath.Dir(w.path), fmt.Sprintf("ALARM-%d-%s-%s.txt", number+1,
		FileName(audit.OriginOf(a.Key)), a.At.Format("20060102T150405Z")))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		err = w.write(file, []byte(a.Text()))
	}
	return &AlarmError{a, file, err}
}

// textOf returns what a note says, without its signatures.
func textOf(note string) string {
	text, _, _ := strings.Cut(note, "\n\n")
	return text
}

// FileName returns the name of a log as a part of the name of a file; no two logs share one.
func FileName(origin string) string {
	name := url.PathEscape(origin)
	if len(name) <= 180 {
		return name
	}
	return fmt.Sprintf("%s%%~%x", name[:100], sha256.Sum256([]byte(origin)))
}

var meaning = map[string]string{
	Fork: `Both checkpoints are signed with the key of the log. They have one size and two roots, and no log has that: whoever
signed them has shown two different logs. The two signatures alone prove it.`,
	Rollback: `Both checkpoints are signed with the key of the log, and the smaller one was shown after the larger one: records that
were there have been taken back, or an old copy of the database is in use.`,
	Inconsistent: `Both checkpoints are signed with the key of the log, and the log did not prove that the first is the beginning of the
second. A log that has only grown can: GET /audit/proof/consistency?old=SIZE&new=SIZE. One that cannot has changed
records that were there. Where the proof below leads to the second from another root than that of the first, it proves so by
itself.`,
	WrongKey: `The server now answers as somebody else: the checkpoint presented is not signed with the key that the log is pinned
to. What was kept of the log stays.`,
	WrongOrigin: `The server now shows another log than the one that its address is pinned to. What was kept of the log stays.`,
}

// Text describes an alarm to those who were not there: with the key and the checkpoints anybody can check it.
func (a Alarm) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\nat %s, by %s\n\n%s\n\nThe key of the log:\n%s\n", a.Reason, a.Detail,
		a.At.Format("2006-01-02 15:04:05Z"), a.URL, meaning[a.Reason], a.Key)
	if a.PresentedKey != "" {
		fmt.Fprintf(&b, "\nThe key that the server names:\n%s\n", a.PresentedKey)
	}
	if a.Kept != "" {
		fmt.Fprintf(&b, "\n===== the checkpoint accepted before =====\n%s", a.Kept)
	}
	fmt.Fprintf(&b, "===== the checkpoint presented =====\n%s===== end =====\n", a.Presented)
	if a.Proof != nil {
		fmt.Fprintf(&b, "\nWhat the server gave as the proof from %d to %d:\n", a.Proof.Old, a.Proof.New)
		for _, h := range a.Proof.Hashes {
			fmt.Fprintln(&b, h)
		}
	}
	return b.String()
}
