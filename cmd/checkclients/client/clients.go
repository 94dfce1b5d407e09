package client

import "slices"

// All returns the clients, in the order of docs/clients.md.
func All() []*Client {
	return []*Client{&claude, &codex, &codexPlain, &qwen, &gemini, &copilot, &opencode}
}

// Find returns the client of a name.
func Find(name string) (*Client, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c *Client) bool { return c.Title() == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}
