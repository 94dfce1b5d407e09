package logcmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// reporter says what a witness saw: a line for each server, on out, and alarms and failures on notes. With asJSON
// the lines on out are JSON.
type reporter struct {
	out, notes io.Writer
	folder     string // for cosigned checkpoints; empty for none
	asJSON     bool
	told       map[string]bool // the files of alarms whose text was written
}

// Accepted puts a cosigned checkpoint into the folder, and writes what it is of.
func (r reporter) Accepted(s witness.Sighting) error {
	if r.folder != "" {
		path := filepath.Join(r.folder, witness.FileName(s.Origin)+".checkpoint")
		displaced, err := durable.Replace(path, tree.Write{Perm: 0o644, Content: func(w io.Writer) error {
			_, err := io.WriteString(w, s.Checkpoint)
			return err
		}})
		output.Displaced(r.notes, path, displaced)
		if err != nil {
			return fault.New(fault.Unavailable, "witness_out",
				"the cosigned checkpoint of %s is kept, but could not be written: %v", s.Origin, err).
				WithFix("check the folder that -o names")
		}
	}
	if r.asJSON {
		r.json(s)
		return nil
	}
	change := fmt.Sprintf("grown by %d", s.GrownBy)
	switch {
	case s.First:
		change = "seen for the first time"
	case s.GrownBy == 0:
		change = "not grown"
	}
	fmt.Fprintf(r.out, "%s %s: size %d, %s, cosigned\n", output.Printable(s.URL), s.Origin, s.Size, change)
	return nil
}

// Alarmed writes an alarm, and the text of each one once.
func (r reporter) Alarmed(a *witness.AlarmError) {
	if r.asJSON {
		r.json(struct {
			URL   string        `json:"url"`
			Alarm witness.Alarm `json:"alarm"`
			File  string        `json:"file,omitempty"`
		}{a.Alarm.URL, a.Alarm, a.File})
	}
	fmt.Fprintf(r.notes, "ALARM %s: %s: %s\n", a.Alarm.Reason, output.Printable(a.Alarm.URL), output.Printable(a.Alarm.Detail))
	if !r.told[a.File] {
		for line := range strings.Lines(a.Alarm.Text()) {
			fmt.Fprintln(r.notes, " ", output.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	if a.Unsaved != nil {
		fmt.Fprintln(r.notes, "  this alarm could NOT be kept:", output.Printable(a.Unsaved.Error()))
	}
	if a.File != "" {
		r.told[a.File] = true
		fmt.Fprintln(r.notes, "  kept in", output.Printable(a.File))
	}
}

// Failed writes that a server could not be asked, the first time and then ever less often.
func (r reporter) Failed(url string, times int, err error) {
	code, detail := fault.Code("witness_failed"), err.Error()
	if f := fault.As(err); f != nil {
		code, detail = f.Code, f.Detail
	}
	if r.asJSON {
		r.json(map[string]any{"url": url, "error": map[string]string{"code": string(code), "detail": detail}})
		return
	}
	if times&(times-1) != 0 {
		return
	}
	again := ""
	if times > 1 {
		again = fmt.Sprintf(" (%d times in a row)", times)
	}
	fmt.Fprintf(r.notes, "%s: %s%s\n", output.Printable(url), output.Printable(detail), again)
}

func (r reporter) json(v any) {
	_ = output.WriteJSON(r.out, v) // a closed output does not end the watch
}
