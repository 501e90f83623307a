package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/runlace/runlace/assets"
	"github.com/runlace/runlace/compiler/lint"
	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/schema"
)

// hinter finds out what to write in place of what pyright refuses.
type hinter struct {
	source  Source
	report  *lint.Report
	catalog Catalog
}

// longest bounds a message: pyright writes types out in full.
const longest = 600

func (h hinter) problem(d pyright.Diagnostic) Problem {
	p := Problem{Stage: StageTypecheck, Code: d.Rule, Line: d.Line, Column: d.Column, Message: d.Message, Hint: h.hint(d)}
	if p.Code == "" {
		p.Code = "typecheck-error"
	}
	if r := []rune(p.Message); len(r) > longest {
		p.Message = string(r[:longest]) + " ..."
	}
	return p
}

var (
	noParameter = regexp.MustCompile(`^No parameter named "(\w+)"$`)
	oneMissing  = regexp.MustCompile(`^Argument missing for parameter "(\w+)"$`)
)

// misspelled leaves out that an argument is missing where the same call has it under a wrong name.
func (h hinter) misspelled(all []pyright.Diagnostic) []pyright.Diagnostic {
	meant := map[string]bool{}
	key := func(c *lint.Call, parameter string) string {
		return fmt.Sprintf("%d:%d %s", c.Line, c.Column, parameter)
	}
	for _, d := range all {
		c, method := h.tool(d)
		if m := noParameter.FindStringSubmatch(d.Message); m != nil && method != nil {
			meant[key(c, schema.Nearest(m[1], method.Parameters))] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(d pyright.Diagnostic) bool {
		c, method := h.tool(d)
		m := oneMissing.FindStringSubmatch(d.Message)
		return m != nil && method != nil && meant[key(c, m[1])]
	})
}

// rule is a way to a hint: for a message that the pattern matches, of one of pyright's rules if one is named.
type rule struct {
	name    string
	pattern *regexp.Regexp
	hint    func(h hinter, d pyright.Diagnostic, m []string) string // "" means: look further
}

func match(name, pattern string, hint func(h hinter, d pyright.Diagnostic, m []string) string) rule {
	return rule{name, regexp.MustCompile(pattern), hint}
}

// say is a rule whose hint is one text, with the groups of the pattern as $1, $2.
func say(name, pattern, hint string) rule {
	return match(name, pattern, func(_ hinter, _ pyright.Diagnostic, m []string) string {
		text := hint
		for i := len(m) - 1; i > 0; i-- {
			text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), m[i])
		}
		return text
	})
}

