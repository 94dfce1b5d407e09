// Package wire is what all doors of the REST API share: how a request is read, how an answer is written, and what is known
// of the call between the two.
//
// It decides nothing, and knows no route. Its errors are problems that say what to send instead.
package wire
