package stubs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runlace/runlace/internal/catalog"
)

func takes(in string) *Method {
	return Build("x", []catalog.Tool{{Name: "t", InputSchema: json.RawMessage(in)}}).Tool("t")
}

// sent is a call that says what it becomes on the wire, or what is wrong with it.
type sent struct{ python, wire, wrong string }

func (c sent) check(t *testing.T, m *Method) {
	t.Helper()
	wire, err := m.ArgumentsToWire(json.RawMessage(c.python))
	if err != nil {
		if c.wrong == "" || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.python, err)
		}
		return
	}
	var said []string
	for _, e := range m.CheckArguments(wire) {
		said = append(said, e.String())
	}
	if diff := cmp.Diff(c.wrong, strings.Join(said, "\n")); diff != "" {
		t.Errorf("%s: %s", c.python, diff)
	}
	if c.wrong == "" && string(wire) != c.wire {
		t.Errorf("%s is sent as %s", c.python, wire)
	}
	if back, err := m.ArgumentsToPython(wire); err != nil || string(back) != c.python {
		t.Errorf("%s comes back as %s, %v", c.python, back, err)
	}
}

func TestFieldFault31_none_and_omission(t *testing.T) {
	m := takes(`{"type":"object","properties":{"assignee":{"type":["string","null"]},"title":{"type":"string"},"from":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`)
	for _, c := range []sent{
		{`{}`, `{}`, ``},
		{`{"assignee":null}`, `{"assignee":null}`, ``},
		{`{"assignee":null,"from_":null}`, `{"assignee":null,"from":null}`, ``},
		{`{"assignee":"null"}`, `{"assignee":"null"}`, ``},
		{`{"assignee":[null]}`, ``, "assignee has to be a string or null, and is an array"},
		{`{"title":null}`, ``, "title has to be a string, and is null: None is sent as null, leave the argument out to send nothing"},
	} {
		c.check(t, m)
	}
}

func TestFieldFault32_required_with_a_default(t *testing.T) {
	m := takes(`{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer","default":20},
		"page":{"type":"object","properties":{"size":{"type":"integer","default":10},"at":{"type":"integer"}},"required":["size","at"]}},"required":["q","limit"]}`)
	for _, c := range []sent{
		{`{"q":"a"}`, `{"q":"a"}`, ``},
		{`{"q":"a","limit":5}`, `{"q":"a","limit":5}`, ``},
		{`{"q":"a","limit":null}`, ``, "limit has to be an integer, and is null: None is sent as null, leave the argument out to send nothing"},
		{`{"limit":20}`, ``, "q is missing"},
		{`{"q":"a","page":{"at":3}}`, `{"q":"a","page":{"at":3}}`, ``},
		{`{"q":"a","page":{}}`, ``, "page.at is missing"},
	} {
		c.check(t, m)
	}
	forms := takes(`{"type":"object","anyOf":[{"properties":{"a":{"type":"integer","default":1},"b":{"type":"string"}},"required":["a","b"]},
		{"properties":{"c":{"type":"string"}},"required":["c"]}],"properties":{"a":{"default":1}}}`)
	for _, c := range []sent{{`{"b":"x"}`, `{"b":"x"}`, ``}, {`{"a":2,"b":"x"}`, `{"a":2,"b":"x"}`, ``}, {`{"c":"x"}`, `{"c":"x"}`, ``}} {
		c.check(t, forms)
	}
}

func TestFieldFault43_digits_survive_translation(t *testing.T) {
	m := takes(`{"type":"object","properties":{"from":{"type":"integer"},"rate":{"type":"number"},"class":{"type":"object","properties":{"type":{"type":"number"}}}}}`)
	for _, n := range []string{"1915883588174806058", "1" + strings.Repeat("0", 30), "-0", "1.10", "1E5", "-0.0", "0.1234567890123456789012345", "1e400"} {
		(sent{`{"rate":` + n + `,"class_":{"type_":` + n + `}}`, `{"rate":` + n + `,"class":{"type":` + n + `}}`, ``}).check(t, m)
	}
	(sent{`{"from_":1915883588174806058}`, `{"from":1915883588174806058}`, ``}).check(t, m)
	(sent{`{"from_":1e3}`, `{"from":1e3}`, ``}).check(t, m)
	(sent{`{"from_":1.5}`, ``, "from_ has to be an integer, and is a number"}).check(t, m)
}

