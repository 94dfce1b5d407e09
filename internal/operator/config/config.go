// Package config reads and writes the two files with the settings of a project.
//
// TreeFile, at the root of the project, is part of the tree: whoever can change the tree can change it, and a pull
// request can, too. So it says only what the tree is trusted with anyway: which documents there are, and how they are
// read. LocalFile lies in the data folder, which belongs to one person on one machine: it says where evidence is looked
// up, where the service listens, and to whom a token is sent.
//
// Both are strict YAML: known names only, each once, texts only, no anchors, no links in place of the files, and a
// limit on their size. An error names the line.
package config

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// Names of the files with settings.
const (
	TreeFile  = "orchestrator.yaml" // at the root of the project
	LocalFile = "settings.yaml"     // in the data folder
)

// CodeSettings is the code of what is wrong with settings.
const CodeSettings fault.Code = "settings"

// Tree is what orchestrator.yaml says.
type Tree struct {
	Documents []string // paths and patterns, relative to the root
	Family    string   // "" recognises it by the marks of each document
	Qualify   string   // "", folder or none
}

// Local is what settings.yaml in the data folder says. What is "" is not set. Paths are relative to the root of the
// project.
type Local struct {
	Evidence  string // verify or record
	Branch    string
	Workflow  string // of a new project
	Export    string
	Addr      string
	LogFormat string
	LogLevel  string
	URL       string // of the service, if it is not the folder's own
	TokenFile string // in tokens/ of the data folder; its token is sent to URL alone
	Store     string // URL of the database that has the log, without a password; "" is the file in the data folder
	StoreFile string // a file that has the URL
}

// ReadTree reads orchestrator.yaml of the project at root. Where there is none, nothing is set.
func ReadTree(ctx context.Context, root string) (Tree, error) {
	t := Tree{}
	path := filepath.Join(root, TreeFile)
	content, err := read(ctx, path)
	if err != nil || content == nil {
		return t, err
	}
	return t, decode(path, content, t.settings(), t.elsewhere)
}

// Encode returns the content of orchestrator.yaml, with what is set and nothing else.
func (t Tree) Encode() []byte {
	return encode("# Which requirement documents this project has, and how they are read. What else there is to set\n"+
		"# belongs to a person and a machine, not to the tree: orchestrator config.\n", t.settings())
}

// ReadLocal reads settings.yaml of a data folder. Where there is none, nothing is set; one that git tracks is refused.
func ReadLocal(ctx context.Context, data datadir.Dir) (Local, error) {
	l := Local{}
	path := data.File(LocalFile)
	content, err := read(ctx, path)
	if err != nil || content == nil {
		return l, err
	}
	if err := checkOwn(ctx, data); err != nil {
		return l, err
	}
	return l, decode(path, content, l.settings(), l.elsewhere)
}

