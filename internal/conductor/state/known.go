package state

// Known keeps what is held, as the conditions of one caller see it, until the log has grown.
type Known struct {
	size uint64
	all  Objects // by subject, the Objects of each as a plain map
}

// In returns what is held on each subject, by its name; that is read only if that may be more than before.
func (k *Known) In(v View) (Objects, error) {
	if k.all != nil && k.size == v.size {
		return k.all, nil
	}
	facts, err := v.Facts()
	if err != nil {
		return nil, err
	}
	k.size, k.all = v.size, make(Objects, len(facts))
	for subject, objects := range facts {
		k.all[subject] = map[string]any(objects)
	}
	return k.all, nil
}
