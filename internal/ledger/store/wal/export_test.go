package wal

import "os"

// Parse is Read of the content of a file.
var Parse = parse

// OnSync makes another function the one that makes what was written durable.
func (j *Log) OnSync(sync func(*os.File) error) { j.sync = sync }
