package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tap sits between the wire and the SDK. The SDK decodes arguments, schemas and results into Go values, which rounds numbers
// and refuses a whole list for one odd tool. So the tap keeps the raw results of the calls that have a [request] in their context
// and hands the SDK an empty result instead. It also keeps from the SDK what would make it close the connection: lines that are
// no messages, answers that are not well formed.
type tap struct {
	limit int // bytes of one message

	mu      sync.Mutex
	pending map[int64]*request
	probe   int64 // the id of server/discover, or 0
}

func newTap(limit int) *tap { return &tap{limit: limit, pending: map[int64]*request{}} }

// request is a request whose result is kept as it is on the wire.
type request struct {
	method    string
	tool      string                     // of tools/call
	arguments json.RawMessage            // likewise
	more      map[string]json.RawMessage // parameters that the SDK would change, as they are to be sent
	keepTools bool                       // the SDK needs to see the tools whose arguments go into headers

	id   int64
	sent atomic.Bool // a part of it may have reached the server

	mu     sync.Mutex
	result json.RawMessage
	odd    *oddAnswer
	rpc    *RPCError
	status int    // the HTTP status, when it was not 2xx
	said   string // what came with it
	gone   bool   // it says that there is no such session
}

// oddAnswer is an answer that is there and cannot be used.
type oddAnswer struct {
	code, message string
}

type requestKey struct{}

// with puts r into the context that the SDK hands down to the wire.
func (r *request) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// refused keeps an HTTP answer that is not 2xx.
func (r *request) refused(status int, said string, body []byte, gone bool) {
	var m struct{ Error json.RawMessage }
	if json.Unmarshal(body, &m) == nil && len(trimmed(m.Error)) > 0 && m.Error[0] == '{' {
		r.fails(m.Error)
	}
	r.mu.Lock()
	r.status, r.said, r.gone = status, said, gone
	r.mu.Unlock()
}

// fails keeps an error answer.
func (r *request) fails(raw json.RawMessage) {
	e := &RPCError{}
	if json.Unmarshal(raw, e) != nil {
		e = &RPCError{Code: jsonrpc.CodeInternalError, Message: short(string(raw)), Data: raw}
	}
	r.mu.Lock()
	r.rpc = e
	r.mu.Unlock()
}

