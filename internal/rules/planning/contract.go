package planning

import "slices"

// Reliability grades how reliable a tool is.
type Reliability string

// The reliabilities, surest first.
const (
	High   Reliability = "high"
	Medium Reliability = "medium"
	Low    Reliability = "low"
)

// Cost grades what a run of a tool costs.
type Cost string

// The costs, cheapest first.
const (
	CostTiny   Cost = "tiny"
	CostLow    Cost = "low"
	CostMedium Cost = "medium"
	CostHigh   Cost = "high"
)

// Weight returns what a run counts against Budgets.MaxCost.
func (c Cost) Weight() float64 {
	switch c {
	case CostTiny:
		return 1
	case CostLow:
		return 10
	case CostMedium:
		return 100
	}
	return 1000
}

// Checking says whether a tool's result is evaluated again before it is answered.
type Checking string

// What becomes of a result that the second evaluation does not confirm.
const (
	CheckOff         Checking = "off"
	CheckNonBlocking Checking = "non_blocking" // the answer is given with its doubt
	CheckBlocking    Checking = "blocking"     // it is not given
)

// Contract is what a tool promises.
type Contract struct {
	Name           string         `json:"name"`
	Version        string         `json:"version"`
	Description    string         `json:"description"`
	Role           string         `json:"role,omitempty"`  // makes it an agent: it acts in the project, in this role; "" where it only answers
	Roles          []string       `json:"roles,omitempty"` // that may have it run, sorted; none where Refuses says who may
	Satisfies      []string       `json:"satisfies"`       // REPORT(query.math), or REPORT for every kind
	Consumes       []Input        `json:"consumes"`        // in the order of their names
	Produces       map[string]any `json:"produces"`        // JSON Schema of the result
	Preconditions  []string       `json:"preconditions,omitempty"`
	Postconditions []string       `json:"postconditions,omitempty"`
	Reliability    Reliability    `json:"reliability"`
	Cost           Cost           `json:"cost"`
	LatencyMS      int            `json:"latency_ms"`
	TimeoutMS      int            `json:"timeout_ms"`
	Verify         Checking       `json:"verify"`
	Idempotent     bool           `json:"idempotent"`
	DependsOn      []string       `json:"depends_on,omitempty"` // names of other tools
	Implementation Implementation `json:"implementation"`

	Relations map[string]Relation `json:"relations,omitempty"` // what is so of facts, by predicate

	About string `json:"about,omitempty"` // the input that names whom an answer is about
}

// Meets reports whether the contract satisfies an obligation.
func (c Contract) Meets(o Obligation) bool {
	exact, wide := o.patterns()
	return slices.Contains(c.Satisfies, exact) || slices.Contains(c.Satisfies, wide)
}

// Relation says how many objects a predicate has for one subject.
type Relation string

// The relations. One that no contract declares has many.
const (
	Functional     Relation = "functional" // at most one: two that actors state contradict each other
	ManyPerSubject Relation = "many"
)

// Input is an input of a tool.
type Input struct {
	Name     string         `json:"name"`
	Schema   map[string]any `json:"schema"` // JSON Schema of the value
	Required bool           `json:"required"`
}

// Means is how a tool is run.
type Means string

// The means.
const (
	Builtin Means = "builtin"
	Exec    Means = "exec"
	HTTP    Means = "http"
	MCP     Means = "mcp"
	Steps   Means = "plan" // it is made of other obligations
)

// Stdin says what a program reads from its standard input, and writes to its standard output.
type Stdin string

// What programs read.
const (
	StdinJSON   Stdin = "json"   // one JSON object, and it answers with one
	StdinPrompt Stdin = "prompt" // the prompt of its role as text, and it answers with text: for agents
)

// The environment variables in which agents find the service, and the token of their run.
const (
	EnvURL   = "ORCHESTRATOR_URL"
	EnvToken = "ORCHESTRATOR_TOKEN"
)

// Implementation says how a tool is run. Which members it has depends on its means.
type Implementation struct {
	Means  Means    `json:"means"`
	Name   string   `json:"name,omitempty"`   // builtin: its name; mcp: the tool of the server
	Argv   []string `json:"argv,omitempty"`   // exec, and mcp's server: the program and its arguments; no shell
	Env    []string `json:"env,omitempty"`    // exec and mcp: names of variables that are passed on
	Stdin  Stdin    `json:"stdin,omitempty"`  // exec: what it reads; "" is StdinJSON
	Dir    string   `json:"dir,omitempty"`    // exec and mcp: the working folder, relative to the project; "" is the project's root
	Usage  string   `json:"usage,omitempty"`  // exec, of an agent: whose form its report of tokens has
	SHA256 string   `json:"sha256,omitempty"` // exec and mcp: of the program, in hexadecimal; checked before each run
	URL    string   `json:"url,omitempty"`    // http
	Method string   `json:"method,omitempty"` // http; "" is POST
	Hosts  []string `json:"hosts,omitempty"`  // http: host:port pairs that may be dialled; "" is that of the URL

	Steps []Obligation `json:"steps,omitempty"` // plan: what brings it about, in this order but for what they take
}
