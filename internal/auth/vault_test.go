package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/runlace/runlace/internal/auth/authtest"
	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/home"
)

// withKeyring puts the library's own stand-in in the place of the system's keyring, and opens the home with it.
func withKeyring(t *testing.T, f *fixture, err error) *fixture {
	t.Helper()
	if err != nil {
		keyring.MockInitWithError(err)
	} else {
		keyring.MockInit()
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // there may be one
	return f
}

func (f *fixture) reopen(vars ...string) {
	f.Store = Open(f.home, home.NewEnv(vars), nil)
}

func TestFile(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	for path, want := range map[string]os.FileMode{f.vault.path(): 0o600, f.vault.dir: 0o700 | os.ModeDir} {
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if _, err := f.Logout(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.vault.path()); err == nil {
		t.Error("the file is still there")
	}
	_, err := f.Logout(t.Context(), "notes")
	wants(t, s, err, "auth-needed")
	for _, text := range []string{"{", "[]", `{"version": 2}`} {
		if err := os.WriteFile(f.vault.path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := f.login(s, nil)
		wants(t, s, err, "auth-store", "put it aside")
		_, err = call(t.Context(), f.Store, s.MCP, "whoami")
		wants(t, s, err, "auth-store")
	}
}

// With a keyring the file is encrypted: nothing in it can be read without the key that is there.
func TestKeyring(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := withKeyring(t, newFixture(t), nil)
	f.mustLogin(s, nil) // RUNLACE_KEYRING=off
	text, _ := os.ReadFile(f.vault.path())
	if !strings.Contains(string(text), "refresh-") {
		t.Error("the file is encrypted, and the keyring is off")
	}
	f.reopen()
	s.Expire(false)
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil { // which writes it
		t.Fatal(err)
	}
	text, _ = os.ReadFile(f.vault.path())
	for _, secret := range append(s.Tokens(), s.MCP, "notes") {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s can be read", secret)
		}
	}
	st := f.mustLogin(s, nil)
	if st.Kept != "keyring" {
		t.Errorf("%+v", st)
	}
	f.reopen()
	if _, err := call(t.Context(), f.Store, s.MCP, "whoami"); err != nil {
		t.Error(err)
	}
	f.reopen(KeyringVariable + "=off")
	_, err := call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-store", "RUNLACE_KEYRING=off")

	// A file that was changed is not taken for a login.
	var doc document
	text, _ = os.ReadFile(f.vault.path())
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	doc.Sealed[len(doc.Sealed)/2] ^= 1
	changed, _ := json.Marshal(doc)
	if err := os.WriteFile(f.vault.path(), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	_, err = call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-store", "cannot be decrypted")
	if err := os.WriteFile(f.vault.path(), text, 0o600); err != nil {
		t.Fatal(err)
	}

	// With the last login the key goes.
	f.reopen()
	if _, err := f.Logout(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get(service, doc.Key); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the key is still there: %v", err)
	}
}

// Where the keyring does not work, the file is what there is; a file that it has locked stays locked.
func TestKeyringThatFails(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := withKeyring(t, newFixture(t), nil)
	f.reopen()
	f.mustLogin(s, nil)
	withKeyring(t, f, errors.New("locked"))
	f.reopen()
	_, err := call(t.Context(), f.Store, s.MCP, "whoami")
	wants(t, s, err, "auth-store", "locked", "unlock the keyring")
	_, err = f.login(s, nil)
	wants(t, s, err, "auth-store")
	if err := os.Remove(f.vault.path()); err != nil {
		t.Fatal(err)
	}
	if st := f.mustLogin(s, nil); st.Kept != "file" {
		t.Errorf("%+v", st)
	}
}

func TestLogout(t *testing.T) {
	for name, c := range map[string]struct {
		server  *authtest.Server
		problem string
	}{
		"revoked":                {server: &authtest.Server{}},
		"no revocation endpoint": {server: &authtest.Server{Metadata: func(m map[string]any) { delete(m, "revocation_endpoint") }}, problem: "no way to revoke"},
		"it fails":               {server: &authtest.Server{Metadata: func(m map[string]any) { m["revocation_endpoint"] = m["issuer"].(string) + "/nowhere" }}, problem: "404"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			authtest.New(t, c.server)
			f.mustLogin(c.server, nil)
			ended, err := f.Logout(t.Context(), "notes")
			if err != nil || len(ended) != 1 || ended[0].Revoked != (c.problem == "") || !strings.Contains(ended[0].Problem, c.problem) {
				t.Fatalf("%+v, %v", ended, err)
			}
			if access, refresh := c.server.Live(); ended[0].Revoked && access+refresh > 0 {
				t.Errorf("%d access and %d refresh tokens are still good", access, refresh)
			}
			_, err = call(t.Context(), f.Store, c.server.MCP, "whoami")
			wants(t, c.server, err, "auth-needed")
		})
	}
}

// A login is of one connector at one address; a status tells of those that nothing is configured for any more.
func TestStatuses(t *testing.T) {
	s := authtest.New(t, &authtest.Server{})
	f := newFixture(t)
	f.mustLogin(s, nil)
	f.mustLogin(s, func(l *Login) { l.Connector = "second" })
	f.mustLogin(s, nil) // in place of the first
	got, err := f.Statuses(t.Context(), []config.Connector{
		{Name: "files", Transport: config.Stdio, Command: "x"}, {Name: "notes", Transport: config.HTTP, URL: s.MCP + "/?x=y#z"},
		{Name: "second", Transport: config.HTTP, URL: "https://example.com/mcp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, st := range got {
		lines = append(lines, st.Connector+" "+st.State+" "+st.URL)
	}
	if want := "notes valid " + s.MCP + ", second none https://example.com/mcp, second valid " + s.MCP; strings.Join(lines, ", ") != want {
		t.Errorf("%q, want %s", lines, want)
	}
	if got[2].Configured || !got[0].Configured {
		t.Errorf("%+v", got)
	}
	text, _ := json.Marshal(got)
	for _, token := range s.Tokens() {
		if strings.Contains(string(text), token) {
			t.Error("there is a token in it")
		}
	}
	if r, _ := http.NewRequest("GET", s.MCP, nil); f.Source("second", "https://example.com/mcp").Authorize(t.Context(), r) != nil || len(r.Header) > 0 {
		t.Errorf("%v", r.Header)
	}
}
