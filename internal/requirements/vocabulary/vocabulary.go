// Package vocabulary holds the words by which real documents name their sections, columns and labels, in the languages
// that were met. It does no I/O.
package vocabulary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
)

// What a section or a label tells.
const (
	Acceptance       = "acceptance"
	Scenario         = "scenario"
	SuccessCriterion = "success_criterion"
	Story            = "story"
	Goal             = "goal"
	EdgeCase         = "edge_case"
	OutOfScope       = "out_of_scope"
	Future           = "future"
)

// The words of real documents, in small letters. A list is tried in order; the words of the languages stand beside
// the English ones.

// sectionWords say what the items of a section are. A heading matches when it begins with one of the words, after
// its number.
var sectionWords = []struct {
	kind  string
	words []string
}{
	{Acceptance, []string{
		"acceptance criteria", "criterios de aceptación", "critérios de aceitação", "critères d'acceptation",
		"akzeptanzkriterien", "criteri di accettazione",
		"验收标准", "驗收標準", "受け入れ基準", "인수 조건", "인수 기준",
	}},
	{OutOfScope, []string{
		"out of scope", "out-of-scope", "not in scope", "non-goal", "non goal", "nongoal", "non-requirement",
		"explicit non-", "exclusions$", "excluded$", "excluded from", "not included", "won't have", "won’t have",
		"poza zakresem",
		"범위 외", "범위 밖", "제외", "范围外", "超出范围", "非目标", "非目標", "範圍外", "対象外", "非対象", "非目的", "スコープ外", "fuera de",
		"no objetivos", "não objetivos", "fora d", "hors p",
		"außerhalb", "nicht-ziele", "nichtziele", "вне ",
	}},
	{Future, []string{
		"future requirement", "future work", "future scope", "future enhancement", "future consideration",
		"deferred$", "deferred requirement", "deferred item", "deferred feature", "deferred to", "backlog",
		"later release",
		"post-mvp", "nice to have", "could have", "stretch goal", "향후", "未来", "今後", "將來", "zukünftig",
	}},
	{SuccessCriterion, []string{
		"success criteria", "measurable outcome", "success metric", "성공 기준", "성공기준", "측정 가능", "成功标准", "成功指标", "成功基準",
		"成功条件", "criterios de éxito", "métricas de éxito", "métricas de sucesso",
		"critérios de sucesso", "critères de succès", "erfolgskriterien", "критерии успеха",
	}},
	{EdgeCase, []string{
		"edge case", "corner case", "엣지 케이스", "경계 사례", "예외 상황", "边界情况", "边缘情况", "邊界", "エッジケース", "casos límite",
		"casos borde", "casos extremos", "cas limites",
		"grenzfälle", "randfälle", "граничные",
	}},
	{Story, []string{"user stor", "사용자 스토리", "用户故事", "使用者故事", "ユーザーストーリー", "historias de usuario", "histórias de usuário", "benutzergeschichten"}},
	{Goal, []string{"goals", "objectives", "목표", "目标", "目標", "objetivos", "objectifs", "ziele", "цели"}},
}

// criterionWords are labels of lists of acceptance criteria and of scenarios.
var criterionWords = []struct {
	kind  string
	words []string
}{
	{Acceptance, []string{
		"acceptance", "acceptance criteria", "acceptance criterion", "acceptance evidence", "ac", "验收", "验收标准",
		"驗收標準", "验收条件", "受け入れ基準", "受入基準", "受け入れ条件", "인수 조건", "인수 기준", "수락 기준", "수용 기준",
		"승인 기준", "criterios de aceptación", "critérios de aceitação", "critérios de aceite", "critères d'acceptation",
		"critères d’acceptation",
		"akzeptanzkriterien", "abnahmekriterien", "критерии приемки", "критерии приёмки", "критерії приймання",
		"criteri di accettazione", "acceptatiecriteria",
		"kryteria akceptacji", "kabul kriterleri", "معايير القبول", "קריטריוני קבלה", "consequences (testable)",
	}},
	{Scenario, []string{
		"acceptance scenarios", "scenarios", "수락 시나리오", "인수 시나리오", "수용 시나리오", "验收场景", "驗收場景", "受け入れシナリオ",
		"escenarios de aceptación",
		"cenários de aceitação", "scénarios d'acceptation", "akzeptanzszenarien", "сценарии приемки",
	}},
}

// priorityWords name a priority.
var priorityWords = []string{
	"priority", "prio", "우선순위", "优先级", "優先級", "優先度", "优先度", "prioridad", "prioridade", "priorité", "priorität",
	"приоритет", "priorità",
}

