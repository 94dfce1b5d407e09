package placeholder

import "orchestrator/internal/system/lazyregexp"

// draftMark is what site generators leave a page out for. A status of "draft" is none: most specifications keep theirs
// for ever.
var draftMark = lazyregexp.New(`(?im)^"?draft"? *[:=] *"?true"? *(#.*)?$`)

// IsDraft reports whether front matter says that its document is a draft.
func IsDraft(front string) bool { return draftMark().MatchString(front) }