// outgoing looks at a message that is about to be sent and returns it as it has to be sent. It reports drop for a message that
// must not be sent. The request is nil when the result of this message is not kept.
func (t *tap) outgoing(ctx context.Context, data []byte) (out []byte, r *request, drop bool) {
	var m struct {
		ID     *int64 `json:"id"`
		Method string `json:"method"`
		Params struct {
			RequestID json.Number `json:"requestId"`
		} `json:"params"`
	}
	switch {
	case bytes.Contains(data, []byte(`"server/discover"`)):
		if json.Unmarshal(data, &m) == nil && m.ID != nil && m.Method == "server/discover" {
			t.mu.Lock()
			t.probe = *m.ID
			t.mu.Unlock()
		}
		return data, nil, false
	case bytes.Contains(data, []byte(`"notifications/cancelled"`)):
		// A server that does not know the probe must not be told that it was given up: before initialize, it expects nothing else.
		t.mu.Lock()
		probe := t.probe
		t.mu.Unlock()
		_ = json.Unmarshal(data, &m)
		return data, nil, probe != 0 && m.Method == "notifications/cancelled" && m.Params.RequestID.String() == strconv.FormatInt(probe, 10)
	}
	r = requestOf(ctx)
	if r == nil {
		return data, nil, false
	}
	var call struct {
		ID     *int64                     `json:"id"`
		Method string                     `json:"method"`
		Params map[string]json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &call) != nil || call.ID == nil || call.Method != r.method {
		return data, nil, false
	}
	r.id = *call.ID
	t.mu.Lock()
	t.pending[r.id] = r
	t.mu.Unlock()
	if r.arguments == nil {
		return data, r, false
	}
	// The SDK has escaped the arguments' < > and &. They are sent as they are.
	call.Params["arguments"] = r.arguments
	maps.Copy(call.Params, r.more)
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{`, r.id, r.method)
	for i, k := range slices.Sorted(maps.Keys(call.Params)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", k)
		b.Write(call.Params[k])
	}
	b.WriteString("}}")
	return b.Bytes(), r, false
}

// forget ends the wait for r.
func (t *tap) forget(r *request) {
	t.mu.Lock()
	if t.pending[r.id] == r {
		delete(t.pending, r.id)
	}
	t.mu.Unlock()
}

func (t *tap) find(id int64) *request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending[id]
}

// incoming looks at what arrived, and returns the messages that the SDK may see. It reports false when there is none in it.
func (t *tap) incoming(frame []byte) ([][]byte, bool) {
	frame = bytes.TrimSpace(bytes.TrimPrefix(frame, []byte("\xef\xbb\xbf")))
	if len(frame) == 0 {
		return nil, true
	}
	if frame[0] == '[' { // a batch, as protocol version 2025-03-26 had it
		var batch []json.RawMessage
		if json.Unmarshal(frame, &batch) != nil || len(batch) == 0 {
			return nil, false
		}
		var all [][]byte
		for _, one := range batch {
			if out, ok := t.message(one); ok {
				all = append(all, out)
			}
		}
		return all, len(all) > 0
	}
	if out, ok := t.message(frame); ok {
		return [][]byte{out}, true
	}
	// Something printed before it and no line feed: the message is the end of the line.
	for i, tries := 1, 0; i < len(frame) && tries < 8; tries++ {
		j := bytes.IndexByte(frame[i:], '{')
		if j < 0 {
			break
		}
		i += j
		if out, ok := t.message(frame[i:]); ok {
			return [][]byte{out}, true
		}
		i++
	}
	if bytes.Contains(frame, []byte(`"jsonrpc"`)) {
		if out := t.odd(frame, frame, &oddAnswer{CodeInvalid, "the answer is not JSON"}, 0); out != nil {
			return [][]byte{out}, true
		}
	}
	return nil, false
}

// message looks at one message.
func (t *tap) message(data []byte) ([]byte, bool) {
	if len(data) == 0 || data[0] != '{' {
		return nil, false
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &m) != nil {
		return nil, false
	}
	if m.Method != nil || m.Result == nil && m.Error == nil {
		return data, readable(data)
	}
	id, number := number(m.ID)
	if !number || m.Version != "2.0" {
		return data, readable(data)
	}
	r := t.find(id)
	switch {
	case m.Error != nil && string(m.Error) != "null":
		if r != nil {
			r.fails(m.Error)
		}
		out := response(id, "error", m.Error)
		if !readable(out) {
			e, _ := json.Marshal(jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server answered with an error of no known form: " + short(string(m.Error))})
			out = response(id, "error", e)
		}
		return out, true
	case r == nil:
		return data, readable(data)
	}
	result := m.Result
	if !utf8.Valid(result) {
		result = bytes.ToValidUTF8(result, []byte("�"))
	}
	r.mu.Lock()
	r.result = result
	r.mu.Unlock()
	switch {
	case r.method == "tools/list" && r.keepTools:
		return response(id, "result", headerTools(result)), true
	case r.method == "tools/list":
		return response(id, "result", []byte(`{"tools":[]}`)), true
	default:
		return response(id, "result", []byte(`{"content":[]}`)), true
	}
}

// odd makes the answer to a request whose real answer cannot be read: the id stands at its beginning or its end. It is nil when
// no request waits for it.
func (t *tap) odd(head, tail []byte, why *oddAnswer, fallback int64) []byte {
	id := fallback
	if m := idAtEnd.FindSubmatch(tail[max(0, len(tail)-200):]); m != nil {
		id, _ = strconv.ParseInt(string(m[1]), 10, 64)
	} else if m := idAtStart.FindSubmatch(head[:min(len(head), 200)]); m != nil {
		id, _ = strconv.ParseInt(string(m[1]), 10, 64)
	}
	r := t.find(id)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	r.odd = why
	r.mu.Unlock()
	e, _ := json.Marshal(jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why.message})
	return response(id, "error", e)
}

var (
	idAtEnd   = regexp.MustCompile(`"id"\s*:\s*"?(\d{1,18})"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
	idAtStart = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d{1,18})"?\s*,`)
)

// tooLarge is the answer to a request whose real answer is over the limit.
func (t *tap) tooLarge(head, tail []byte, size int64, fallback int64) []byte {
	return t.odd(head, tail, &oddAnswer{CodeTooLarge, fmt.Sprintf("the answer is a message of %d bytes, and the limit is %d", size, t.limit)}, fallback)
}

// number reads an id of ours, also from a server that made a string of it.
func number(id json.RawMessage) (int64, bool) {
	s := strings.Trim(string(id), `"`)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	if f, ok := strings.CutSuffix(s, ".0"); ok {
		n, err := strconv.ParseInt(f, 10, 64)
		return n, err == nil
	}
	return 0, false
}

func response(id int64, key string, value []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%q:%s}`, id, key, value)
}

// readable reports whether the SDK will take the message.
func readable(data []byte) bool {
	_, err := jsonrpc.DecodeMessage(data)
	return err == nil
}

// headerTools leaves in a list of tools what the SDK has to know about: the tools that have an argument go into an HTTP header.
func headerTools(result json.RawMessage) []byte {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	kept := []json.RawMessage{}
	if json.Unmarshal(result, &list) == nil {
		for _, one := range list.Tools {
			if bytes.Contains(one, []byte(`"x-mcp-header"`)) && json.Unmarshal(one, new(mcp.Tool)) == nil {
				kept = append(kept, one)
			}
		}
	}
	b, err := json.Marshal(map[string]any{"tools": kept})
	if err != nil {
		return []byte(`{"tools":[]}`)
	}
	return b
}
