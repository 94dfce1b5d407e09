package control

// Positions lets tests see how far each file was read.
var Positions = (*Recorder).positions

// ReadBack reads the lines that the log has.
var ReadBack = (*Recorder).read
