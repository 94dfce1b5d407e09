package placeholder

import (
	"strings"
	"unicode"
)

// frameWords are the words that templates of stories, criteria and requirements put around what is to be filled in, in
// the languages of the families.
var frameWords = words(`
	a able acceptance ability am an and are as be by can cannot case could criteria criterion description do does each
	ears else event example expected feature following for from functional given goal has have i if in into is it its like
	may might must my name need needs new no not of on only or order other otherwise outcome precondition provide result
	rationale requirement role scenario shall should so statement story support system component service application app
	software product platform module that the their then they this title to upon use user users value via want wants we when
	where whenever which while will with without would
	como cuando dado de debe deberá del e el en entonces la los para poder por puedo que quiero se si sistema su tal un una usuario y
	ao com deve devo do então eu não o os quando quero uma um usuário
	afin alors d dans de des doit du en est et étant donné être je l le les lorsque ne pas pour pouvoir puis quand que si
	souhaite tant système un une utilisateur veux
	als benutzer damit dann das dass der die ein eine einem einen falls ich kann können möchte muss nutzer soll sodass system um und
	wenn werden wird zu
	в если и из как когда который мог могла на он она пользователь при система системе следует тогда то хочу что чтобы я должна должен
`)

// frameParts are the same in languages that put no spaces between words, longest first.
var frameParts = strings.NewReplacer(
	"为了能够", "", "我希望能够", "", "我希望", "", "我想要", "", "我想", "", "以便于", "", "以便", "", "作为一个", "", "作为一名", "",
	"作为", "", "一个", "", "一名", "", "用户故事", "", "用户", "", "如果", "", "那么", "", "并且", "", "当", "", "则", "", "时", "",
	"系统", "", "应当", "", "应该", "", "应", "", "必须", "", "能够", "", "可以", "", "且", "",
	"ユーザーストーリー", "", "ユーザー", "", "そのため", "", "それによって", "", "したい", "", "として", "", "ために", "", "ため", "", "システム", "",
	"しなければならない", "", "するべき", "", "すること", "", "する", "", "場合", "", "とき", "", "もし", "", "なぜなら", "", "私は", "",
	"は", "", "が", "", "を", "", "に", "", "の", "", "と", "", "で", "",
	"사용자 스토리", "", "사용자", "", "시스템", "", "로서", "", "으로서", "", "원한다", "", "원합니다", "", "싶다", "", "싶습니다", "", "하고", "",
	"하기", "", "위해", "", "위하여", "", "나는", "", "경우", "", "해야", "", "한다", "", "합니다", "", "은", "", "는", "", "이", "", "가", "", "을", "", "를", "",
)

// htmlTags are the names of HTML elements that a requirement may speak of.
var htmlTags = words(`
	a abbr article aside audio b base blockquote body br button canvas caption cite code col data dd del details dfn dialog
	div dl dt em embed fieldset figure footer form head header hr html i iframe img input ins kbd label legend li link main
	map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp
	script search section select slot small source span strong style sub summary sup svg table tbody td template textarea
	tfoot th thead time title tr track u ul var video wbr h1 h2 h3 h4 h5 h6
`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// isFrame reports a text of nothing but such words, numbers and punctuation.
func isFrame(text string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M)
	}) {
		if !frameWords[word] && frameParts.Replace(word) != "" {
			return false
		}
	}
	return true
}
