package agentclient

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// testdata/tools.txt has every tool that is known of every client: its canonical name, and its class by the default
// policy.
//
// Verifies: ORC-191
func TestEveryToolHasAClass(t *testing.T) {
	policy := boundary.DefaultPolicy()
	var lines []string
	say := func(c *Client, own string) {
		is, found := c.form.find(own)
		require.True(t, found, own)
		name := is.name
		switch name {
		case "":
			name = own
		case patch:
			name = edit
		case bash, powerShell:
			lines = append(lines, fmt.Sprintf("%-9s %-40s %-22s by its command", c.Name, own, name))
			return
		}
		class := boundary.Judge(&policy, boundary.Call{Tool: name, OwnTool: own}).Class
		lines = append(lines, fmt.Sprintf("%-9s %-40s %-22s %s", c.Name, own, name, class))
	}
	for _, c := range clients {
		for _, row := range c.form.tools {
			say(c, row.name)
		}
		for _, space := range c.form.namespaces {
			for _, row := range space.is {
				say(c, space.name+row.name)
			}
		}
	}
	slices.Sort(lines)
	require.Equal(t, lines, slices.Compact(slices.Clone(lines)), "a tool has two rows")
	text := strings.Join(lines, "\n") + "\n"
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile("testdata/tools.txt", []byte(text), 0o600))
	}
	want, err := os.ReadFile("testdata/tools.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// What a session needs to delegate, to ask and to keep its books is let through in every client.
//
// Verifies: ORC-191
func TestASessionCanDelegateInEveryClient(t *testing.T) {
	policy := boundary.DefaultPolicy()
	for client, own := range map[string][]string{
		"claude": {"Agent", "SendMessage", "Workflow", "TeamCreate", "TeamDelete", "CronList", "CronCreate", "CronDelete",
			"ScheduleWakeup", "ReportFindings", "StructuredOutput", "SendUserMessage", "SendUserFile", "PushNotification",
			"LSP", "WaitForMcpServers"},
		"codex": {"spawn_agent", "collaborationspawn_agent", "collaborationwait_agent", "collaborationsend_message",
			"collaborationfollowup_task", "collaborationlist_agents", "collaborationinterrupt_agent",
			"multi_agent_v1spawn_agent", "multi_agent_v1wait_agent", "multi_agent_v1send_input", "multi_agent_v1close_agent",
			"clocksleep", "clockcurr_time", "request_user_input", "tool_search", "create_goal", "update_goal", "get_goal"},
		"gemini": {"invoke_agent", "complete_task", "update_topic", "activate_skill", "enter_plan_mode", "exit_plan_mode",
			"ask_user"},
		"copilot":  {"task", "write_agent", "session_store_sql", "skill", "stop_bash", "sql", "read_agent", "report_intent"},
		"opencode": {"task", "skill", "question", "todowrite", "plan_exit"},
		"qwen": {"agent", "skill", "tool_search", "ask_user_question", "exit_plan_mode", "save_memory", "update_goal",
			"send_message"},
	} {
		c, found := Named(client)
		require.True(t, found)
		for _, name := range own {
			is, found := c.form.find(name)
			require.True(t, found, "%s: %s", client, name)
			v := boundary.Judge(&policy, boundary.Call{Tool: is.name, OwnTool: name, Actor: boundary.Actor{Kind: boundary.Main}})
			require.Equal(t, boundary.Allow, v.Would, "%s: %s is %s", client, name, v.Class)
		}
	}
}

// Whatever a tool is called, it is only known if it ends with the name of a known one, after a known namespace or none.
func FuzzToolNames(f *testing.F) {
	for _, name := range []string{"spawn_agent", "collaborationspawn_agent", "functions.collaboration.spawn_agent",
		"multi_agent_v1wait", "clocksleep", "sleep", "functions", "collaboration", "collaborationcollaborationspawn_agent",
		"webrun", "run", "..", "functionsclock:sleep", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, c := range clients {
			is, found := c.form.find(name)
			if !found {
				require.Equal(t, tool{}, is)
				continue
			}
			if _, itself := c.form.tools.find(name); itself {
				continue
			}
			short := strings.TrimLeft(strings.TrimPrefix(name, "functions"), "._/:")
			known := short != name && endsLikeATool(c.form.tools, short, "")
			for _, space := range c.form.namespaces {
				known = known || endsLikeATool(c.form.tools, short, space.name) || endsLikeATool(space.is, short, space.name)
			}
			require.True(t, known, "%s: %q is taken for %q", c.Name, name, is.name)
		}
	})
}

func endsLikeATool(tools rows[tool], name, begins string) bool {
	rest, begun := strings.CutPrefix(name, begins)
	_, found := tools.find(strings.TrimLeft(rest, "._/:"))
	return begun && found
}

// The plugin for opencode lets on without an answer what the table lets a session do.
//
// Verifies: ORC-191
func TestThePluginKnowsTheTable(t *testing.T) {
	_, list, found := strings.Cut(opencodePlugin, "const readers = new Set([")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "])")
	var want []string
	policy := boundary.DefaultPolicy()
	for _, row := range opencodeTools {
		is := row.is.name
		if is == "" || is == bash || is == patch || boundary.Judge(&policy, boundary.Call{Tool: is}).Would != boundary.Allow {
			continue
		}
		want = append(want, `"`+row.name+`"`)
	}
	require.ElementsMatch(t, want, strings.Split(list, ", "))
}
