package control

// Positions lets tests see how far each file was read.
var Positions = (*Recorder).positions
