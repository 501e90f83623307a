package check

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/catalog"
	"github.com/runlace/runlace/internal/check/report"
)

// seed is a good project with one fault in it, and the one finding that is to come of it.
type seed struct {
	name string
	edit func(t *testing.T, f files)
	code string
	file string
	line int
	says string // in the message
	live []catalog.Tool
	opts func(*Options)
}

// in is a seed that replaces a text in one file.
func in(file, old, now string) func(*testing.T, files) {
	return func(t *testing.T, f files) { f.with(t, file, old, now) }
}

func both(edits ...func(*testing.T, files)) func(*testing.T, files) {
	return func(t *testing.T, f files) {
		for _, e := range edits {
			e(t, f)
		}
	}
}

var seeds = []seed{
	{name: "a misspelled tool", edit: in(aCode, "files.read_text_file", "files.read_text_fil"), code: "reportAttributeAccessIssue", file: aCode, line: 5, says: "read_text_fil"},
	{name: "a wrong argument type", edit: in(aCode, `path="/"`, "path=7"), code: "reportArgumentType", file: aCode, line: 6},
	{name: "an undeclared input", edit: in(aCode, `ctx.inputs["path"]`, `ctx.inputs["paths"]`), code: "reportGeneralTypeIssues", file: aCode, line: 5, says: "paths"},
	{name: "a forbidden import", edit: in(aCode, "from runlace_types", "import os\nfrom runlace_types"), code: "forbidden-import", file: aCode, line: 1, says: "os"},
	{name: "a damaged lock", edit: in(aLock, `"head":{"type":"integer"}`, `"head":{"type":"string"}`), code: "lock-damaged", file: aLock, line: 9, says: "files.read_text_file"},
	{name: "a drifted lock", code: "lock-drift", file: aLock, line: 27, says: "write_file", live: drifted(), edit: func(*testing.T, files) {}},
	{name: "a tool that the lock lacks", edit: in(aCode, "files.list_sizes", "files.census"), code: "not-in-lock", file: aCode, line: 6, says: "census"},
	{
		name: "a tool that nobody uses", code: "unused-in-lock", file: aLock, line: 36, says: "files.stat",
		edit: func(_ *testing.T, f files) {
			f[aLock] = lockText(append(tools[:len(tools):len(tools)], catalog.New("files", catalog.Tool{Name: "stat", InputSchema: json.RawMessage("{}"), OutputSchema: json.RawMessage("{}")})))
		},
	},
	{name: "a changed act", edit: in(aCode, "content=text)", "content=text.upper())"), code: "act-differs", file: aCase, line: 12, says: "other arguments"},
	{name: "an act less", edit: in(aCode, "> 10", "> 20"), code: "act-missing", file: aCase, line: 14},
	{name: "an act more", edit: in(aCode, "> 10", "> 1"), code: "act-extra", file: aCode, line: 9},
	{name: "a changed output", edit: in(aCode, "len(sizes)}", "len(sizes) + 1}"), code: "output-differs", file: aCase, line: 16},
	{
		name: "a dependency on the order of keys", code: "order-dependent", file: aCode, line: 9,
		edit: both(in(aCode, "in sorted(sizes)", "in sizes"), in(aCase, "b: 20, a: 30", "a: 30, b: 20")),
	},
	{
		name: "a dependency on how long a tool takes", code: "time-dependent", file: aCode, line: 13,
		edit: both(in(aCode, "from runlace", "import time\nfrom runlace"), in(aCode, "    sizes =", "    began = time.monotonic()\n    sizes ="),
			in(aCode, "    for", "    if time.monotonic() - began > 0.5:\n        return {}\n    for")),
	},
	{
		name: "an endless loop", code: "cpu-limit", file: aCode, line: 6,
		edit: both(in(aCode, `    sizes =`, "    while True: text += \"\"\n    sizes ="), in(aSettings, "inputs:", "limits: {fuel: 200000000}\ninputs:")),
	},
	{
		name: "a memory hog", code: "memory-limit", file: aCode, line: 6,
		edit: both(in(aCode, `    sizes =`, "    hog = [bytearray(1 << 20) for _ in range(500)]\n    sizes ="), in(aCode, "len(sizes)}", "len(sizes), \"hog\": len(hog)}"), in(aSettings, "inputs:", "limits: {memory_bytes: 67108864}\ninputs:")),
	},
	{name: "a missing recording", edit: in(aCode, `path="/"`, `path="/b"`), code: "missing-recording", file: aCode, line: 6, says: `files.list_sizes with {"path":"/b"}`},
	{
		name: "a recording that nobody asks for", code: "unused-recording", file: aCase, line: 11,
		edit: in(aCase, "acts:", "  - {call: files.list_sizes, arguments: {path: /c}, result: {sizes: {}}}\nacts:"),
	},
	{name: "a failure", edit: in(aCode, `    sizes =`, "    assert not text\n    sizes ="), code: "workflow-failed", file: aCode, line: 6},
	{name: "another failure than expected", edit: in(aCase, "output: {lines: 2, files: 3}", "error: {code: workflow-failed, line: 6}"), code: "error-differs", file: aCase, line: 16},
	{name: "an output that is not declared", edit: both(in(aSettings, "inputs:", "outputs: {type: object, properties: {lines: {type: string}}}\ninputs:"), in(aCode, "dict[str, object]", "Output"), in(aCode, "import Ctx", "import Ctx, Output"),
		in(aCode, `"lines": len(text.splitlines()), "files": len(sizes)`, `"lines": ""`), in(aSettings, "lines: {type: string}", "lines: {type: string, minLength: 1}")), code: "invalid-output", file: aCode, line: 4},
	{name: "inputs that are not declared", edit: in(aCase, "inputs: {path: a.txt}", "inputs: {path: 7}"), code: "invalid-inputs", file: aCase, line: 1},
	{name: "a failure that is not come to", edit: in(aCase, "output:", "fail: [{step: 9, error: {code: tool-error, message: down}}]\noutput:"), code: "unused-failure", file: aCase, line: 16},
	{name: "a key that is misspelled", edit: in(aCase, "answers:", "answer:"), code: "bad-project", file: aCase, line: 2, says: "answer"},
	{
		name: "acts that are left half done", code: "acts-half-done", file: aCase, line: 1, edit: func(*testing.T, files) {}, opts: func(o *Options) { o.Chaos = StrictChaos },
	},
}

