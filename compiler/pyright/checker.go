package pyright

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/runlace/runlace/internal/fault"
)

// Options say how to check. The zero value is good.
type Options struct {
	// Timeout bounds one check, the server's start included; 0 means 30 s. A check takes some milliseconds, but types can be
	// written that take for ever.
	Timeout time.Duration
	// Modules is how many texts of stubs a server takes before it is started anew; 0 means 256.
	Modules int
	// Answers is how many answers are kept; 0 means 256.
	Answers int
}

// Project is what a check looks at.
type Project struct {
	Code     string   // the workflow
	Workflow string   // the module runlace_types._workflow: its own types
	Types    string   // the module runlace_types, without the imports of Modules
	Modules  []Module // what Types refers to
}

// Module is a stub that Types takes one class of.
type Module struct {
	Text  string
	Class string
	As    string // its name in Types
}

// Diagnostic is an error that pyright finds. Lines and columns count from 1, columns in characters; the end is exclusive.
type Diagnostic struct {
	Rule                             string // as reportCallIssue; empty for the grammar
	Message                          string // one line
	Line, Column, EndLine, EndColumn int
}

// Checker checks workflows, one at a time. It is safe for concurrent use. The server is started by the first check.
type Checker struct {
	find    func() (Command, error)
	options Options
	turn    chan struct{} // holds one token
	closed  chan struct{}
	once    sync.Once
	server  *server // belongs to who has the turn
	live    atomic.Pointer[connection]

	mu      sync.Mutex
	answers map[digest][]Diagnostic
	order   []digest // of answers, oldest first
	starts  int
}

type digest = [sha256.Size]byte

// ErrClosed is what a check gets after Close.
var ErrClosed = errors.New("pyright: the checker is closed")

// In finds pyright as Find does.
func In(dir string) func() (Command, error) {
	return func() (Command, error) { return Find(dir) }
}

// New makes a Checker. It asks find whenever it starts a server, so that pyright may be installed later.
func New(find func() (Command, error), o Options) *Checker {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Modules == 0 {
		o.Modules = 256
	}
	if o.Answers == 0 {
		o.Answers = 256
	}
	k := &Checker{find: find, options: o, turn: make(chan struct{}, 1), closed: make(chan struct{}), answers: map[digest][]Diagnostic{}}
	k.turn <- struct{}{}
	return k
}

// Close ends the server and removes its folder.
func (k *Checker) Close() error {
	k.once.Do(func() {
		close(k.closed)
		<-k.turn // never given back
		k.drop()
	})
	return nil
}

// Starts tells how many servers have been started.
func (k *Checker) Starts() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.starts
}

// Check returns the errors in a workflow, in the order of the file. An error is of type [*fault.Error] with the code
// checker-missing, typecheck-timeout or checker-failed, or it is ctx's, or ErrClosed.
func (k *Checker) Check(ctx context.Context, p Project) ([]Diagnostic, error) {
	key := p.digest()
	if found, ok := k.answer(key); ok {
		return found, nil
	}
	select {
	case <-k.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-k.closed:
		return nil, ErrClosed
	}
	defer func() { k.turn <- struct{}{} }()
	if found, ok := k.answer(key); ok { // somebody else has asked the same
		return found, nil
	}
	limited, cancel := context.WithTimeout(ctx, k.options.Timeout)
	defer cancel()
	found, err := k.check(limited, p)
	if errors.Is(err, errGone) && limited.Err() == nil && !k.isClosed() { // once is bad luck
		k.drop()
		found, err = k.check(limited, p)
	}
	known := (*fault.Error)(nil)
	switch {
	case err == nil:
		k.keep(key, found)
		return found, nil
	case errors.As(err, &known):
		return nil, err
	case ctx.Err() != nil: // the server goes on with a question that nobody asks any more; the next one waits for that
		return nil, ctx.Err()
	case k.isClosed():
		return nil, ErrClosed
	case errors.Is(err, errDone), limited.Err() != nil:
		k.drop()
		return nil, fault.New("typecheck-timeout", "the typecheck took longer than %s", k.options.Timeout)
	default:
		k.drop()
		return nil, fault.New("checker-failed", "pyright could not check the workflow").WithDetail(err)
	}
}

func (k *Checker) isClosed() bool {
	select {
	case <-k.closed:
		return true
	default:
		return false
	}
}

