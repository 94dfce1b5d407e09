package install

import "orchestrator/internal/boundary/notice"

// tell brings what the files with instructions say of the boundary up to date, and takes it out with the last client.
// The hook is registered or taken out already: a file that cannot follow is said, and the doctor's to find.
func (o Options) tell(d *Done) {
	if !o.bounded() {
		return
	}
	edit := notice.Cut
	if isRegistered(o) {
		edit = notice.Put
	}
	changed, said, err := edit(o.Dir)
	if err != nil {
		said = append(said, notice.Behind(err))
	}
	d.Notified, d.Said = changed, append(d.Said, said...)
}
