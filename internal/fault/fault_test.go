package fault

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	exits := map[Kind]int{Limit: ExitFailed, Workflow: ExitFailed, Compile: ExitFailed, Tool: ExitFailed, Stopped: ExitInterrupted, Usage: ExitUsage, Bug: ExitFailed, Gate: ExitRefused, Doubt: ExitInDoubt, Waiting: ExitWaiting}
	seen := map[string]bool{}
	for _, e := range Table() {
		if seen[e.Code] || !name.MatchString(e.Code) {
			t.Errorf("%q: twice, or not a name", e.Code)
		}
		seen[e.Code] = true
		if want, ok := exits[e.Kind]; !ok || e.Exit != want {
			t.Errorf("%s: kind %s with exit code %d", e.Code, e.Kind, e.Exit)
		}
		if len(e.Meaning) < 20 || !strings.HasSuffix(e.Meaning, ".") || e.Meaning[0] < 'A' || e.Meaning[0] > 'Z' {
			t.Errorf("%s: the meaning is not made of sentences: %s", e.Code, e.Meaning)
		}
		if len(e.Hint) < 10 || strings.HasSuffix(e.Hint, ".") {
			t.Errorf("%s: a hint has no full stop, since a period may follow it: %s", e.Code, e.Hint)
		}
	}
}

// Every code that the sandbox, the guest's Python or anything else reports is in the table, and nothing else is.
func TestCodes(t *testing.T) {
	used := map[string]string{}
	for _, dir := range []string{"../../runtime", "../../hostfuncs", "../connector", "../content"} {
		constants(t, dir, used)
	}
	for _, want := range []string{"cpu-limit", "call-limit", "no-connector"} {
		if used[want] == "" {
			t.Fatalf("the search does not find %s", want)
		}
	}
	python(t, "../../wasm/guest/python/_runlace", used)
	for _, want := range []string{"missing-run", "import-refused", "arguments-too-large"} {
		if !strings.HasSuffix(used[want], ".py") {
			t.Fatalf("the search does not find %s in Python", want)
		}
	}
	for _, dir := range []string{"..", "../../compiler", "../../cmd"} {
		literals(t, dir, used)
	}
	for _, want := range []string{"needs-confirmation", "no-such-file", "checker-missing"} {
		if used[want] == "" {
			t.Fatalf("the search does not find %s", want)
		}
	}
	for code, file := range used {
		if _, ok := Lookup(code); !ok {
			t.Errorf("%s has the code %s, which is not in the table", file, code)
		}
	}
	for _, e := range Table() {
		if (e.Kind == Limit || e.Kind == Workflow || e.Kind == Tool || e.Kind == Stopped) && used[e.Code] == "" {
			t.Errorf("%s is in the table, and nothing uses it", e.Code)
		}
	}
}

// constants finds the constants of a package whose names begin with Code.
func constants(t *testing.T, dir string, used map[string]string) {
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range v.Names {
				if !strings.HasPrefix(name.Name, "Code") || i >= len(v.Values) {
					continue
				}
				if l, ok := v.Values[i].(*ast.BasicLit); ok && l.Kind == token.STRING {
					code, err := strconv.Unquote(l.Value)
					if err != nil {
						t.Fatal(err)
					}
					used[code] = file
				}
			}
			return true
		})
	}
}

// literals finds the codes that faults are made with below a folder.
func literals(t *testing.T, dir string, used map[string]string) {
	pattern := regexp.MustCompile(`(?:fault\.New\(|refuse\(|failed\(|failureJSON\(|code := )"([a-z]+(?:-[a-z]+)*)"`)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// python finds the codes in the guest's Python: where an exception class or the key "code" stands before the string, and where
// ToolError is made.
func python(t *testing.T, dir string, used map[string]string) {
	files, err := filepath.Glob(dir + "/*.py")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?:\([A-Z]\w+, |"code": |ToolError\(.*, )"([a-z]+(?:-[a-z]+)*)"`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "entry.py") && !strings.HasSuffix(file, "context.py") {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = file
		}
	}
}

func TestError(t *testing.T) {
	e := New("no-such-file", "there is no file %s", "x.py")
	if e.Error() != "there is no file x.py" || e.Exit != ExitUsage || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	other := e.WithHint("look at %s", "y").WithDetail(os.ErrNotExist)
	if other.Hint != "look at y" || other.Detail == "" || e.Detail != "" || e.Hint == other.Hint {
		t.Errorf("%+v, %+v", e, other)
	}
	wrapped := fmt.Errorf("while reading: %w", other)
	if !errors.Is(wrapped, e) || errors.Is(wrapped, New("bad-input", "")) {
		t.Error("Is compares codes")
	}
	if Of(wrapped) != other {
		t.Error("Of finds the error")
	}
	if bug := Of(errors.New("odd")); bug.Code != "internal" || bug.Exit != ExitFailed || bug.Message != "odd" {
		t.Errorf("%+v", bug)
	}
	if bug := New("no-such-code", "odd"); bug.Code != "internal" || !strings.Contains(bug.Message, "no-such-code") {
		t.Errorf("%+v", bug)
	}
}