// rules are tried in order.
var rules = []rule{
	match("", `Cannot access attribute "(\w+)" for class "Ctx\*?"`, func(h hinter, d pyright.Diagnostic, m []string) string {
		method := ""
		if c := h.call(d); c != nil && c.Attr == m[1] {
			method = c.Method
		}
		return h.catalog.noConnector(m[1], method)
	}),
	match("", `Cannot access attribute "(\w+)" for class "(\w+)\*?"`, func(h hinter, d pyright.Diagnostic, m []string) string {
		if c := h.call(d); c != nil && c.Method == m[1] {
			if k := h.catalog.connector(c.Attr); k != nil && k.Class == m[2] {
				return h.catalog.noTool(c.Attr, m[1])
			}
		}
		return ""
	}),
	say("", `for class "None"`, "the value is None, or may be: a tool that returns nothing has no result to read; else test it first, as in: if value is not None:"),
	match("", `Cannot access attribute "(\w+)" for class "(\w+)(?:\[.*)?\*?": Attribute`, func(h hinter, d pyright.Diagnostic, m []string) string {
		if m[2] == "dict" || h.isTypedDict(m[2]) {
			return fmt.Sprintf("the value is a dict: write value[%q] instead of value.%s, or value.get(%q) where it may be missing", m[1], m[1], m[1])
		}
		if m[2] == "object" {
			return narrow
		}
		return ""
	}),
	match("", `No parameter named "(\w+)"`, func(h hinter, d pyright.Diagnostic, m []string) string {
		c, method := h.tool(d)
		if method == nil {
			return ""
		}
		if near := schema.Nearest(m[1], method.Parameters); near != "" {
			return fmt.Sprintf("write %s= instead of %s=. %s", near, m[1], takes(c, method))
		}
		return takes(c, method)
	}),
	match("", `Arguments? missing for parameters? ((?:"\w+"(?:, )?)+)`, func(h hinter, d pyright.Diagnostic, m []string) string {
		c, method := h.tool(d)
		add := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(m[1], `", "`, "=..., "), `"`, ""), "=...,", "=...,") + "=..."
		if method == nil {
			return "add " + add + " to the call"
		}
		return fmt.Sprintf("add %s to the call. %s", add, takes(c, method))
	}),
	match("", `Expected (\d+) positional argument`, func(h hinter, d pyright.Diagnostic, m []string) string {
		c, method := h.tool(d)
		if method == nil {
			return "the function takes " + m[1] + " positional arguments: correct the call, or the function"
		}
		return "tools take keyword arguments only: write the parameter's name before each value. " + takes(c, method)
	}),
	match("reportCallIssue", `^No overloads for "(\w+)" match`, func(h hinter, d pyright.Diagnostic, m []string) string {
		c, method := h.tool(d)
		if method == nil || method.Name != m[1] {
			return ""
		}
		return h.forms(c, method)
	}),
	say("reportCallIssue", `No overloads for "__call__" match`, "write ctx.ai(system=\"...\", user=\"...\") for text, with schema={\"type\": \"object\", \"properties\": {...}} for an object"),
	match("", `^Argument of type "Literal\['([^']*)'\]" cannot be assigned to parameter "(\w+)" of type "Literal\[(.*?)\]"`, func(_ hinter, _ pyright.Diagnostic, m []string) string {
		var allowed []string
		for _, q := range strings.Split(m[3], ", ") {
			allowed = append(allowed, strings.Trim(q, "'"))
		}
		if near := schema.Nearest(m[1], allowed); near != "" {
			return fmt.Sprintf("write %s=%q", m[2], near)
		}
		return fmt.Sprintf("pass one of %s as %s", m[3], m[2])
	}),
	match("", `cannot be assigned to parameter "(\w+)" of type "(.*?)" in function`, func(h hinter, d pyright.Diagnostic, m []string) string {
		c, method := h.tool(d)
		if strings.Contains(d.Message, `"None" is not assignable to`) {
			return "the value may be None: test it first with if value is not None, or leave the argument out"
		}
		if strings.HasPrefix(d.Message, `Argument of type "object"`) {
			return narrow
		}
		if strings.Contains(d.Message, "invariant") {
			return "annotate the list where it is made, as " + m[1] + ": " + m[2] + " = [], or build it inside the call"
		}
		if method == nil {
			return fmt.Sprintf("pass a value of type %s", m[2])
		}
		if key, wanted := h.key(d), wanted(d.Message); key != "" && wanted != "" {
			return fmt.Sprintf("the value under %q in %s has to be of type %s. %s", key, m[1], wanted, look(c))
		}
		return fmt.Sprintf("pass a value of type %s as %s. %s", m[2], m[1], look(c))
	}),
	match("", `"([^"]*)" is not a defined key in "Inputs"`, func(h hinter, _ pyright.Diagnostic, m []string) string {
		if near := schema.Nearest(m[1], properties(h.source.Inputs)); near != "" {
			return fmt.Sprintf("write ctx.inputs[%q], or declare %q under properties in inputs_schema", near, m[1])
		}
		return fmt.Sprintf("declare %q under properties in inputs_schema, and list it in required if it always comes", m[1])
	}),
	say("", `"([^"]*)" is not a required key in "Inputs"`,
		`write ctx.inputs.get("$1", default) with a default of the right type, or list "$1" in required in inputs_schema`),
	say("", `"([^"]*)" is not a required key in`, `write .get("$1") and handle None, or test first: if "$1" in value`),
	match("", `"([^"]*)" is not a defined key in "(\w+)"`, func(_ hinter, _ pyright.Diagnostic, m []string) string {
		if m[2] == "Output" {
			return disagree
		}
		return fmt.Sprintf("the value has no key %q by its type %s: get_tools shows what the tool returns", m[1], m[2])
	}),
	match("reportReturnType", `return type "Output"`, func(_ hinter, d pyright.Diagnostic, _ []string) string {
		if strings.Contains(d.Message, "invariant") {
			return "build the list inside the return expression, as in: return {\"rows\": [{\"name\": r[\"name\"]} for r in rows]}. A list in a variable has a type of its own"
		}
		if m := regexp.MustCompile(`"([^"]*)" is required in "Output"`).FindStringSubmatch(d.Message); m != nil {
			return fmt.Sprintf("add the key %q to the dict that run returns, or take it out of required in outputs_schema", m[1])
		}
		if m := regexp.MustCompile(`"([^"]*)" is an undefined item in type "\w+"`).FindStringSubmatch(d.Message); m != nil {
			return fmt.Sprintf("leave the key %q out, or declare it under properties in outputs_schema", m[1])
		}
		return disagree
	}),
	say("reportReturnType", `return type "(.*?)"(?::|$)`, "return a value of type $1, or correct the return type (in run: outputs_schema)"),
	say("reportUnusedImport", `Import "(\S+)" is not accessed`, "delete $1 from the imports"),
	match("reportUnusedVariable", `Variable "(\w+)" is not accessed`, func(_ hinter, _ pyright.Diagnostic, m []string) string {
		return fmt.Sprintf("delete %s, or keep only the right-hand side as a statement if it is a call", m[1])
	}),
	say("reportUnused", `"(\w+)" is not accessed`, "delete $1"),
	say("reportUnusedExpression", ``, "delete the expression, or assign its value"),
	say("reportUnusedCoroutine", ``, "a workflow is not asynchronous: write plain functions"),
	say("reportMissingParameterType", `for parameter "(\w+)"`, "annotate it: $1: str, or dict[str, object] for a JSON object"),
	say("reportUnknownParameterType", `parameter "(\w+)"`, "annotate it in full: $1: list[dict[str, object]], with the type of the items"),
	say("reportMissingTypeArg", `Expected type arguments for generic class "(\w+)"`, "give the type of what it holds: list[str], dict[str, object], in place of $1 alone"),
	say("reportUnknownMemberType", `Type of "(append|add|extend|insert|update|setdefault)" is partially unknown`,
		"annotate the collection where it is made: rows: list[str] = [], seen: set[str] = set(), totals: dict[str, float] = {}"),
	say("reportUnknown", `Type of "(\w+)" is (?:partially )?unknown`,
		"annotate it where it gets its value: $1: list[str] = [], or $1: Any = json.loads(text) with from typing import Any"),
	say("reportUnknown", ``, "give the value a type where it is made: an annotated variable, as rows: list[dict[str, object]] = []"),
	say("reportOptional", ``, "the value may be None: test it first, as in: if value is not None:"),
	say("reportIndexIssue", `on type "object"`, narrow),
	say("", `for class "object"|"__\w+__" method not defined on type "object"|not supported for types? "object"`, narrow),
	say("reportArgumentType", `Argument of type "object"`, narrow),
	say("reportOptionalSubscript", ``, "the value may be None: test it first, as in: if value is not None:"),
	say("reportPossiblyUnbound", `"(\w+)" is possibly unbound`, "assign $1 before the if, for or try, so that it always has a value"),
	match("reportUndefinedVariable", `"(\w+)" is not defined`, func(_ hinter, _ pyright.Diagnostic, m []string) string {
		switch {
		case slices.Contains([]string{"Ctx", "Inputs", "Output", "ToolError"}, m[1]):
			return "write at the top of the file: from runlace_types import " + m[1]
		case importable(m[1]):
			return "write at the top of the file: import " + m[1]
		}
		return "assign " + m[1] + " before it is used, or import it"
	}),
	say("", `"(\w+)" is unknown import symbol`, "runlace_types has Ctx, Inputs, Output and ToolError; take $1 out, or import it from the module that has it"),
	say("reportDeprecated", ``, "use what the message names instead"),
	say("reportUnnecessary", ``, "delete the test or the cast: by its type it always comes out the same"),
	say("reportPrivateUsage", `"(\w+)" is (?:private|protected)`, "use a public name instead of $1"),
	say("reportRedeclaration", `declaration "(\w+)" is obscured`, "give the second $1 another name"),
	say("reportConstantRedefinition", `"(\w+)" is constant`, "write the name in lower case, since its value changes"),
	say("reportTypedDictNotRequiredAccess", ``, "write .get(key) and handle None"),
	say("reportAttributeAccessIssue", ``, "correct the name; get_skill lists the connectors and get_tools what a tool takes and returns"),
	match("reportCallIssue", ``, func(h hinter, d pyright.Diagnostic, _ []string) string {
		if c, method := h.tool(d); method != nil {
			return takes(c, method)
		}
		return "correct the call; get_tools shows what a tool takes"
	}),
	say("reportArgumentType", ``, "pass a value of the type that the message names; get_tools shows what a tool takes"),
	say("reportAssignmentType", ``, "correct the annotation or the value: they have to agree"),
	say("reportOperatorIssue", ``, "convert one side first, as int(value), str(value) or float(value)"),
}

