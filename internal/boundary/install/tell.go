package install

import "orchestrator/internal/boundary/notice"

// tell brings what the files with instructions say of the boundary up to date, and takes it out with the last client.
func (o Options) tell(d *Done) error {
	if !o.bounded() {
		return nil
	}
	edit := notice.Cut
	if isRegistered(o) {
		edit = notice.Put
	}
	changed, said, err := edit(o.Dir)
	d.Told, d.Said = changed, append(d.Said, said...)
	return err
}
