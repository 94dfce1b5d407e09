package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/vocabulary"
)

// maxHeading is how many characters of a heading are kept in the path of a section, and looked at.
const maxHeading = 200

// section is what the headings above a block say, worked out once. A nil section is above the first heading.
type section struct {
	names        []string // plain headings, outermost first
	kind         string   // of what stands in it, or ""
	register     bool     // of risks, questions and the like
	trace        bool     // it refers to requirements
	refers       bool     // an id in it may refer to what another section defines
	requirements bool     // it speaks of requirements
}

// newSection returns the section of a heading below another one.
func (c *collector) newSection(above *section, heading string) *section {
	heading = shortenTo(heading, maxHeading)
	lower := strings.ToLower(strings.Trim(vocabulary.CutNumber(vocabulary.CutSymbols(heading)), "*_:： "))
	s := &section{kind: vocabulary.KindOf(lower), register: vocabulary.IsRegister(lower), trace: vocabulary.IsTrace(lower),
		requirements: vocabulary.OfRequirements(lower)}
	s.refers = s.register || s.trace || vocabulary.MayRefer(lower)
	if version := versionOf(lower); s.kind == "" && version != "" && c.version != "" && version != c.version {
		s.kind = KindFuture // the document is about the version that it names first
	}
	if above != nil {
		if s.kind == "" {
			s.kind = above.kind
		}
		s.names = append(s.names, above.names...)
	}
	s.names = append(s.names, heading)
	return s
}

// path returns the headings, outermost first.
func (s *section) path() []string {
	if s == nil {
		return nil
	}
	return s.names
}

// name returns the innermost heading.
func (s *section) name() string {
	if s == nil {
		return ""
	}
	return s.names[len(s.names)-1]
}

func (s *section) kindOf() string {
	if s == nil {
		return ""
	}
	return s.kind
}

func (s *section) isRegister() bool { return s != nil && s.register }

func (s *section) isTrace() bool { return s != nil && s.trace }

func (s *section) mayRefer() bool { return s != nil && s.refers }
