package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/runlace/runlace/compiler/pyright"
	"github.com/runlace/runlace/internal/home"
)

// remote is a real MCP server over HTTP, which lets in whoever has both headers, and writes down the headers of every request.
type remote struct {
	*httptest.Server
	mu   sync.Mutex
	seen []http.Header
}

func newRemote(t *testing.T, want http.Header) *remote {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "say", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, in, error) {
			return nil, i, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	r := &remote{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, req.Header.Clone())
		r.mu.Unlock()
		for name := range want {
			if req.Header.Get(name) != want.Get(name) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		handler.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

// webUI answers as Open WebUI does on the one path that is asked.
func webUI(t *testing.T, token, connections string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet || r.URL.Path != "/chat/api/v1/configs/tool_servers":
			http.Redirect(w, r, "/auth", http.StatusFound)
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"detail":"401 Unauthorized"}`))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"TOOL_SERVER_CONNECTIONS":` + connections + `}`))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/chat"
}

// The tool servers of an Open WebUI are imported through its HTTP API: those of MCP are taken and asked for their tools with the key that
// Open WebUI has for them, which is written nowhere.
func TestImportOpenWebUI(t *testing.T) {
	const token, key = "owui-admin-token-5f2b", "tool-key-93c1d07e"
	tools := newRemote(t, http.Header{"Authorization": {"Bearer " + key}, "X-Region": {"eu"}})
	connections, err := json.Marshal([]map[string]any{
		{"url": tools.URL, "path": "", "type": "mcp", "auth_type": "bearer", "key": key, "headers": map[string]string{"X-Region": "eu"},
			"config": map[string]any{"enable": true, "function_name_filter_list": "say"}, "info": map[string]any{"id": "Team Tools", "name": "ignored"}},
		{"url": "http://api.example", "path": "openapi.json", "type": "openapi", "auth_type": "bearer", "key": "other-key", "config": map[string]any{}},
		{"url": "http://old.example", "path": "openapi.json", "auth_type": "none", "key": ""},
		{"url": tools.URL, "path": "", "type": "mcp", "auth_type": "session", "key": "", "config": map[string]any{"enable": false}, "info": map[string]any{"name": "off"}},
		{"url": "http://host.docker.internal:8000/mcp", "path": "", "type": "mcp", "auth_type": "none", "info": map[string]any{"id": "Runlace"}},
		{"url": tools.URL, "path": "", "type": "mcp", "headers": map[string]string{"X-User": "{{USER_ID}}"}, "info": map[string]any{"id": "personal"}},
		{"path": "", "type": "mcp", "info": map[string]any{"id": "lost"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	address := webUI(t, token, string(connections))
	dir := t.TempDir()
	env := append(os.Environ(), home.Variable+"="+dir, pyright.Variable+"="+filepath.Join(dir, "nowhere"), "OPEN_WEBUI_TOKEN=", "WEBUI="+token)
	run := func(args ...string) (string, string, int) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		c := exec.Command("runlace", args...)
		c.Env, c.Stdout, c.Stderr = env, &stdout, &stderr
		_ = c.Run()
		return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
	}

	if out, errs, code := run("import", "--from-open-webui", address); code != 2 || !strings.Contains(errs, "OPEN_WEBUI_TOKEN is not set") {
		t.Errorf("without a token: %d\n%s%s", code, out, errs)
	}
	out, errs, code := run("import", "--from-open-webui", address, "--token-env", "WEBUI", "--json")
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	var r struct {
		Imported []string
		Entries  []struct{ Name, Connector, Result, Reason string }
		Notes    []struct{ Connector, Text string }
		Exports  []struct{ Var string }
		Servers  []struct {
			Name, Status string
			Tools        int
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for _, e := range r.Entries {
		got = append(got, strings.TrimSpace(e.Name+": "+e.Result+" "+e.Reason))
	}
	want := []string{
		"Team Tools: imported", "api.example: skipped it is a server of an OpenAPI interface, and not of MCP",
		"old.example: skipped it is a server of an OpenAPI interface, and not of MCP", "off: imported", "Runlace: skipped it is Runlace itself, by its name",
		"personal: skipped headers.X-User has {{...}}, which only Open WebUI can fill in", "lost: skipped there is neither a command nor a url",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("entries:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	notes := ""
	for _, n := range r.Notes {
		notes += n.Connector + ": " + n.Text + "\n"
	}
	for _, part := range []string{"Team Tools: function_name_filter_list is not followed", "off: auth_type session is not followed"} {
		if !strings.Contains(notes, part) {
			t.Errorf("no note %q in\n%s", part, notes)
		}
	}
	if len(r.Servers) != 2 || r.Servers[0].Name != "Team Tools" || r.Servers[0].Status != "connected" || r.Servers[0].Tools != 1 || r.Servers[1].Status != "skipped" {
		t.Errorf("servers: %+v", r.Servers)
	}
	if len(r.Exports) != 1 || r.Exports[0].Var != "RUNLACE_TEAM_TOOLS_AUTHORIZATION" {
		t.Errorf("exports: %+v", r.Exports)
	}
	t.Run("field-fault-157 every request has the headers", func(t *testing.T) {
		tools.mu.Lock()
		defer tools.mu.Unlock()
		if len(tools.seen) < 2 {
			t.Fatalf("%d requests", len(tools.seen))
		}
		for i, h := range tools.seen {
			if h.Get("Authorization") != "Bearer "+key || h.Get("X-Region") != "eu" {
				t.Errorf("request %d has %q, %q", i, h.Get("Authorization"), h.Get("X-Region"))
			}
		}
	})
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(key)) || bytes.Contains(b, []byte(token)) {
			t.Errorf("a secret is in %s", path)
		}
		return err
	})
	if all := out + errs; err != nil || strings.Contains(all, key) || strings.Contains(all, token) {
		t.Errorf("a secret is printed, or %v", err)
	}

	// Without its key the connector waits for it, and says under which name; with it, it is connected.
	if out, _, code := run("sync", "Team Tools", "--json"); code == 0 || !strings.Contains(out, "RUNLACE_TEAM_TOOLS_AUTHORIZATION is not set") {
		t.Errorf("sync without the key: %d\n%s", code, out)
	}
	env = append(env, "RUNLACE_TEAM_TOOLS_AUTHORIZATION="+key)
	if out, errs, code := run("sync", "Team Tools"); code != 0 || !strings.Contains(out, "connected") {
		t.Errorf("sync with the key: %d\n%s%s", code, out, errs)
	}

	for name, c := range map[string]struct {
		url  string
		code int
		text string
	}{
		"a wrong token":  {webUI(t, "another", "[]"), 2, "does not let this token see its tool servers"},
		"another page":   {strings.TrimSuffix(address, "/chat"), 2, "leads elsewhere"},
		"no list":        {webUI(t, token, `"none"`), 2, "is it an Open WebUI?"},
		"no server":      {"http://127.0.0.1:1", 2, "cannot be reached"},
		"no address":     {"chat.example", 2, "begins with http:// or https://"},
		"a user in it":   {"http://ada:secret-word@127.0.0.1:1", 2, "has no user name in it"},
		"nothing at all": {webUI(t, token, "[]"), 0, ""},
	} {
		out, errs, code := run("import", "--from-open-webui", c.url, "--token-env", "WEBUI")
		if code != c.code || !strings.Contains(errs, c.text) || strings.Contains(out+errs, token) || strings.Contains(out+errs, "secret-word") {
			t.Errorf("%s: %d\n%s%s", name, code, out, errs)
		}
	}
}