const (
	narrow   = "the type of the value is not known: test it first, as in: if isinstance(value, str): ..., or write cast(dict[str, Any], value) with from typing import Any, cast"
	disagree = "the value and outputs_schema disagree: correct whichever is wrong; keys that may be missing are not in required"
	strict   = "the check is strict: annotate parameters, results and empty collections, as rows: list[dict[str, object]] = []"
)

func (h hinter) hint(d pyright.Diagnostic) string {
	for _, r := range rules {
		if !strings.HasPrefix(d.Rule, r.name) {
			continue
		}
		if m := r.pattern.FindStringSubmatch(d.Message); m != nil {
			if hint := r.hint(h, d, m); hint != "" {
				return hint
			}
		}
	}
	return strict
}

// call finds the innermost call of a tool that a diagnostic lies in.
func (h hinter) call(d pyright.Diagnostic) (found *lint.Call) {
	for i, c := range h.report.Calls {
		if before(c.Line, c.Column, d.Line, d.Column) && before(d.EndLine, d.EndColumn, c.EndLine, c.EndColumn) {
			if found == nil || before(found.Line, found.Column, c.Line, c.Column) {
				found = &h.report.Calls[i]
			}
		}
	}
	return found
}

func before(line, column, thenLine, thenColumn int) bool {
	return line < thenLine || line == thenLine && column <= thenColumn
}