// WriteLocal replaces settings.yaml of a data folder, which exists.
func WriteLocal(data datadir.Dir, l Local) error {
	if err := l.Check(); err != nil {
		return err
	}
	content := encode("# Settings of this folder, which belong to its owner: orchestrator config set KEY VALUE changes them.\n",
		l.settings())
	return durable.WriteFile(data.File(LocalFile), 0o600, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Check returns what is wrong with the values, or nil.
func (l Local) Check() error {
	for _, s := range l.settings() {
		if err := s.check(s.value()); err != nil {
			return err
		}
	}
	return nil
}

// Keys returns the names in settings.yaml, in the order in which they are written.
func Keys() []string {
	l := Local{}
	keys := make([]string, 0, len(l.settings()))
	for _, s := range l.settings() {
		keys = append(keys, s.key)
	}
	return keys
}

// Get returns the value of a name in settings.yaml, "" where it is not set.
func (l Local) Get(key string) string {
	for _, s := range l.settings() {
		if s.key == key {
			return s.value()
		}
	}
	return ""
}

// With returns the settings with another value for a name in settings.yaml; "" unsets it.
func (l Local) With(key, value string) (Local, error) {
	for _, s := range l.settings() {
		if s.key == key {
			if err := s.check(value); err != nil {
				return l, err
			}
			*s.text = value
			return l, nil
		}
	}
	return l, l.elsewhere(key)
}

// setting is one name of a file. It has a text, or a list.
type setting struct {
	key   string
	text  *string
	list  *[]string
	among []string                     // all values there are; nil for any
	valid func(string) (reason string) // of each value; nil for any
}

func (s setting) value() string {
	if s.list != nil {
		return strings.Join(*s.list, ",")
	}
	return *s.text
}

// check refuses a value that the setting does not take; "" is none.
func (s setting) check(value string) error {
	switch {
	case value == "":
	case len(value) > maxValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return fault.New(fault.Invalid, CodeSettings, "the value of %s is not one line of text", s.key).
			WithFix("give one line of at most %d bytes", maxValue)
	case s.among != nil && !slices.Contains(s.among, value):
		return fault.New(fault.Invalid, CodeSettings, "%q is no value of %s", value, s.key).
			WithFix("use %s", orList(s.among))
	case s.valid != nil:
		if reason := s.valid(value); reason != "" {
			return fault.New(fault.Invalid, CodeSettings, "%q is no value of %s", value, s.key).WithFix("%s", reason)
		}
	}
	return nil
}

func orList(all []string) string {
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

func (t *Tree) settings() []setting {
	return []setting{
		{key: "documents", list: &t.Documents, valid: inTree},
		{key: "family", text: &t.Family, among: reqdoc.Families()},
		{key: "qualify", text: &t.Qualify, among: qualify.Forms()},
	}
}

// inTree keeps the tree from naming files outside of it.
func inTree(path string) string {
	if !filepath.IsLocal(path) {
		return "name a path or a pattern below the folder of " + TreeFile + ", such as docs/*.md; other documents can " +
			"be named with --requirements"
	}
	return ""
}

// asked says what is wrong with the address of a service.
func asked(url string) string {
	if err := fault.As(apiclient.CheckServer(url)); err != nil {
		return err.Fix
	}
	return ""
}

// stored says what is wrong with the URL of a store.
func stored(url string) string {
	_, err := storage.Find(context.Background(), "", storage.Given{URL: url, Saved: true})
	if wrong := fault.As(err); wrong != nil {
		return wrong.Fix
	}
	return ""
}

// listened says what is wrong with an address to listen on.
func listened(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err != nil && !strings.HasPrefix(addr, "unix:") {
		return "give HOST:PORT, such as 127.0.0.1:8080, or unix:PATH"
	}
	return ""
}

func (l *Local) settings() []setting {
	return []setting{
		{key: "evidence", text: &l.Evidence, among: []string{"verify", "record"}},
		{key: "branch", text: &l.Branch},
		{key: "workflow", text: &l.Workflow, among: []string{"v1", "rework"}},
		{key: "export", text: &l.Export},
		{key: "addr", text: &l.Addr, valid: listened},
		{key: "log_format", text: &l.LogFormat, among: []string{"auto", "json", "console"}},
		{key: "log_level", text: &l.LogLevel, among: []string{"debug", "info", "warn", "error"}},
		{key: "url", text: &l.URL, valid: asked},
		{key: "token_file", text: &l.TokenFile},
		{key: "store", text: &l.Store, valid: stored},
		{key: "store_file", text: &l.StoreFile},
	}
}

// elsewhere refuses a name that does not belong into orchestrator.yaml.
func (t *Tree) elsewhere(key string) error {
	refusal := fault.New(fault.Invalid, CodeSettings, "%s does not say %q", TreeFile, key)
	if slices.Contains(Keys(), key) {
		return refusal.WithFix("remove it, and set it for this folder alone: orchestrator config set %s VALUE", key)
	}
	return refusal.WithFix("use documents, family and qualify, and nothing else")
}

// elsewhere refuses a name that does not belong into settings.yaml.
func (l *Local) elsewhere(key string) error {
	refusal := fault.New(fault.Invalid, CodeSettings, "there is no setting %q", key)
	t := Tree{}
	if slices.ContainsFunc(t.settings(), func(s setting) bool { return s.key == key }) {
		return refusal.WithFix("write it into %s at the root of the project, which belongs to the tree", TreeFile)
	}
	return refusal.WithFix("use %s", orList(Keys()))
}

const (
	maxFile  = 64 << 10
	maxValue = 4 << 10
	maxList  = 1000
)

// read returns the content of a file, or nil where there is none.
func read(ctx context.Context, path string) ([]byte, error) {
	unusable := func(cause error) error {
		return fault.New(fault.Invalid, CodeSettings, "%s cannot be read", path).
			WithFix("make it a regular file of at most %d KiB that you may read, and no link; or remove it", maxFile>>10).
			Because(cause)
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // in a folder that belongs to another user, what is set is set for that user
	}
	if err != nil {
		return nil, unusable(err)
	}
	file, err := tree.OpenFile(ctx, path, maxFile)
	if err != nil {
		return nil, unusable(err)
	}
	defer file.Close()
	if !os.SameFile(named, file.Info()) {
		return nil, unusable(errors.New("it is a link"))
	}
	content, err := file.ReadAll()
	if err != nil {
		return nil, unusable(err)
	}
	return append([]byte{}, content...), nil
}
