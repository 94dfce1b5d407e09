// Package datadir names what lies in the data folder of an installation. It joins paths, and opens nothing.
package datadir

import "path/filepath"

// Default is the data folder where none is named, in the folder of the project.
const Default = ".orchestrator"

// Names of the files that are in the data folder itself, and in a backup of it.
const (
	Database  = "state.db"
	Key       = "audit.key" // private
	PublicKey = "audit.pub"
	Tokens    = "tokens.json" // the hashes of all tokens
)

// WitnessKey is the name of the private key of a witness, which lies beside the file of what it saw.
const WitnessKey = "witness.key"

// Dir is the path of a data folder.
type Dir string

// Database returns the path of the database.
func (d Dir) Database() string { return d.File(Database) }

// Key returns the path of the private key that signs the log.
func (d Dir) Key() string { return d.File(Key) }

// PublicKey returns the path of the public key of the log.
func (d Dir) PublicKey() string { return d.File(PublicKey) }

// Tokens returns the path of the file with the hashes of all tokens.
func (d Dir) Tokens() string { return d.File(Tokens) }

// TokenDir returns the path of the folder with the tokens that the service makes itself.
func (d Dir) TokenDir() string { return d.File("tokens") }

// Token returns the path of the token that the service makes itself for a role.
func (d Dir) Token(role string) string { return filepath.Join(d.TokenDir(), role+".token") }

// Webhooks returns the path of the file that says which webhooks there are.
func (d Dir) Webhooks() string { return d.File("webhooks.json") }

// WebhookDir returns the path of the folder with the secrets of the webhooks, and with how far each has come.
func (d Dir) WebhookDir() string { return d.File("webhooks") }

// Address returns the path of the file that says where the running service answers.
func (d Dir) Address() string { return d.File("addr") }

// Tools returns the path of the folder with the project's tool contracts.
func (d Dir) Tools() string { return d.File("tools") }

// Prompts returns the path of the folder with the project's prompts.
func (d Dir) Prompts() string { return d.File("prompts") }

// GitIgnore returns the path of the file that keeps the secrets in the folder out of git.
func (d Dir) GitIgnore() string { return d.File(".gitignore") }

// File returns the path of a file in the folder, by its name.
func (d Dir) File(name string) string { return filepath.Join(string(d), name) }

// Project returns the root of the project that the folder belongs to: the folder above one of the default name, and
// the working folder for any other.
func (d Dir) Project() string {
	if abs, err := filepath.Abs(string(d)); err == nil && filepath.Base(abs) == Default {
		return filepath.Dir(abs)
	}
	return "."
}

// WitnessKeyBeside returns the path of the private key of the witness that keeps what it saw in the file state.
func WitnessKeyBeside(state string) string { return filepath.Join(filepath.Dir(state), WitnessKey) }
