package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a tool as its server defines it. What its definition lacks is nil or empty.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
}

// Annotations are a server's hints about a tool; nil is a hint that is not given.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Listing is a server's list of tools.
type Listing struct {
	Tools    []Tool // in the server's order
	Problems []Problem
	Pages    int
}

// Problem is something in a list that is not as it should be.
type Problem struct {
	Tool    string `json:"tool,omitempty"` // "" for one without a name, and for the list as a whole
	Reason  string `json:"reason"`
	Skipped bool   `json:"skipped"` // the tool is not in the list
}

// The most pages that a list may have.
const mostPages = 1000

// Tools lists the server's tools. [Session.List] also tells what is wrong with the list.
func (s *Session) Tools(ctx context.Context) ([]Tool, error) {
	l, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	return l.Tools, nil
}

// List lists the server's tools, page by page, and what is wrong with the list.
func (s *Session) List(ctx context.Context) (*Listing, error) {
	var l *Listing
	if e := s.once(ctx, func(on *link) (e *Error) {
		l, e = s.list(ctx, on)
		return e
	}); e != nil {
		return nil, e
	}
	return l, nil
}

func (s *Session) list(ctx context.Context, on *link) (*Listing, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.OpenTimeout, errSlow)
	defer cancel()
	began := time.Now()
	l := &Listing{}
	type place struct {
		raw  json.RawMessage
		page int
	}
	seen := map[string]place{}
	conflict := map[string]int{} // the page of the second definition
	cursors := map[string]bool{}
	size := 0
	for cursor := ""; ; {
		r := &request{method: "tools/list", keepTools: on.web != nil}
		known, err := on.client.ListTools(r.with(ctx), &mcp.ListToolsParams{Cursor: cursor})
		on.tap.forget(r)
		r.mu.Lock()
		raw := r.result
		if err != nil || raw == nil {
			e := s.failed(ctx, on, r, err, "the list of tools", time.Since(began))
			r.mu.Unlock()
			if e.RPC != nil && e.RPC.Code == -32601 && l.Pages == 0 {
				return l, nil // a server without tools
			}
			return nil, e
		}
		r.mu.Unlock()
		l.Pages++
		size += len(raw)
		if size > s.opts.MaxList {
			return nil, s.fail(CodeTooLarge, Answered, nil, "its list of tools has %d bytes after %d pages, and the limit is %d", size, l.Pages, s.opts.MaxList)
		}
		var page struct {
			Tools json.RawMessage `json:"tools"`
			Next  json.RawMessage `json:"nextCursor"`
		}
		var tools []json.RawMessage
		if json.Unmarshal(raw, &page) != nil || json.Unmarshal(page.Tools, &tools) != nil {
			return nil, s.fail(CodeInvalid, Answered, nil, "its list of tools is not a list: %s", short(string(raw)))
		}
		headers := map[string]bool{}
		for _, t := range known.Tools {
			headers[t.Name] = true
		}
		for i, one := range tools {
			t, problems, ok := readTool(one)
			if t.Name == "" {
				problems[0].Reason = fmt.Sprintf("tool %d on page %d: %s", i+1, l.Pages, problems[0].Reason)
			}
			l.Problems = append(l.Problems, problems...)
			if !ok {
				continue
			}
			if on.web != nil && !headers[t.Name] && bytes.Contains(one, []byte(`"x-mcp-header"`)) {
				l.Problems = append(l.Problems, Problem{t.Name, "its x-mcp-header is not one that the protocol allows", true})
				continue
			}
			if before, twice := seen[t.Name]; twice {
				if !bytes.Equal(compact(before.raw), compact(one)) {
					conflict[t.Name] = l.Pages
				}
				continue
			}
			seen[t.Name] = place{one, l.Pages}
			l.Tools = append(l.Tools, t)
		}
		next := ""
		if page.Next != nil && string(page.Next) != "null" && json.Unmarshal(page.Next, &next) != nil {
			l.Problems = append(l.Problems, Problem{"", "the cursor of the page after page " + fmt.Sprint(l.Pages) + " is not a text, so that the list ends here", false})
		}
		if next == "" {
			break
		}
		if cursors[next] || l.Pages == mostPages {
			reason := fmt.Sprintf("page %d leads to a page that was read already, so that the list ends here", l.Pages)
			if !cursors[next] {
				reason = fmt.Sprintf("the list has more than %d pages, and ends here", mostPages)
			}
			l.Problems = append(l.Problems, Problem{"", reason, false})
			break
		}
		cursors[next] = true
		cursor = next
	}
	kept := l.Tools[:0]
	for _, t := range l.Tools {
		if page := conflict[t.Name]; page > 0 {
			reason := fmt.Sprintf("it is in the list on page %d and again on page %d, with different definitions", seen[t.Name].page, page)
			l.Problems = append(l.Problems, Problem{t.Name, reason, true})
			continue
		}
		kept = append(kept, t)
	}
	l.Tools = kept
	for i := range l.Problems {
		l.Problems[i].Reason = s.redact.String(l.Problems[i].Reason)
	}
	return l, nil
}

// readTool reads one definition. What is wrong with one tool is no other tool's concern.
func readTool(raw json.RawMessage) (t Tool, problems []Problem, ok bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return t, []Problem{{"", "it is not an object", true}}, false
	}
	if json.Unmarshal(m["name"], &t.Name) != nil || t.Name == "" {
		t.Name = ""
		return t, []Problem{{"", "it has no name", true}}, false
	}
	text := func(key string, to *string) {
		if v := given(m[key]); v != nil && json.Unmarshal(v, to) != nil {
			problems = append(problems, Problem{t.Name, "its " + key + " is not a text", false})
		}
	}
	text("title", &t.Title)
	text("description", &t.Description)
	t.InputSchema = given(m["inputSchema"])
	t.OutputSchema = given(m["outputSchema"])
	var hints map[string]json.RawMessage
	if v := given(m["annotations"]); v != nil && json.Unmarshal(v, &hints) != nil {
		problems = append(problems, Problem{t.Name, "its annotations are not an object", false})
	}
	if v := given(hints["title"]); v != nil && json.Unmarshal(v, &t.Annotations.Title) != nil {
		problems = append(problems, Problem{t.Name, "the title in its annotations is not a text", false})
	}
	for _, h := range []struct {
		key string
		to  **bool
	}{{"readOnlyHint", &t.Annotations.ReadOnly}, {"destructiveHint", &t.Annotations.Destructive},
		{"idempotentHint", &t.Annotations.Idempotent}, {"openWorldHint", &t.Annotations.OpenWorld}} {
		v := given(hints[h.key])
		if v == nil {
			continue
		}
		b := false
		if json.Unmarshal(v, &b) != nil {
			problems = append(problems, Problem{t.Name, "its " + h.key + " is neither true nor false, and is taken as not given", false})
			continue
		}
		*h.to = &b
	}
	return t, problems, true
}

// given is nil for what is missing or null.
func given(v json.RawMessage) json.RawMessage {
	if string(v) == "null" {
		return nil
	}
	return v
}

func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}
