package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"orchestrator/internal/fault"
	"orchestrator/internal/strictjson"
	"orchestrator/internal/system/lazyregexp"
)

// source is one contract as it was read, before it is checked.
type source struct {
	file  string         // its name, without folders; theBox for those of the box
	value any            // as strictjson gives values
	lines map[string]int // where each value stands, by its JSON Pointer; "" is the contract itself; none for the box

	broken bool // the value is not all that stands in the file, which has been said
}

const theBox = "the box"

// wrong returns the field for what is wrong at a place of the contract, with file and line.
func (s source) wrong(pointer string, code fault.Code, format string, args ...any) fault.Field {
	return fault.Field{Pointer: pointer, Code: code, Detail: s.place(pointer) + ": " + fmt.Sprintf(format, args...)}
}

// place returns the file:line of a value, or of what it is missing from.
func (s source) place(pointer string) string {
	for at := pointer; ; at = at[:strings.LastIndexByte(at, '/')] {
		if line, known := s.lines[at]; known {
			return fmt.Sprintf("%s:%d", s.file, line)
		}
		if at == "" {
			return s.file
		}
	}
}

// name returns what the contract calls itself, whether it is valid or not.
func (s source) name() string {
	object, _ := s.value.(map[string]any)
	name, _ := object["name"].(string)
	return name
}

// readJSON reads a file with one contract.
func readJSON(file string, content []byte) ([]source, []fault.Field) {
	lines, last := jsonLines(content)
	s := source{file: file, lines: lines}
	value, err := strictjson.ParseUncounted(content)
	if err != nil {
		f := fault.Field{Code: "json", Detail: fmt.Sprintf("%s:%d: %v", file, last, err)}
		if wrong := fault.As(err); wrong != nil && len(wrong.Fields) > 0 {
			f.Pointer, f.Code, f.Detail = wrong.Fields[0].Pointer, wrong.Code, fmt.Sprintf("%s:%d: %s", file, last,
				wrong.Detail)
			if line, known := lines[f.Pointer]; known && f.Pointer != "" {
				f.Detail = fmt.Sprintf("%s:%d: %s", file, line, wrong.Detail)
			}
		}
		return nil, []fault.Field{f}
	}
	s.value = value
	return []source{s}, nil
}

// jsonLines returns the lines of all values up to the first that cannot be read, and its line.
func jsonLines(content []byte) (lines map[string]int, last int) {
	d := jsontext.NewDecoder(bytes.NewReader(content))
	lines, last = map[string]int{}, 1
	for read := 0; ; {
		_, err := d.ReadToken()
		offset := int(d.InputOffset())
		last += bytes.Count(content[read:offset], []byte("\n"))
		read = offset
		if err != nil || d.StackDepth() > strictjson.MaxDepth+1 {
			return lines, last
		}
		pointer := string(d.StackPointer())
		if _, seen := lines[pointer]; !seen {
			lines[pointer] = last
		}
	}
}

// readYAML reads a file with one contract a document. Documents with nothing in them are passed over.
func readYAML(file string, content []byte) (sources []source, wrong []fault.Field) {
	if !utf8.Valid(content) {
		return nil, []fault.Field{{Code: "encoding", Detail: file + ":1: the file is not UTF-8"}}
	}
	for d := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var document yaml.Node
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return sources, wrong
		}
		if err != nil {
			return sources, append(wrong, yamlSyntax(file, err))
		}
		if len(document.Content) != 1 || document.Content[0].ShortTag() == "!!null" && document.Content[0].Value == "" {
			continue
		}
		r := yamlReader{source: source{file: file, lines: map[string]int{}}}
		r.value = r.read(document.Content[0], "", 0)
		r.broken = len(r.wrongs) > 0
		sources, wrong = append(sources, r.source), append(wrong, r.wrongs...)
	}
}

var yamlLine = lazyregexp.New(`^(?:yaml: )?(?:line ([0-9]+): )?`)

func yamlSyntax(file string, err error) fault.Field {
	prefix := yamlLine().FindStringSubmatch(err.Error())
	line := "1"
	if prefix[1] != "" {
		line = prefix[1]
	}
	return fault.Field{Code: "yaml", Detail: file + ":" + line + ": this is not YAML: " +
		strings.TrimPrefix(err.Error(), prefix[0])}
}

// yamlReader turns one document into what JSON can say, and nothing else: no anchors, no tags, no name twice, no second
// spelling of a number.
type yamlReader struct {
	source
	wrongs []fault.Field
}

func (r *yamlReader) refuse(n *yaml.Node, pointer string, code fault.Code, format string, args ...any) any {
	if len(r.wrongs) <= maxWrong { // more are cut anyway
		r.lines[pointer] = n.Line
		r.wrongs = append(r.wrongs, r.wrong(pointer, code, format, args...))
	}
	return nil
}

func (r *yamlReader) read(n *yaml.Node, at string, depth int) any {
	r.lines[at] = n.Line
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return r.refuse(n, at, "yaml_anchor", "anchors and aliases are not read: write the value out")
	case depth >= strictjson.MaxDepth:
		return r.refuse(n, at, "yaml_depth", "values are nested deeper than %d levels", strictjson.MaxDepth)
	case n.Kind == yaml.MappingNode && n.ShortTag() == "!!map":
		return r.mapping(n, at, depth)
	case n.Kind == yaml.SequenceNode && n.ShortTag() == "!!seq":
		list := make([]any, 0, len(n.Content))
		for i, item := range n.Content {
			list = append(list, r.read(item, at+"/"+strconv.Itoa(i), depth+1))
		}
		return list
	case n.Kind == yaml.ScalarNode:
		return r.scalar(n, at)
	}
	return r.refuse(n, at, "yaml_tag", "the tag %s is not read", fault.Clip(n.Tag, 40))
}

func (r *yamlReader) mapping(n *yaml.Node, at string, depth int) any {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "" {
			r.refuse(key, at, "yaml_key", "a name is not plain text: put it in quotes, and merge nothing")
			continue
		}
		below := at + "/" + fault.PointerToken(key.Value)
		if _, twice := object[key.Value]; twice {
			r.refuse(key, below, "yaml_duplicate_name", "the name %s stands twice", fault.Clip(key.Value, 64))
			continue
		}
		object[key.Value] = r.read(value, below, depth+1)
		r.lines[below] = key.Line
	}
	return object
}

var exponential = lazyregexp.New(`^[-+]?[0-9.]+[eE][-+]?[0-9]+$`)

func (r *yamlReader) scalar(n *yaml.Node, at string) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp": // a date is a text in JSON
		// too large for a number, and therefore a text to the library
		if n.Style == 0 && exponential().MatchString(n.Value) {
			return r.refuse(n, at, "yaml_number",
				"write the number as JSON does, within its limits, or put it in quotes if it is a text")
		}
		if strings.ContainsRune(n.Value, 0) {
			return r.refuse(n, at, "yaml_nul", "a text contains the NUL character")
		}
		return n.Value
	case "!!null":
		return nil
	case "!!bool":
		if truth, err := strconv.ParseBool(strings.ToLower(n.Value)); err == nil {
			return truth
		}
	case "!!int", "!!float":
		if number, err := strictjson.ParseUncounted([]byte(n.Value)); err == nil {
			return number
		}
		return r.refuse(n, at, "yaml_number",
			"write the number as JSON does, within its limits, or put it in quotes if it is a text")
	}
	return r.refuse(n, at, "yaml_tag", "the tag %s is not read", fault.Clip(n.ShortTag(), 40))
}