func TestFieldFault61_from_and_cik_A(t *testing.T) {
	m := takes(`{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"},"cik-A":{"type":"string"}},"required":["from"],"additionalProperties":false}`)
	for _, c := range []sent{
		{`{"from_":"a","to":"b","cik_A":"c"}`, `{"from":"a","to":"b","cik-A":"c"}`, ``},
		{`{"to":"b","cikA":"c"}`, ``, "from_ is missing\ncikA is not known (did you mean cik_A?); the arguments are: from_, to, cik_A"},
		{`{"from_":1,"cik_A":2}`, ``, "from_ has to be a string, and is a number\ncik_A has to be a string, and is a number"},
		{`{"from_":"a","from":"b"}`, ``, `the argument "from" is given twice`},
	} {
		c.check(t, m)
	}
}

// Parameters may be called what other frameworks keep for themselves: nothing of ours travels beside the arguments.
func TestFieldFaults_reserved_parameters(t *testing.T) {
	for _, c := range []struct{ fault, wire, python string }{
		{"field-fault-70 team", "team", "team"}, {"field-fault-70 agent", "agent", "agent"}, {"field-fault-70 timeout", "timeout", "timeout"}, {"field-fault-70 self", "self", "self"},
		{"field-fault-70 ctx", "ctx", "ctx"}, {"field-fault-71 name", "name", "name"}, {"field-fault-71 server_name", "server_name", "server_name"}, {"field-fault-73 id", "id", "id"},
		{"field-fault-73 request", "request", "request"}, {"field-fault-76 run_context", "run_context", "run_context"}, {"field-fault-62 class", "class", "class_"}, {"keyword type", "type", "type_"},
		{"builtin str", "str", "str"}, {"ours arguments", "arguments", "arguments"}, {"ours connector", "connector", "connector"}, {"ours tool", "tool", "tool"}, {"extra", "extra", "extra"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			m := takes(`{"type":"object","properties":{"` + c.wire + `":{"type":"string"}},"required":["` + c.wire + `"],"additionalProperties":{"type":"integer"}}`)
			(sent{`{"` + c.python + `":"x","more":1}`, `{"` + c.wire + `":"x","more":1}`, ``}).check(t, m)
			if stub := Build("x", []catalog.Tool{m.Tool}).Stub(); !strings.Contains(stub, "*, "+c.python+": str, **") {
				t.Error(stub)
			}
		})
	}
}

func TestFieldFault94_a_wrapper_is_no_argument(t *testing.T) {
	open := takes(`{"type":"object","properties":{"query":{"type":"string"},"class":{"type":"integer"}}}`)
	for _, c := range []sent{
		{`{"raw":"{\"query\":1}","length":11}`, ``, "raw is not known; the arguments are: query, class_\nlength is not known"},
		{`{"quary":"x"}`, ``, "quary is not known (did you mean query?); the arguments are: query, class_"},
		{`{"query":1,"class_":"x","raw":null}`, ``, "query has to be a string, and is a number\nclass_ has to be an integer, and is a string\nraw is not known; the arguments are: query, class_"},
	} {
		c.check(t, open)
	}
	(sent{`{"raw":"x"}`, ``, "raw is not known: the tool takes no arguments"}).check(t, takes(`{"type":"object","properties":{}}`))
	free := takes(`{"type":"object"}`)
	(sent{`{"raw":"x"}`, `{"raw":"x"}`, ``}).check(t, free)
	one := takes(`{"type":"object","properties":{"raw":{"type":"string"},"query":{"type":"string"}},"required":["query"]}`)
	(sent{`{"raw":"x"}`, ``, "query is missing"}).check(t, one)
}

// There and back is the identity for every tool of the corpus, with all its arguments and with the fewest; and one unknown key is refused by name.
func TestCorpusArguments(t *testing.T) {
	tools, respelled := 0, 0
	for name, list := range corpus(t) {
		c := Build(name, list)
		for _, m := range c.Methods() {
			tools++
			check(t, m)
			if c.Method(m.Python) != m || c.Tool(m.Tool.Name) != m || !catalog.IsIdentifier(m.Python) || catalog.IsKeyword(m.Python) {
				t.Errorf("%s: %q is called %s", name, m.Tool.Name, m.Python)
			}
			for _, p := range m.parameters {
				if !catalog.IsIdentifier(p.python) || catalog.IsKeyword(p.python) {
					t.Errorf("%s.%s: %q is called %s", name, m.Python, p.wire, p.python)
				}
				if p.wire != p.python {
					respelled++
				}
			}
			if len(m.extras()) == 0 {
				if errs := m.CheckArguments(json.RawMessage(`{"no_such_key":1}`)); len(errs) == 0 || !strings.HasPrefix(errs[len(errs)-1].String(), "no_such_key is not known") {
					t.Errorf("%s.%s: %v", name, m.Python, errs)
				}
			}
		}
	}
	t.Logf("%d tools; %d parameters are spelled otherwise in Python", tools, respelled)
}