// drifted are the tools, one of them with another schema than before.
func drifted() []catalog.Tool {
	list := append([]catalog.Tool(nil), tools...)
	last := list[2]
	last.InputSchema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}},"required":["path","text"]}`)
	list[2] = catalog.New("files", last)
	return list
}

// Each seeded fault is found with its code, file and line, and stands in every format; nothing else is found.
func TestSeededFaults(t *testing.T) {
	for _, s := range seeds {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := good()
			s.edit(t, f)
			o := options(t, f.write(t))
			if s.live != nil {
				o.Live = func(context.Context, []string) ([]catalog.Tool, map[string]error, error) { return s.live, nil, nil }
			}
			if s.opts != nil {
				s.opts(&o)
			}
			r := checked(t, o)
			if len(r.Findings) == 0 {
				t.Fatal("nothing is found")
			}
			for _, found := range r.Findings {
				if found.Code != s.code {
					t.Errorf("found besides:\n%s", text(t, r))
				}
			}
			found := r.Findings[0]
			if found.Code != s.code || found.File != s.file || found.Line != s.line || !strings.Contains(found.Message, s.says) || found.Hint == "" {
				t.Fatalf("want %s at %s:%d with %q, found\n%s", s.code, s.file, s.line, s.says, text(t, r))
			}
			inEveryFormat(t, r, found)
			// What is kept says the same.
			if o.Live == nil {
				again := checked(t, o)
				if a, b := text(t, r), text(t, again); a != b || again.Cached == 0 && len(again.Tests) > 0 {
					t.Errorf("the second check, with %d kept, finds something else:\n%s\n%s", again.Cached, a, b)
				}
			}
		})
	}
}

// inEveryFormat reads each format back, and looks for the finding's code, file and line.
func inEveryFormat(t *testing.T, r *report.Report, f report.Finding) {
	t.Helper()
	for _, format := range report.Formats {
		var b bytes.Buffer
		if err := report.Write(&b, format, r); err != nil {
			t.Fatal(err)
		}
		ok := false
		switch place := fmt.Sprintf("%s:%d", f.File, f.Line); format {
		case report.Text:
			for line := range strings.Lines(b.String()) {
				ok = ok || strings.HasPrefix(line, place) && strings.Contains(line, ": "+f.Code+": ")
			}
		case report.JSON:
			var doc struct{ Findings []report.Finding }
			if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			ok = len(doc.Findings) > 0 && doc.Findings[0].Code == f.Code && doc.Findings[0].Place == f.Place
		case report.GitHub:
			ok = strings.HasPrefix(b.String(), fmt.Sprintf("::error file=%s,line=%d,", f.File, f.Line)) && strings.Contains(b.String(), "title="+f.Code+"::")
		case report.GitLab:
			var doc []struct {
				CheckName string `json:"check_name"`
				Location  struct {
					Path  string
					Lines struct{ Begin int }
				}
			}
			if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			ok = doc[0].CheckName == f.Code && doc[0].Location.Path == f.File && doc[0].Location.Lines.Begin == f.Line
		case report.JUnit:
			var doc struct {
				Suites []struct {
					Cases []struct {
						Failure *struct {
							Type string `xml:"type,attr"`
							Text string `xml:",chardata"`
						} `xml:"failure"`
					} `xml:"testcase"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			for _, s := range doc.Suites {
				for _, c := range s.Cases {
					ok = ok || c.Failure != nil && c.Failure.Type == f.Code && strings.HasPrefix(c.Failure.Text, place)
				}
			}
		case report.SARIF:
			var doc struct {
				Runs []struct {
					Results []struct {
						RuleID    string
						Locations []struct {
							PhysicalLocation struct {
								ArtifactLocation struct{ URI string }
								Region           struct{ StartLine int }
							}
						}
					}
				}
			}
			if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			x := doc.Runs[0].Results[0]
			at := x.Locations[0].PhysicalLocation
			ok = x.RuleID == f.Code && at.ArtifactLocation.URI == f.File && at.Region.StartLine == f.Line
		}
		if !ok {
			t.Errorf("%s does not show %s at %s:\n%s", format, f.Code, f.Place, b.String())
		}
	}
}