// tool finds the tool that is called where a diagnostic lies, nil if it is none of a connector that is there.
func (h hinter) tool(d pyright.Diagnostic) (*lint.Call, *Method) {
	c := h.call(d)
	if c == nil {
		return nil, nil
	}
	k := h.catalog.connector(c.Attr)
	if k == nil {
		return c, nil
	}
	return c, k.method(c.Method)
}

// takes says what a tool takes.
func takes(c *lint.Call, m *Method) string {
	if len(m.Parameters) == 0 {
		return fmt.Sprintf("ctx.%s.%s takes no arguments", c.Attr, c.Method)
	}
	return fmt.Sprintf("ctx.%s.%s takes %s. %s", c.Attr, c.Method, list(m.Parameters), look(c))
}

// argument matches the beginning of an argument that is passed by name.
var argument = regexp.MustCompile(`[(,]\s*(\w+)\s*=[^=]`)

// forms says what is wrong with a call of a tool that can be called in several ways, of none of which the call is. pyright does not say which
// argument it is.
func (h hinter) forms(c *lint.Call, m *Method) string {
	var given []string
	for _, g := range argument.FindAllStringSubmatch(h.text(c), -1) {
		given = append(given, g[1])
	}
	for _, name := range given {
		if near := schema.Nearest(name, m.Parameters); near != "" && !slices.Contains(m.Parameters, name) {
			return fmt.Sprintf("write %s= instead of %s=. %s", near, name, takes(c, m))
		}
	}
	if len(given) == 1 && !slices.Contains(m.Parameters, given[0]) {
		return fmt.Sprintf("there is no %s=. %s", given[0], takes(c, m))
	}
	if len(m.Forms) == 0 {
		return takes(c, m)
	}
	var ways []string
	for _, form := range m.Forms {
		if way := strings.Join(form, " and "); way != "" {
			ways = append(ways, way)
		}
	}
	return fmt.Sprintf("a call needs %s. %s", strings.Join(ways, ", or "), takes(c, m))
}