func (p Project) digest() digest {
	h := sha256.New()
	for _, m := range p.Modules {
		fmt.Fprintf(h, "%d %d %d %s%s%s", len(m.Text), len(m.Class), len(m.As), m.Text, m.Class, m.As)
	}
	fmt.Fprintf(h, "%d %d %s%s%s", len(p.Types), len(p.Workflow), p.Types, p.Workflow, p.Code)
	return digest(h.Sum(nil))
}

func (k *Checker) answer(key digest) ([]Diagnostic, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.answers[key]
	return append([]Diagnostic(nil), found...), ok
}

func (k *Checker) keep(key digest, found []Diagnostic) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.order) >= k.options.Answers {
		delete(k.answers, k.order[0])
		k.order = k.order[1:]
	}
	k.answers[key] = append([]Diagnostic(nil), found...)
	k.order = append(k.order, key)
}

// drop ends the server, if there is one.
func (k *Checker) drop() {
	if k.server != nil {
		k.server.close()
		k.server = nil
	}
}

// grace is how long a server that does not read what it is told may hold up who has given up.
const grace = 2 * time.Second

func (k *Checker) check(ctx context.Context, p Project) ([]Diagnostic, error) {
	done, finished := make(chan struct{}), make(chan struct{})
	defer close(finished)
	go func() {
		select {
		case <-ctx.Done():
		case <-k.closed:
		case <-finished:
			return
		}
		close(done)
		select {
		case <-time.After(grace):
			if n := k.live.Load(); n != nil {
				n.stop()
			}
		case <-finished:
		}
	}()
	if k.server != nil && !k.server.room(p.Modules) {
		k.drop()
	}
	if k.server == nil {
		c, err := k.find()
		if err != nil {
			return nil, err
		}
		s, err := newServer(done, c, max(k.options.Modules, len(p.Modules)))
		if err != nil {
			return nil, err
		}
		k.live.Store(s.conn)
		k.server = s
		k.mu.Lock()
		k.starts++
		k.mu.Unlock()
	}
	return k.server.check(done, p)
}

// server is a language server and its folder.
type server struct {
	dir     string
	conn    *connection
	slots   int
	modules map[digest]int    // text -> slot
	version int               // of the documents
	texts   map[string]string // of the documents, as they are now
}

// config is for pyright. A venv that does not exist keeps it from asking Python on PATH, and so from the packages that are
// installed on this machine.
const config = `{
  "include": ["workflow.py"],
  "typeCheckingMode": "strict",
  "pythonVersion": "3.13",
  "pythonPlatform": "Linux",
  "venvPath": ".",
  "venv": "venv",
  "enableTypeIgnoreComments": false,
  "reportMissingModuleSource": "none"
}
`

