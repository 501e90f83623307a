package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/textfile"
)

// Env is where references such as ${TOKEN} get their values: the process's environment, then the files of --env-file in their order.
// The first that has a variable wins, so that a file never replaces what the user has exported. An empty value counts as a value.
//
// An Env prints as the names that it got from files. Values come out of [Env.Lookup] only.
type Env struct {
	vars  map[string]string
	files []EnvFile
}

// EnvFile tells what came of one file. It has names and lines, and never a value.
type EnvFile struct {
	Path    string
	Loaded  []string      // names that the file gave, in its order
	Kept    []string      // names that had a value already
	Ignored []IgnoredLine // lines that say nothing
}

// IgnoredLine is a line of an env file that is not NAME=VALUE.
type IgnoredLine struct {
	Line   int
	Reason string
}

// String is what a command says about the file, such as "secrets.env: loaded API_TOKEN; already set: REGION; line 3 ignored: ...".
func (f EnvFile) String() string {
	said := "nothing new"
	if len(f.Loaded) > 0 {
		said = "loaded " + strings.Join(f.Loaded, ", ")
	}
	parts := []string{f.Path + ": " + said}
	if len(f.Kept) > 0 {
		parts = append(parts, "already set: "+strings.Join(f.Kept, ", "))
	}
	for _, i := range f.Ignored {
		parts = append(parts, fmt.Sprintf("line %d ignored: %s", i.Line, i.Reason))
	}
	return strings.Join(parts, "; ")
}

// LoadEnv takes the process's environment and adds the files. A file that cannot be read is an error with the code bad-env-file, so that
// nothing is done with half an environment.
func LoadEnv(files []string) (Env, error) {
	e := NewEnv(os.Environ())
	for _, path := range files {
		f, vars, err := ReadEnvFile(path)
		if err != nil {
			return Env{}, err
		}
		for _, v := range vars {
			switch _, set := e.Lookup(v.Name); {
			case !set:
				e.vars[key(v.Name)] = v.Value
				f.Loaded = append(f.Loaded, v.Name)
			case !contains(f.Loaded, v.Name) && !contains(f.Kept, v.Name):
				f.Kept = append(f.Kept, v.Name)
			}
		}
		e.files = append(e.files, f)
	}
	return e, nil
}

// NewEnv makes an Env of NAME=VALUE pairs, as os.Environ returns them. The last of a name counts.
func NewEnv(environ []string) Env {
	e := Env{vars: make(map[string]string, len(environ))}
	for _, pair := range environ {
		// Windows has variables such as =C:, whose name begins with the sign.
		if i := strings.IndexByte(pair, '='); i > 0 {
			e.vars[key(pair[:i])] = pair[i+1:]
		}
	}
	return e
}

// With returns an Env that has the variables too, where e has none of that name.
func (e Env) With(vars map[string]string) Env {
	all := make(map[string]string, len(e.vars)+len(vars))
	for name, value := range vars {
		all[key(name)] = value
	}
	for name, value := range e.vars {
		all[name] = value
	}
	return Env{vars: all, files: e.files}
}

// Lookup returns the value of a variable. Windows does not tell upper from lower case in names; elsewhere they differ.
func (e Env) Lookup(name string) (string, bool) {
	v, ok := e.vars[key(name)]
	return v, ok
}

// Files tells what came of each file.
func (e Env) Files() []EnvFile { return append([]EnvFile(nil), e.files...) }

// Format keeps values out of logs, whatever the verb.
func (e Env) Format(s fmt.State, _ rune) {
	var names []string
	for _, f := range e.files {
		names = append(names, f.Loaded...)
	}
	fmt.Fprintf(s, "{%d variables, from files: %s}", len(e.vars), strings.Join(names, " "))
}

func key(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// EnvVar is a variable of an env file.
type EnvVar struct{ Name, Value string }

// ReadEnvFile reads one file; what is in Loaded and Kept is up to the caller. See [ParseEnv] for what may be in it.
func ReadEnvFile(path string) (EnvFile, []EnvVar, error) {
	full, err := Expand(path)
	if err != nil {
		return EnvFile{}, nil, fault.New("bad-env-file", "the file of variables %s cannot be found", path).WithDetail(err)
	}
	text, err := textfile.Read(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return EnvFile{}, nil, fault.New("bad-env-file", "there is no file of variables %s", path)
	case err != nil:
		return EnvFile{}, nil, fault.New("bad-env-file", "the file of variables %s cannot be read", path).WithDetail(err)
	}
	vars, ignored := ParseEnv(string(text))
	return EnvFile{Path: path, Ignored: ignored}, vars, nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseEnv reads the text of an env file, as shells and other tools write it:
//
//	# a comment
//	NAME=value               # white space around the value is not part of it, nor is a comment after white space
//	export NAME=value
//	NAME="a \"b\" \n c"      # escapes: \n \r \t \" \\ \$, and the text may go over several lines
//	NAME='as it is'          # no escapes; also over several lines
//
// Nothing is replaced in values: a $ is a $. Lines of another form are ignored, and returned with the reason.
func ParseEnv(text string) ([]EnvVar, []IgnoredLine) {
	var vars []EnvVar
	var ignored []IgnoredLine
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for line := 1; text != ""; line++ {
		row, rest, _ := strings.Cut(text, "\n")
		text = rest
		row = strings.TrimSpace(row)
		if row == "" || row[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(row, "=")
		name = strings.TrimSpace(name)
		if after, ok := strings.CutPrefix(name, "export"); ok && strings.TrimLeft(after, " \t") != after {
			name = strings.TrimSpace(after)
		}
		switch {
		case !ok:
			ignored = append(ignored, IgnoredLine{line, "there is no = in it"})
			continue
		case !identifier.MatchString(name):
			ignored = append(ignored, IgnoredLine{line, "what is before the = is not a name: letters, digits and underscores"})
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || value[0] != '"' && value[0] != '\'' {
			vars = append(vars, EnvVar{name, uncomment(value)})
			continue
		}
		// A quoted value may go on in the next lines.
		whole, lines := value, 0
		if rest != "" {
			whole += "\n" + rest
		}
		inner, length, ok := unquote(whole)
		if !ok { // an apostrophe that begins a word, or a quote that was forgotten
			vars = append(vars, EnvVar{name, strings.Trim(uncomment(value), `"'`)})
			continue
		}
		lines = strings.Count(whole[:length], "\n")
		line += lines
		after, next, _ := strings.Cut(whole[length:], "\n")
		if after = strings.TrimSpace(after); after != "" && after[0] != '#' {
			ignored = append(ignored, IgnoredLine{line, "there is text after the closing quote"})
			if lines == 0 { // the line is the value's own
				text = next
				continue
			}
		}
		vars = append(vars, EnvVar{name, inner})
		text = next
	}
	return vars, ignored
}

// uncomment cuts a comment that stands after white space.
func uncomment(value string) string {
	for i := 1; i < len(value); i++ {
		if value[i] == '#' && (value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

// unquote reads a quoted text at the beginning of s. Its length includes the quotes.
func unquote(s string) (inner string, length int, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return b.String(), i + 1, true
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '"', '\\', '$':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}
