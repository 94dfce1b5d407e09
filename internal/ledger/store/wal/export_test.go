package wal

// Parse is Read of the content of a file.
var Parse = parse
