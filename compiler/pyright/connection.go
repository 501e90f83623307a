package pyright

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// connection is a running server: JSON-RPC in frames with a Content-Length, as the Language Server Protocol has it.
//
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
type connection struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *tail
	gone   chan struct{} // closed when the server has ended and all that it wrote has been read
	why    error         // valid then

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
}

// message is a request, a notification or an answer.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("pyright answers: %s (%d)", e.Message, e.Code) }

// Codes by which a server says: ask again.
const (
	requestCancelled = -32800
	contentModified  = -32801
	serverCancelled  = -32802
)

// errGone is what a request gets whose server has ended.
var errGone = errors.New("pyright ended")

// largest bounds one frame.
const largest = 64 << 20

func start(c Command, dir string) (*connection, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = dir, environment()
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	n := &connection{cmd: cmd, stderr: &tail{}, gone: make(chan struct{}), waiting: map[int]chan message{}}
	cmd.Stderr = n.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n.stdin = stdin
	go n.read(stdout)
	return n, nil
}

// read reads until the server ends, or says something that is not the protocol.
func (n *connection) read(stdout io.Reader) {
	in := bufio.NewReaderSize(stdout, 64<<10)
	var err error
	for err == nil {
		var m message
		if m, err = readMessage(in); err == nil {
			err = n.take(m)
		}
	}
	kill(n.cmd)
	exit := n.cmd.Wait()
	n.why = errGone
	if !errors.Is(err, io.EOF) {
		n.why = fmt.Errorf("%w: %w", errGone, err)
	} else if exit != nil {
		n.why = fmt.Errorf("%w: %w", errGone, exit)
	}
	if text := n.stderr.String(); text != "" {
		n.why = fmt.Errorf("%w\n%s", n.why, text)
	}
	close(n.gone)
}

func readMessage(in *bufio.Reader) (m message, err error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || length < 0 || length > largest {
		return m, fmt.Errorf("a frame of length %q", header.Get("Content-Length"))
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(in, b); err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

// take hands an answer to who waits for it, and answers the server's own requests.
func (n *connection) take(m message) error {
	if m.Method == "" {
		id, err := strconv.Atoi(string(m.ID))
		if err != nil {
			return nil
		}
		n.mu.Lock()
		answer := n.waiting[id]
		delete(n.waiting, id)
		n.mu.Unlock()
		if answer != nil {
			answer <- m
		}
		return nil
	}
	if m.ID == nil {
		return nil
	}
	result := json.RawMessage("null")
	if m.Method == "workspace/configuration" { // pyrightconfig.json says it all
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		result, _ = json.Marshal(make([]struct{}, len(p.Items)))
	}
	return n.send(message{ID: m.ID, Result: result})
}

func (n *connection) send(m message) error {
	m.Version = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var frame bytes.Buffer
	fmt.Fprintf(&frame, "Content-Length: %d\r\n\r\n%s", len(b), b)
	n.mu.Lock()
	defer n.mu.Unlock()
	_, err = n.stdin.Write(frame.Bytes())
	return err
}

func (n *connection) notify(method string, params any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return n.send(message{Method: method, Params: p})
}

// request sends a request, and waits until there is an answer, the server ends, or done is closed.
func (n *connection) request(done <-chan struct{}, method string, params, result any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	n.mu.Lock()
	n.next++
	id := n.next
	n.waiting[id] = answer
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.waiting, id)
		n.mu.Unlock()
	}()
	if err := n.send(message{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: p}); err != nil {
		return n.ended(err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return m.Error
		}
		return json.Unmarshal(m.Result, result)
	case <-n.gone:
		return n.why
	case <-done:
		return errDone
	}
}

var errDone = errors.New("given up")

// ended explains a failed write: the server has ended, or is about to.
func (n *connection) ended(err error) error {
	select {
	case <-n.gone:
		return n.why
	case <-time.After(time.Second):
		return fmt.Errorf("%w: %w", errGone, err)
	}
}

// stop ends the server.
func (n *connection) stop() {
	select {
	case <-n.gone: // its number may be another's by now
	default:
		kill(n.cmd)
		<-n.gone
	}
}

// tail keeps the last part of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - 4096; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.b), ""))
}
