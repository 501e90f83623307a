package stubs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/schema"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// call is one call of a tool in the workflow that is made for its server.
type call struct {
	method  *Method
	attr    string
	what    string // minimal, full, or the fault
	key     string // what a message has to name; "" if the call is fine
	wire    *ordered.Value
	said    []schema.FieldError
	pyright []string
}

func (c *call) String() string {
	return fmt.Sprintf("%s.%s, %s %s: %.600s", c.attr, c.method.Tool.Name, c.what, c.key, c.wire.JSON())
}

// source writes the call as a function of its own.
func (c *call) source(t *testing.T, i int) string {
	raw, err := c.method.ArgumentsToPython(c.wire.JSON())
	if err != nil {
		t.Fatal(err)
	}
	v, err := ordered.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	rest := ordered.NewObject()
	for _, m := range v.Members {
		if catalog.IsIdentifier(m.Key) && !catalog.IsKeyword(m.Key) {
			args = append(args, m.Key+"="+python(m.Value))
		} else {
			rest.Set(m.Key, m.Value)
		}
	}
	if len(rest.Members) > 0 {
		args = append(args, "**"+python(rest))
	}
	return fmt.Sprintf("def f%d(ctx: Ctx) -> None: ctx.%s.%s(%s)\n", i, c.attr, c.method.Python, strings.Join(args, ", "))
}

