package storage

// Check reads the structure of a file whole. A database server looks after its own.
func Check(s Store) error {
	if f, is := s.(file); is {
		return f.Check()
	}
	return nil
}