// text is the source of a call.
func (h hinter) text(c *lint.Call) string {
	lines := strings.Split(newlines.Replace(h.source.Code), "\n")
	if c.Line < 1 || c.EndLine > len(lines) || c.EndLine < c.Line {
		return ""
	}
	return strings.Join(lines[c.Line-1:c.EndLine], "\n")
}

func look(c *lint.Call) string {
	return fmt.Sprintf("get_tools(connector=%q, tools=[%q]) shows the types", c.Attr, c.Method)
}

var (
	notToUnion    = regexp.MustCompile(`: Type "[^"]*" is not assignable to type "([^"]* \| [^"]*)"`)
	notAssignable = regexp.MustCompile(`: "[^"]*" is not assignable to "([^"]*)"$`)
	keyBefore     = regexp.MustCompile(`["']([^"']+)["']\s*:\s*$`)
)

// wanted is the innermost type that a message asks for. Of a union pyright goes on to say of each member that it is not that.
func wanted(message string) string {
	if all := notToUnion.FindAllStringSubmatch(message, -1); all != nil {
		return all[len(all)-1][1]
	}
	if m := notAssignable.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// key is the key of a dict whose value a diagnostic points at, if it does so in one line. pyright says only which parameter the dict is for.
func (h hinter) key(d pyright.Diagnostic) string {
	lines := strings.Split(newlines.Replace(h.source.Code), "\n")
	if d.Line < 1 || d.Line > len(lines) {
		return ""
	}
	line := []rune(lines[d.Line-1])
	if d.Column < 1 || d.Column > len(line) {
		return ""
	}
	if m := keyBefore.FindStringSubmatch(string(line[:d.Column-1])); m != nil {
		return m[1]
	}
	return ""
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// isTypedDict tells whether a class in the stubs of the connectors, or of the workflow itself, is a dict at run time.
func (h hinter) isTypedDict(class string) bool {
	if class == "Inputs" || class == "Output" {
		return true
	}
	pattern := regexp.MustCompile(`(?m)^class ` + class + `\((?:\w+\.)?\w*TypedDict|^` + class + ` = (?:\w+\.)?\w*TypedDict`)
	if pattern.MatchString(h.source.Code) {
		return true
	}
	for _, c := range h.report.Calls {
		if k := h.catalog.connector(c.Attr); k != nil && pattern.MatchString(k.Stub()) {
			return true
		}
	}
	return false
}

func importable(module string) bool {
	guest, err := assets.Guest()
	return err == nil && slices.Contains(guest.Allowlist, module)
}
