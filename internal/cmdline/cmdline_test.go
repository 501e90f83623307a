package cmdline

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const comspec = `C:\Windows\System32\cmd.exe`

func TestIsBatch(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\nodejs\npx.cmd`: true, `npx.CMD`: true, `a b.bat`: true, `x.bat. .`: true, `x.cmd `: true,
		`node.exe`: false, `cmd`: false, `a.cmd\b`: false, ``: false, `x.cmd.exe`: false,
	} {
		if IsBatch(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestFieldFault166_ArgumentsStayWhole(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, ``},
		{"plain", []string{"-y", "@scope/server", `C:\x\y`}, ` -y @scope/server C:\x\y`},
		{"a space", []string{`C:\Work Dir\A & B`}, ` "C:\Work Dir\A & B"`},
		{"empty", []string{"", "x"}, ` "" x`},
		{"an ampersand", []string{"a&calc.exe", "a|b", "a^b", "<in>"}, ` "a&calc.exe" "a|b" "a^b" "<in>"`},
		{"percent", []string{"100%", "%PATH%"}, ` "100%%cd:~,%" "%%cd:~,%PATH%%cd:~,%"`},
		{"a quote", []string{`say "hi"`, `"`}, ` "say ""hi""" """"`},
		{"a quote and a command", []string{`"&calc.exe`}, ` """&calc.exe"`},
		{"backslashes before a quote", []string{`a\\"b`}, ` "a\\\\""b"`},
		{"a backslash at the end", []string{`C:\Dir\`, `C:\A B\`}, ` "C:\Dir\\" "C:\A B\\"`},
		{"signs of cmd.exe", []string{"(a)", "a;b", "a,b", "a=b", "!x!", "~", "a'b", "`"}, ` "(a)" "a;b" "a,b" "a=b" "!x!" "~" "a'b" "` + "`" + `"`},
		{"letters", []string{"é", "日本", "\u0085"}, " é 日本 \"\u0085\""},
		{"a tab", []string{"a\tb"}, " \"a\tb\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := `C:\Program Files\nodejs\npx.cmd`
			line, err := Batch(comspec, script, c.args)
			want := `"` + comspec + `" /e:ON /v:OFF /d /s /c ""` + script + `"` + c.want + `"`
			if err != nil || line != want {
				t.Errorf("\n got %s (%v)\nwant %s", line, err, want)
			}
			if got := received(t, line); !slices.Equal(got, append([]string{script}, c.args...)) {
				t.Errorf("the program gets %q", got)
			}
		})
	}
	for _, c := range []struct {
		script string
		args   []string
		want   error
	}{
		{"x.cmd", []string{"a\nb"}, ErrLineBreak}, {"x.cmd", []string{"a\rb"}, ErrLineBreak}, {"x.cmd", []string{"a\x00b"}, ErrLineBreak},
		{"", nil, ErrScript}, {`a".cmd`, nil, ErrScript}, {"%x%.cmd", nil, ErrScript}, {`a.cmd\`, nil, ErrScript}, {"a\n.cmd", nil, ErrScript},
		{"x.cmd", []string{strings.Repeat("a", 8200)}, ErrTooLong},
	} {
		if line, err := Batch(comspec, c.script, c.args); !errors.Is(err, c.want) || line != "" {
			t.Errorf("%q %q: %q, %v", c.script, c.args, line, err)
		}
	}
}

// received does to a command line what cmd.exe and then the program do: it replaces %NAME% (every name has a value here, so that none
// may be left), takes the outer quotes off, looks that no sign is left that cmd.exe would act upon, and splits into arguments as
// the C library of a program does.
func received(t *testing.T, line string) []string {
	t.Helper()
	_, line, _ = strings.Cut(line, " /c ")
	line = percents(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, `"`), `"`)
	quoted := false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune("&|<>^()", r):
			t.Errorf("cmd.exe acts upon %q in %s", r, line)
		}
	}
	if quoted {
		t.Errorf("a quote is open at the end of %s", line)
	}
	return split(line)
}

// percents replaces variables as a line of cmd /c has them: where a sign has no partner, or nothing stands between two, it stays.
func percents(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '%' {
			b.WriteByte(line[i])
			continue
		}
		end := strings.IndexByte(line[i+1:], '%')
		if end <= 0 {
			b.WriteByte('%')
			continue
		}
		name := line[i+1 : i+1+end]
		if name != "cd:~," { // of which nothing is taken
			b.WriteString("<the value of " + name + ">")
		}
		i += end + 1
	}
	return b.String()
}

// split is the rule of Microsoft's C library: backslashes count double before a quote only, and two quotes within quotes are one.
func split(line string) []string {
	var args []string
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		var b strings.Builder
		quoted := false
		for i < len(line) && (quoted || line[i] != ' ' && line[i] != '\t') {
			n := 0
			for i < len(line) && line[i] == '\\' {
				n++
				i++
			}
			switch {
			case i == len(line) || line[i] != '"':
				b.WriteString(strings.Repeat(`\`, n))
				if n == 0 {
					b.WriteByte(line[i])
					i++
				}
			case n%2 == 1:
				b.WriteString(strings.Repeat(`\`, n/2) + `"`)
				i++
			case quoted && i+1 < len(line) && line[i+1] == '"':
				b.WriteString(strings.Repeat(`\`, n/2) + `"`)
				i += 2
			default:
				b.WriteString(strings.Repeat(`\`, n/2))
				quoted = !quoted
				i++
			}
		}
		args = append(args, b.String())
	}
	return args
}

// Whatever the arguments are, the program gets them, or there is an error.
func FuzzBatch(f *testing.F) {
	f.Add(`C:\A & B`, `100% "x" \`)
	f.Add(`\\"`, `%cd:~,%%`)
	f.Fuzz(func(t *testing.T, a, b string) {
		line, err := Batch(comspec, "x.cmd", []string{a, b})
		if err != nil {
			return
		}
		want := []string{"x.cmd", strings.ToValidUTF8(a, "�"), strings.ToValidUTF8(b, "�")}
		if a != strings.ToValidUTF8(a, "") || b != strings.ToValidUTF8(b, "") {
			return // Windows has no such arguments
		}
		if got := received(t, line); !slices.Equal(got, want) {
			t.Errorf("%q: %s", got, line)
		}
	})
}
