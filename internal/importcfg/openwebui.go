package importcfg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/jsonc"
)

const (
	webUITimeout = 10 * time.Second
	webUILimit   = 8 << 20 // bytes of an answer
	webUISection = "TOOL_SERVER_CONNECTIONS"
)

// OpenWebUI returns the MCP servers among the tool servers of an Open WebUI instance, as [Read] does for a file. It asks its HTTP API
// with the token of an administrator, once, and changes nothing there. The answer's form follows the page "API Endpoints" and the
// settings "External Tools" of Open WebUI's documentation. Errors have the code import-failed, and never the token or a key in them.
func OpenWebUI(ctx context.Context, m Machine, base, token string) ([]Entry, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, fault.New("bad-usage", "the address of an Open WebUI begins with http:// or https://, and has no user name in it").
			WithHint("as in --from-open-webui http://localhost:3000")
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	source := u.String()
	body, err := askWebUI(ctx, u.JoinPath("api", "v1", "configs", "tool_servers").String(), token)
	if err != nil {
		return nil, err
	}
	doc, err := jsonc.Parse(body)
	list := doc.Get(webUISection)
	if err != nil || !list.IsList() {
		return nil, fault.New("import-failed", "%s answers with something that is not a list of tool servers: is it an Open WebUI?", source)
	}
	r := &reader{m: m, path: source, client: "Open WebUI", inputs: map[string]jsonc.Node{}}
	for i, n := range list.Elements() {
		r.toolServer(fmt.Sprintf("%s[%d]", webUISection, i), n)
	}
	return r.entries, nil
}

// askWebUI sends the one request. A redirect is not followed: the token is for this address.
func askWebUI(ctx context.Context, address, token string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, webUITimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fault.New("import-failed", "%s cannot be asked", address).WithDetail(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return nil, fault.New("import-failed", "%s cannot be reached", address).WithDetail(err)
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return nil, fault.New("import-failed", "%s does not let this token see its tool servers (HTTP status %d)", address, res.StatusCode).
			WithHint("it takes the API key or the session token of an administrator, from Settings, Account")
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, fault.New("import-failed", "%s leads elsewhere (HTTP status %d), where the token is not sent", address, res.StatusCode).
			WithHint("give the address at which Open WebUI answers itself")
	case res.StatusCode != http.StatusOK:
		return nil, fault.New("import-failed", "%s answers with HTTP status %d", address, res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, webUILimit+1))
	switch {
	case err != nil:
		return nil, fault.New("import-failed", "the answer of %s broke off", address).WithDetail(err)
	case len(body) > webUILimit:
		return nil, fault.New("import-failed", "the answer of %s is larger than %d MiB", address, webUILimit>>20)
	}
	return body, nil
}

// toolServer reads one connection: it is written as an entry of a file has it, and read as one.
func (r *reader) toolServer(where string, n jsonc.Node) {
	name := webUIName(n)
	e := Entry{Name: printable(name), Source: r.path, Where: where}
	s := &server{reader: r, entry: &e, node: n}
	var members []jsonc.Member
	if n.IsObject() {
		members = s.connection(n)
	}
	switch kind, _ := n.Get("type").Text(); {
	case !n.IsObject(), e.Skipped != "":
	case kind == "" || kind == "openapi":
		s.skip("it is a server of an OpenAPI interface, and not of MCP")
	case kind != "mcp":
		s.skip("its type is %s, and not mcp", shown(kind))
	case strings.EqualFold(name, "runlace"): // its address may be that of this machine as seen from a container
		s.skip("it is Runlace itself, by its name")
	default:
		s.node = compose(members)
	}
	if e.Skipped == "" {
		s.read(name)
	}
	r.entries = append(r.entries, e)
}

// webUIName is the id of a connection, else its name, else its host.
func webUIName(n jsonc.Node) string {
	for _, key := range []string{"id", "name"} {
		if s, ok := n.Get("info").Get(key).Text(); ok && config.CheckName(strings.TrimSpace(s)) == nil {
			return strings.TrimSpace(s)
		}
	}
	address, _ := n.Get("url").Text()
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "server"
}

// connection returns the keys of a connection as a file of another client has them.
func (s *server) connection(n jsonc.Node) []jsonc.Member {
	members := []jsonc.Member{{Name: "type", Value: text("http")}, {Name: "url", Value: n.Get("url")}}
	headers := n.Get("headers")
	if t, ok := headers.Text(); ok && strings.TrimSpace(t) != "" { // as it was typed in
		if parsed, err := jsonc.Parse([]byte(t)); err == nil {
			headers = parsed
		}
	}
	authorized := false
	for _, h := range headers.Members() {
		authorized = authorized || strings.EqualFold(h.Name, "Authorization")
		if v, _ := h.Value.Text(); strings.Contains(v, "{{") {
			s.skip("headers.%s has {{...}}, which only Open WebUI can fill in", shown(h.Name))
		}
	}
	if headers.Exists() && !headers.IsNull() {
		members = append(members, jsonc.Member{Name: "headers", Value: headers})
	}
	kind, _ := n.Get("auth_type").Text()
	switch key, _ := n.Get("key").Text(); {
	case kind == "bearer" && !authorized && key != "":
		members = append(members, jsonc.Member{Name: "bearer_token", Value: text(key)})
	case kind == "bearer" && !authorized:
		members = append(members, jsonc.Member{Name: "bearer_token",
			Value: text(s.kept("headers.Authorization", "authorization token", "Open WebUI says bearer, and has no key"))})
	case kind != "" && kind != "bearer" && kind != "none":
		s.note("auth_type %s is not followed: Open WebUI sends what belongs to whoever is logged in, and a run is nobody's session; runlace auth login may do instead", shown(kind))
	}
	if v, ok := n.Get("config").Get("enable").Bool(); ok && !v {
		s.c.Disabled = true
	}
	if f, _ := n.Get("config").Get("function_name_filter_list").Scalar(); f != "" || len(n.Get("config").Get("function_name_filter_list").Elements()) > 0 {
		s.note("function_name_filter_list is not followed: all tools of the server can be used, and which of them act is up to policy.yaml")
	}
	if p, _ := n.Get("path").Text(); !slices.Contains([]string{"", "/", "openapi.json", "/openapi.json"}, p) {
		s.note("path is not followed: it is for OpenAPI")
	}
	address, _ := n.Get("url").Text()
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" && net.ParseIP(u.Hostname()) == nil && !strings.Contains(u.Hostname(), ".") && u.Hostname() != "localhost" ||
		err == nil && u.Hostname() == "host.docker.internal" {
		s.note("the host %s is seen from Open WebUI's container; if it is not known here, give another address with runlace add", shown(u.Hostname()))
	}
	return members
}

// text is a text as a value of a document.
func text(s string) jsonc.Node {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		panic(err) // it is text
	}
	n, err := jsonc.Parse(b)
	if err != nil {
		panic(err) // it was just written
	}
	return n
}

// compose makes an object of members that were read.
func compose(members []jsonc.Member) jsonc.Node {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		if !m.Value.Exists() {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(text(m.Name).JSON())
		b.WriteByte(':')
		b.Write(m.Value.JSON())
	}
	b.WriteByte('}')
	n, err := jsonc.Parse(b.Bytes())
	if err != nil {
		panic(err) // it was read before
	}
	return n
}