// KindOf returns what a heading says. One that also speaks of requirements says nothing, other than that they are
// out of scope or for the future.
func KindOf(name string) string {
	if name == "" {
		return ""
	}
	ascii := reqid.IsASCII(name)
	for _, s := range sectionWords {
		scope := s.kind == OutOfScope || s.kind == Future
		within := !scope && !ascii // some languages put no spaces between words
		for _, word := range s.words {
			if word[0] != name[0] && !within {
				continue
			}
			whole, exact := strings.CutSuffix(word, "$")
			switch {
			case exact && name == whole, !exact && strings.HasPrefix(name, word):
			case within && word[0] >= 0xe3 && strings.Contains(name, word):
			default:
				continue
			}
			if !scope && hasWord(name, requirementNouns) {
				return ""
			}
			return s.kind
		}
	}
	return ""
}

// dashes makes remarks behind a dash into remarks in brackets.
var dashes = strings.NewReplacer(" - ", "(", " – ", "(", " — ", "(")

// CriterionKind returns the kind of the list that a label announces, or "". A label may be decorated, numbered, in two
// languages, or say more in brackets or behind a dash.
func CriterionKind(words string) string {
	words = strings.ToLower(markdown.Fold(strings.Trim(CutNumber(CutSymbols(words)), "*_:： ")))
	if len(words) > 120 {
		return ""
	}
	for _, part := range append([]string{words}, strings.FieldsFunc(dashes.Replace(words), func(r rune) bool {
		return strings.ContainsRune("()/:：", r)
	})...) {
		part = strings.Trim(part, "*_ ")
		for _, s := range criterionWords {
			for _, word := range s.words {
				if part == word || len(word) > 12 && strings.HasPrefix(part, word+" ") {
					return s.kind
				}
			}
		}
	}
	return ""
}

// IsPriorityValue reports a word that says how much something matters.
func IsPriorityValue(word string) bool {
	switch strings.ToLower(strings.Trim(word, "*_ ")) {
	case "must", "must have", "must-have", "should", "should have", "could", "could have", "won't", "critical",
		"high", "medium", "low", "mandatory", "optional",
		"p0", "p1", "p2", "p3", "p4", "高", "中", "低":
		return true
	}
	return false
}

// IsLevel reports the name of a column that may hold P1, S2 and the like for how much something matters.
func IsLevel(name string) bool {
	switch name {
	case "level", "severity", "sev", "urgency", "importance", "tier", "class", "p", "moscow":
		return true
	}
	return false
}

// idNames name a column of ids, besides "ID" and what ends so.
var idNames = []string{
	"#", "no", "no.", "nr", "nr.", "num", "number", "ref", "ref.", "key", "code", "req", "req.", "req #", "req no",
	"req no.", "requirement #", "requirement no.", "编号", "編號", "序号", "番号", "번호", "номер", "№", "código", "numéro", "nº", "n°",
}

// IsPriority reports the name of a priority.
func IsPriority(word string) bool {
	word = strings.ToLower(strings.Trim(word, "*_: "))
	for _, name := range priorityWords {
		if word == name {
			return true
		}
	}
	return false
}

// registerWords name sections whose ids are no requirements. They end a heading, or begin an enumeration.
var registerWords = []string{
	"risk", "assumption", "open question", "open issue", "known issue", "question", "decision", "reference",
	"glossary", "definition", "acronym", "term",
	"table of contents", "contents", "author", "contributor", "revision history", "change history", "changelog",
	"document history", "document control",
	"test case", "test plan", "test scenario", "milestone", "참고", "용어", "위험", "가정", "目次", "目录", "参考", "术语", "用語",
	"リスク", "风险", "假设",
	"riesgos", "glosario", "riferimenti", "risiken", "glossar", "annahmen", "risques", "glossaire", "riscos",
	"glossário", "риски", "глоссарий", "допущения",
}

// traceWords begin the headings of sections and columns that refer to requirements.
var traceWords = []string{
	"traceab", "requirements trace", "requirement trace", "coverage", "mapping", "matrix", "implements",
	"implementation status", "related requirement", "references",
	"phase", "roadmap", "milestone", "release plan", "mvp", "sprint", "iteration", "priorit", "summary", "overview",
	"추적", "追踪", "跟踪", "トレーサビリティ", "trazabilidad", "rückverfolg",
}

// referenceWords in a heading say that ids below it may refer to what another section defines.
var referenceWords = []string{
	"coverage", "implementation order", "verification", "validation", "checklist", "definition of done", "test",
	"clarification", "open ", "scope", "change log",
	"changes", "contents", "design", "dependenc", "plan", "schedule", "status", "acceptance", "example", "覆盖", "验证",
	"測試", "测试", "テスト", "테스트", "검증",
}

// requirementNouns name requirements. A heading with one of them tells no other kind.
var requirementNouns = []string{"requirement", "需求", "要求", "要件", "요구", "anforderung", "requisit", "требован"}

// requirementWords speak of requirements.
var requirementWords = append([]string{
	"prd", "specification", "srs", "feature", "기능", "功能", "requerimiento", "exigence", "wymagan", "gereksinim",
	"yêu cầu", "funktion", "funcion",
}, requirementNouns...)