func newServer(done <-chan struct{}, c Command, slots int) (*server, error) {
	dir, err := os.MkdirTemp("", "runlace-pyright-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, slots: slots, modules: map[digest]int{}, texts: map[string]string{}}
	if err := s.start(done, c); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *server) start(done <-chan struct{}, c Command) error {
	real, err := filepath.EvalSymlinks(s.dir) // pyright resolves links, and its addresses have to be ours
	if err != nil {
		return err
	}
	s.dir = real
	files := map[string]string{"pyrightconfig.json": config, "workflow.py": "", typesFile: "", workflowFile: "", "runlace_modules/__init__.pyi": ""}
	for i := range s.slots {
		files[slotFile(i)] = ""
	}
	for _, folder := range []string{"runlace_types", "runlace_modules", "venv/lib/python3.13/site-packages", "venv/Lib/site-packages"} {
		if err := os.MkdirAll(filepath.Join(s.dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := s.write(name, text); err != nil {
			return err
		}
	}
	if s.conn, err = start(c, s.dir); err != nil {
		return err
	}
	root := s.uri("")
	err = s.conn.request(done, "initialize", object{
		"processId": os.Getpid(), "rootUri": root, "workspaceFolders": []object{{"uri": root, "name": "runlace"}},
		"capabilities": object{
			// Asked for dynamically, the server checks when it is asked, and not on each change.
			"textDocument": object{"diagnostic": object{"dynamicRegistration": true}},
			"workspace":    object{"configuration": true, "workspaceFolders": true},
		},
	}, &json.RawMessage{})
	if err != nil {
		return err
	}
	return s.conn.notify("initialized", object{})
}

type object = map[string]any

const (
	codeFile     = "workflow.py"
	typesFile    = "runlace_types/__init__.pyi"
	workflowFile = "runlace_types/_workflow.pyi"
)

func slotName(i int) string { return fmt.Sprintf("s%03d", i) }
func slotFile(i int) string { return "runlace_modules/" + slotName(i) + ".pyi" }

func (s *server) write(name, text string) error {
	return os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(name)), []byte(text), 0o600)
}

func (s *server) uri(name string) string {
	path := filepath.ToSlash(s.dir)
	if !strings.HasPrefix(path, "/") { // C:\...
		path = "/" + path
	}
	if name != "" {
		path += "/" + name
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// room tells whether there are slots for the modules that the server does not have yet.
func (s *server) room(modules []Module) bool {
	fresh := map[digest]bool{}
	for _, m := range modules {
		if d := sha256.Sum256([]byte(m.Text)); !s.has(d) {
			fresh[d] = true
		}
	}
	return len(s.modules)+len(fresh) <= s.slots
}

func (s *server) has(d digest) bool { _, ok := s.modules[d]; return ok }

// slot returns where the server has a text, and gives it one if it does not.
func (s *server) slot(text string) (int, error) {
	d := sha256.Sum256([]byte(text))
	if !s.has(d) {
		i := len(s.modules)
		if err := s.write(slotFile(i), text); err != nil {
			return 0, err
		}
		s.modules[d] = i
	}
	return s.modules[d], nil
}

// tries is how often a server may say: ask again.
const tries = 20

func (s *server) check(done <-chan struct{}, p Project) ([]Diagnostic, error) {
	var types strings.Builder
	for _, m := range p.Modules {
		i, err := s.slot(m.Text)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&types, "from runlace_modules.%s import %s as %s\n", slotName(i), m.Class, m.As)
	}
	types.WriteString(p.Types)
	s.version++
	for _, d := range [][2]string{{workflowFile, p.Workflow}, {typesFile, types.String()}, {codeFile, plain(p.Code)}} {
		if err := s.document(d[0], d[1]); err != nil {
			return nil, err
		}
	}
	var report struct {
		Items []struct {
			Range    struct{ Start, End position }
			Severity int
			Code     any
			Message  string
		}
	}
	for i := 0; ; i++ {
		err := s.conn.request(done, "textDocument/diagnostic", object{"textDocument": object{"uri": s.uri(codeFile)}}, &report)
		answer := (*rpcError)(nil)
		again := errors.As(err, &answer) && (answer.Code == requestCancelled || answer.Code == contentModified || answer.Code == serverCancelled)
		if err == nil {
			break
		}
		if !again || i == tries {
			return nil, err
		}
	}
	lines := strings.Split(newlines.Replace(p.Code), "\n")
	found := []Diagnostic{}
	for _, d := range report.Items {
		if d.Severity != 1 {
			continue
		}
		rule, _ := d.Code.(string)
		found = append(found, Diagnostic{
			Rule: rule, Message: oneLine(d.Message),
			Line: d.Range.Start.Line + 1, Column: d.Range.Start.column(lines),
			EndLine: d.Range.End.Line + 1, EndColumn: d.Range.End.column(lines),
		})
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found, nil
}

// document tells the server the text of a file, if that has changed.
func (s *server) document(name, text string) error {
	old, open := s.texts[name]
	if open && old == text {
		return nil
	}
	s.texts[name] = text
	uri := s.uri(name)
	if !open {
		return s.said(s.conn.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "python", "version": s.version, "text": text}}))
	}
	return s.said(s.conn.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": s.version}, "contentChanges": []object{{"text": text}}}))
}

func (s *server) said(err error) error {
	if err != nil {
		return s.conn.ended(err)
	}
	return nil
}

func (s *server) close() {
	if s.conn != nil {
		s.conn.stop()
	}
	_ = os.RemoveAll(s.dir)
}

// plain takes the effect from comments that would change pyright's rules, and a byte order mark; every position stays.
func plain(code string) string {
	code = strings.TrimPrefix(code, "\ufeff")
	return strings.ReplaceAll(code, "pyright:", "pyright;")
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "")

// oneLine joins the lines of a message, whose indentation is made of no-break spaces.
func oneLine(text string) string {
	text = strings.ReplaceAll(text, "pyright;", "pyright:") // as plain found it
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", ": ")), " ")
}

// position counts from 0, in UTF-16 code units.
type position struct{ Line, Character int }

// column counts from 1, in characters.
func (p position) column(lines []string) int {
	if p.Line >= len(lines) {
		return p.Character + 1
	}
	units, characters := 0, 0
	for _, c := range lines[p.Line] {
		if units >= p.Character {
			break
		}
		units += utf16.RuneLen(c)
		characters++
	}
	return characters + 1
}
