package usage

import "encoding/json"

// message is a message of any of the clients, as far as it reports usage.
type message struct {
	Type    string   `json:"type"`
	Usage   *tokens  `json:"usage"`
	CostUSD *float64 `json:"total_cost_usd"`
	Stats   *stats   `json:"stats"`
	Part    *part    `json:"part"`
	ByModel map[string]struct {
		Input  int64 `json:"inputTokens"`
		Output int64 `json:"outputTokens"`
		Read   int64 `json:"cacheReadInputTokens"`
		Write  int64 `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"` // Claude Code
}

// UnmarshalJSON reads a message. One whose members have other types than those of a report reports nothing.
func (m *message) UnmarshalJSON(raw []byte) error {
	type plain message
	var read plain
	if err := json.Unmarshal(raw, &read); err != nil {
		var any map[string]any
		if json.Unmarshal(raw, &any) != nil {
			return err
		}
		read = plain{}
	}
	*m = message(read)
	return nil
}

type tokens struct {
	Input         *int64 `json:"input_tokens"`
	Output        *int64 `json:"output_tokens"`
	CacheCreation int64  `json:"cache_creation_input_tokens"` // besides Input
	CacheRead     int64  `json:"cache_read_input_tokens"`     // part of Input with Qwen Code, besides it otherwise
	Total         *int64 `json:"total_tokens"`                // Qwen Code
}

// of returns the two sums; nil where one of them is missing.
func (t *tokens) of(cached int64) *Usage {
	if t == nil || t.Input == nil || t.Output == nil {
		return nil
	}
	return &Usage{Input: *t.Input + cached, Output: *t.Output}
}

// claude reads the result message of Claude Code, with --output-format json or stream-json. Its usage is that of the
// main session; that by model has the agents that it started, too, and so has the cost.
func claude(m *message) *Usage {
	if m.Type != "result" || m.Usage == nil {
		return nil
	}
	u := m.Usage.of(m.Usage.CacheCreation + m.Usage.CacheRead)
	if u == nil {
		return nil
	}
	all := &Usage{CostUSD: m.CostUSD}
	for _, model := range m.ByModel {
		all.Input, all.Output = all.Input+model.Input+model.Read+model.Write, all.Output+model.Output
	}
	if all.Tokens() < u.Tokens() { // an older version, which does not say it by model
		all.Input, all.Output = u.Input, u.Output
	}
	return all
}

// qwen reads the result message of Qwen Code, which is that of Claude Code with a sum of all tokens. What was read from
// a cache is part of the input there.
func qwen(m *message) *Usage {
	if m.Type != "result" || m.Usage == nil || m.Usage.Total == nil {
		return nil
	}
	return m.Usage.of(0)
}

// codex reads the end of a turn of codex exec --json. Its sums are those of the whole session.
func codex(m *message) *Usage {
	if m.Type != "turn.completed" {
		return nil
	}
	return m.Usage.of(0)
}

// stats are those of Gemini CLI: by model with --output-format json, in all with stream-json.
type stats struct {
	Models map[string]struct {
		Tokens *struct {
			Prompt     *int64 `json:"prompt"`
			Candidates *int64 `json:"candidates"`
			Thoughts   int64  `json:"thoughts"`
			Tool       int64  `json:"tool"`
		} `json:"tokens"`
	} `json:"models"`
	Input  *int64 `json:"input_tokens"`
	Total  int64  `json:"total_tokens"`
	Output *int64 `json:"output_tokens"`
}

// gemini reads the last message of Gemini CLI. Thoughts are in the sum of all, and not in the output.
func gemini(m *message) *Usage {
	switch {
	case m.Stats == nil || m.Usage != nil:
		return nil
	case m.Stats.Input != nil && m.Stats.Output != nil:
		return &Usage{Input: *m.Stats.Input, Output: max(*m.Stats.Output, m.Stats.Total-*m.Stats.Input)}
	case len(m.Stats.Models) == 0:
		return nil
	}
	u := &Usage{}
	for _, model := range m.Stats.Models {
		t := model.Tokens
		if t == nil || t.Prompt == nil || t.Candidates == nil {
			return nil
		}
		u.Input += *t.Prompt + t.Tool
		u.Output += *t.Candidates + t.Thoughts
	}
	return u
}

// part is a part of a message of opencode run --format json.
type part struct {
	Cost   *float64 `json:"cost"`
	Tokens *struct {
		Input     *int64 `json:"input"`
		Output    *int64 `json:"output"`
		Reasoning int64  `json:"reasoning"`
		Cache     struct {
			Read  int64 `json:"read"`
			Write int64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
}

// opencode reads the end of a step. It says 0 for the cost of a model whose prices it does not know.
func opencode(m *message) *Usage {
	if m.Type != "step_finish" || m.Part == nil || m.Part.Tokens == nil {
		return nil
	}
	t := m.Part.Tokens
	if t.Input == nil || t.Output == nil {
		return nil
	}
	u := &Usage{Input: *t.Input + t.Cache.Read + t.Cache.Write, Output: *t.Output + t.Reasoning}
	if m.Part.Cost != nil && *m.Part.Cost != 0 {
		u.CostUSD = m.Part.Cost
	}
	return u
}