// usual are the letters, in capitals, that requirements bear most; in bold they need no neighbour.
var usual = map[string]bool{
	"FR": true, "NFR": true, "CR": true, "REQ": true, "UR": true, "SR": true, "BR": true, "TR": true, "IR": true,
	"PR": true,
}

// IsRegister reports whether a heading, in small letters, names such a section.
func IsRegister(name string) bool {
	one := strings.TrimSuffix(name, "s")
	for _, word := range registerWords {
		if strings.HasSuffix(name, word) || strings.HasSuffix(one, word) {
			return true
		}
		rest, first := strings.CutPrefix(name, word)
		if first && (goesOn(rest) || goesOn(strings.TrimPrefix(rest, "s"))) {
			return true
		}
	}
	return false
}

// goesOn reports whether rest continues an enumeration, as " & assumptions" does.
func goesOn(rest string) bool {
	next := strings.TrimLeft(rest, " ")
	return next != "" && strings.IndexByte("&,/(", next[0]) >= 0 || strings.HasPrefix(rest, " and ")
}

// IsTrace reports whether a heading, in small letters and without its number, says that ids below it refer to
// requirements.
func IsTrace(name string) bool { return beginsWith(name, traceWords) }

// MayRefer reports whether ids below a heading, in small letters, may refer to what another section defines.
func MayRefer(name string) bool { return hasWord(name, referenceWords) }

// OfRequirements reports whether a heading, in small letters, speaks of requirements.
func OfRequirements(name string) bool { return hasWord(name, requirementWords) }

// NamesRequirement reports whether a column, in small letters, is named as what is required.
func NamesRequirement(column string) bool { return hasWord(column, requirementNouns) }

// IsID reports whether a column, in small letters, is named as one of ids.
func IsID(column string) bool {
	return column == "id" || strings.HasSuffix(column, " id") || slices.Contains(idNames, column)
}

// IsTitle reports whether a column is named as one that says what is required.
func IsTitle(column string) bool { return begins(column, titleWords) }

// IsStatus reports whether a column is named as one of a status.
func IsStatus(column string) bool { return begins(column, asideWords) }

// Refers reports whether a column is named as one that refers to something.
func Refers(column string) bool { return begins(column, traceWords) }

// IsUsual reports the letters that requirements bear most.
func IsUsual(letters string) bool { return usual[strings.ToUpper(letters)] }

// begins reports whether a heading begins with one of the words, after its number.
func begins(heading string, words []string) bool {
	return beginsWith(strings.ToLower(strings.Trim(CutNumber(CutSymbols(heading)), "*_:： ")), words)
}

func beginsWith(name string, words []string) bool {
	for _, word := range words {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

// hasWord reports whether a heading, in small letters, contains one of the words.
func hasWord(name string, words []string) bool {
	ascii := reqid.IsASCII(name)
	for _, word := range words {
		if !(ascii && word[0] >= utf8.RuneSelf) && strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// titleWords name the column of a table that says what is required, and asideWords those that do not.
var (
	titleWords = []string{
		"requirement", "description", "title", "name", "story", "i want", "feature", "statement", "shall",
		"quality attribute", "需求", "描述", "要求", "要件", "説明",
		"内容", "功能", "요구", "설명", "기능", "제목", "descripción", "descrição", "beschreibung", "anforderung", "requisito",
		"exigence", "описание", "требование", "opis",
		"açıklama", "mô tả",
	}
	asideWords = []string{"status", "state", "done", "状态", "狀態", "상태", "estado", "état", "статус", "stan", "durum"}
)

// RequirementNames is what a heading calls a requirement, by language.
var RequirementNames = []string{
	"requirement", "需求", "要求", "要件", "요구사항", "요구 사항", "anforderung", "exigence", "requisito", "requisitos",
	"requerimiento",
	"требование", "вимога", "wymaganie", "vereiste", "krav", "gereksinim", "yêu cầu", "persyaratan", "आवश्यकता",
	"דרישה", "متطلب",
}

// CutSymbols drops pictographs and comments from the start of s.
func CutSymbols(s string) string {
	for {
		rest := strings.TrimLeftFunc(s, func(r rune) bool {
			return unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r == '\ufe0f' || r == '\u200d'
		})
		if strings.HasPrefix(rest, "<!--") {
			if end := strings.Index(rest, "-->"); end >= 0 {
				rest = rest[end+3:]
			}
		}
		if len(rest) == len(s) {
			return s
		}
		s = strings.TrimLeft(rest, " \t")
	}
}

// CutNumber drops a chapter number from the start of a heading.
func CutNumber(heading string) string {
	heading = strings.TrimLeft(heading, " \t")
	word, rest, _ := strings.Cut(heading, " ")
	if word == "" || strings.Trim(word, "0123456789.") != "" || !unicode.IsDigit(rune(word[0])) {
		return heading
	}
	return strings.TrimLeft(rest, " \t")
}