// calls makes the calls of one tool: valid ones, and ones with a fault.
func calls(t *testing.T, attr string, m *Method) []*call {
	v, err := schema.Compile(m.Tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var out []*call
	add := func(what, key string, wire *ordered.Value) {
		out = append(out, &call{method: m, attr: attr, what: what, key: key, wire: wire})
	}
	full := valid(m.arguments, v, false)
	minimal := valid(m.arguments, v, true)
	if full == nil || minimal == nil {
		t.Errorf("%s.%s: no valid arguments were found", attr, m.Tool.Name)
		return nil
	}
	add("full", "", full)
	add("minimal", "", minimal)
	if len(m.extras()) == 0 {
		add("unknown key", "no_such_key", with(minimal, "no_such_key", ordered.NewInt(1)))
	}
	for _, p := range m.parameters {
		if wrong := wrongFor(p.nodes); wrong != nil {
			add("wrong type", p.wire, with(minimal, p.wire, wrong))
			break
		}
	}
	for _, p := range m.parameters {
		if p.required {
			add("missing", p.wire, without(minimal, p.wire))
			break
		}
	}
	for _, p := range m.parameters { // the same inside of an object
		if r := nested(p.nodes); r != nil {
			value := full.Get(p.wire)
			if !value.Is(ordered.Object) {
				continue
			}
			if r.closed {
				add("unknown key inside", "no_such_key", with(full, p.wire, with(value, "no_such_key", ordered.NewInt(1))))
			}
			for _, f := range r.fields {
				if wrong := wrongFor([]*node{f.node}); wrong != nil {
					add("wrong type inside", f.wire, with(full, p.wire, with(value, f.wire, wrong)))
					break
				}
			}
			for _, f := range r.fields {
				if requires(f) {
					add("missing inside", f.wire, with(full, p.wire, without(value, f.wire)))
					break
				}
			}
			break
		}
	}
	return out
}

// valid is the arguments with everything that there is, or with the least.
func valid(n *node, v *schema.Validator, lean bool) *ordered.Value {
	m := &maker{choices: map[string]int{}, lean: lean}
	for range 200 {
		m.options = map[string]int{}
		m.count, m.size = 0, 0
		value := m.make(n, "", 0)
		if !value.Is(ordered.Object) {
			value = ordered.NewObject() // anything goes: nothing is given
		}
		errs := v.ValidateValue(value)
		if len(errs) == 0 {
			return value
		}
		if !m.otherwise(errs) {
			return nil
		}
	}
	return nil
}

func with(v *ordered.Value, key string, value *ordered.Value) *ordered.Value {
	out := ordered.NewObject()
	for _, m := range v.Members {
		out.Set(m.Key, m.Value)
	}
	out.Set(key, value)
	return out
}

func without(v *ordered.Value, key string) *ordered.Value {
	out := ordered.NewObject()
	for _, m := range v.Members {
		if m.Key != key {
			out.Set(m.Key, m.Value)
		}
	}
	return out
}

// wrongFor is a value of a type that no alternative has; nil if all types do.
func wrongFor(nodes []*node) *ordered.Value {
	bits := 0
	for _, n := range nodes {
		for _, n := range n.flat() {
			switch n.kind {
			case kAny, kNever:
				return nil
			case kLiteral:
				for _, v := range n.allowed {
					bits |= bitOf(v)
				}
			default:
				bits |= map[kind]int{kNull: bNull, kBool: bBool, kInt: bInt, kFloat: bInt | bFraction, kStr: bStr, kList: bArray, kRecord: bObject, kMap: bObject}[n.kind]
			}
		}
	}
	list, object := ordered.NewArray(ordered.NewInt(1)), ordered.NewObject()
	object.Set("zz", ordered.NewInt(1))
	for _, v := range []*ordered.Value{ordered.NewString("text"), list, object, {Kind: ordered.Number, Text: "1.5"}, ordered.NewBool(true)} {
		if bitOf(v)&bits == 0 && (bits&bInt == 0 || v.Kind != ordered.Bool) {
			return v
		}
	}
	return nil
}

// nested is the record that a parameter is, if it is one and nothing else but null.
func nested(nodes []*node) *node {
	var record *node
	for _, n := range nodes {
		for _, n := range n.flat() {
			switch {
			case n.kind == kRecord && record == nil && len(n.allowed) == 0:
				record = n
			case n.kind != kNull:
				return nil
			}
		}
	}
	return record
}

// For every tool of the corpus: minimal and full arguments typecheck and validate; those with one fault are refused by the checker or by
// validation, with a message that names the key.
func TestCorpusCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it checks 21 000 calls with pyright, which takes a minute")
	}
	dir := t.TempDir()
	cs := BuildAll(corpus(t))
	if err := Write(dir, cs); err != nil {
		t.Fatal(err)
	}
	files := map[string][]*call{}
	for _, c := range cs {
		var b strings.Builder
		b.WriteString("from runlace_types import Ctx\n")
		for _, m := range c.Methods() {
			for _, x := range calls(t, c.Attr, m) {
				x.said = m.CheckArguments(x.wire.JSON())
				files[c.Attr] = append(files[c.Attr], x)
				b.WriteString(x.source(t, len(files[c.Attr])))
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "calls_"+c.Attr+".py"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, line := range errorsByLine(t, dir) {
		attr := strings.TrimSuffix(strings.TrimPrefix(file, "calls_"), ".py")
		for n, messages := range line {
			files[attr][n-1].pyright = messages
		}
	}
	type count struct{ calls, checker, named, validation int }
	counts := map[string]*count{}
	for _, list := range files {
		for _, x := range list {
			if counts[x.what] == nil {
				counts[x.what] = &count{}
			}
			n := counts[x.what]
			n.calls++
			if x.key == "" {
				if len(x.said)+len(x.pyright) > 0 {
					t.Errorf("%v\nis refused: %v %q", x, x.said, x.pyright)
				}
				continue
			}
			python := x.key
			if p := x.method.parameter(x.key); p != nil {
				python = p.python
			}
			names := func(text string) bool { return strings.Contains(text, x.key) || strings.Contains(text, python) }
			validation := slices.ContainsFunc(x.said, func(e schema.FieldError) bool { return names(e.String()) })
			checker := slices.ContainsFunc(x.pyright, names)
			if len(x.pyright) > 0 {
				n.checker++
			}
			if checker {
				n.named++
			}
			if validation {
				n.validation++
			}
			if !checker && !validation {
				t.Errorf("%v\nis not refused by name: %v %q", x, x.said, x.pyright)
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		n := counts[what]
		if what == "full" || what == "minimal" {
			t.Logf("%-20s %5d calls, all accepted by both", what, n.calls)
			continue
		}
		t.Logf("%-20s %5d calls; refused by the checker %d (%d with the key's name), by validation with the key's name %d", what, n.calls, n.checker, n.named, n.validation)
	}
}

// errorsByLine returns pyright's errors by file and line, both as they are counted by people.
func errorsByLine(t *testing.T, dir string) map[string]map[int][]string {
	t.Helper()
	config := `{"include":["runlace_types","calls_*.py"],"typeCheckingMode":"strict","pythonVersion":"3.13"}`
	if err := os.WriteFile(filepath.Join(dir, "pyrightconfig.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pyright(t), "--outputjson")
	cmd.Dir = dir
	out, err := cmd.Output() // it ends with 1 where there are errors
	var report struct {
		GeneralDiagnostics []struct {
			File, Severity, Message, Rule string
			Range                         struct{ Start struct{ Line int } }
		}
	}
	if e := json.Unmarshal(out, &report); e != nil {
		t.Fatalf("%v, %v: %.2000s", err, e, out)
	}
	found := map[string]map[int][]string{}
	for _, d := range report.GeneralDiagnostics {
		if d.Severity != "error" {
			continue
		}
		name := filepath.Base(d.File)
		if !strings.HasPrefix(name, "calls_") {
			t.Errorf("%s:%d: %s (%s)", name, d.Range.Start.Line+1, d.Message, d.Rule)
			continue
		}
		if found[name] == nil {
			found[name] = map[int][]string{}
		}
		line := d.Range.Start.Line
		found[name][line] = append(found[name][line], d.Message)
	}
	return found
}
