package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/markdown"
)

// showsSpecKit reports whether a line shows a feature specification of spec-kit, which names its branch and tells user
// stories.
func showsSpecKit(line string, heading bool) bool {
	if !heading {
		return strings.HasPrefix(line, "**Feature Branch**") || strings.HasPrefix(line, "**기능 브랜치**")
	}
	_, _, found := cutStory(line)
	return found || strings.HasPrefix(line, "Feature Specification:")
}

// storyWords is what spec-kit calls a user story, by language.
var storyWords = []string{
	"user story", "사용자 스토리", "用户故事", "使用者故事", "ユーザーストーリー", "historia de usuario", "história de usuário", "user journey",
	"benutzergeschichte", "szenario", "récit utilisateur", "пользовательская история",
}

// readStory reads a heading "User Story 1 - Title (Priority: P1)": a story, which has a number and no id of its own.
func readStory(c *collector, b block) (label, bool) {
	if b.place != inHeading {
		return label{}, false
	}
	name, rest, found := cutStory(b.text)
	if !found {
		return label{}, false
	}
	title := strings.TrimLeft(strings.ReplaceAll(rest, "**", ""), " \t-–—:：.")
	return label{id: name, token: name, kind: KindStory, unnamed: true, rest: len(b.text), title: title}, true
}

// cutStory splits a heading into "User Story 1" and what follows it.
func cutStory(heading string) (name, rest string, found bool) {
	heading = bare(heading)
	for _, word := range storyWords {
		if len(heading) < len(word) || !strings.EqualFold(heading[:len(word)], word) {
			continue
		}
		tail := strings.TrimLeft(heading[len(word):], " \t")
		number := len(tail) - len(strings.TrimLeft(tail, "0123456789"))
		if number == 0 {
			continue
		}
		end := len(heading) - len(tail) + number
		return markdown.Fold(heading[:end]), heading[end:], true
	}
	return "", "", false
}
