package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/zalando/go-keyring"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/textfile"
)

// KeyringVariable is the environment variable that, with the value off, keeps tokens out of the operating system's keyring.
const KeyringVariable = "RUNLACE_KEYRING"

const (
	service     = "runlace"
	keyringWait = 30 * time.Second // a person may have to unlock it
	lockWait    = 10 * time.Second // for a file to be written
)

// vault keeps logins in one file, which its owner alone can read. Where there is a keyring, the file is encrypted, and the keyring has its
// key: the keyrings of Windows and macOS take some two thousand bytes, which is less than the tokens of many issuers have, and a new pair
// of tokens has to replace the old one in one step.
type vault struct {
	dir     string
	keyring string // the value of KeyringVariable

	mu   sync.Mutex
	info fs.FileInfo // of the file that was read
	all  []credential
	keys map[string][]byte
}

// document is the file.
type document struct {
	Version     int          `json:"version"`
	Credentials []credential `json:"credentials,omitempty"`
	Key         string       `json:"key,omitempty"`    // the account of the keyring that has the key
	Sealed      []byte       `json:"sealed,omitempty"` // a document, encrypted
}

func newVault(h home.Home, env home.Env) *vault {
	mode, _ := env.Lookup(KeyringVariable)
	return &vault{dir: filepath.Join(h.Dir, "auth"), keyring: mode, keys: map[string][]byte{}}
}

func (v *vault) path() string { return filepath.Join(v.dir, "tokens.json") }

func (v *vault) failed(err error, format string, args ...any) *fault.Error {
	return fault.New("auth-store", format, args...).WithDetail(err)
}

// load returns the logins. It reads the file when that is another one than last time; it is always replaced, never changed.
func (v *vault) load(ctx context.Context) ([]credential, error) {
	info, err := os.Stat(v.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, v.failed(err, "%s cannot be looked at", v.path())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.info != nil && os.SameFile(v.info, info) && v.info.ModTime().Equal(info.ModTime()) && v.info.Size() == info.Size() {
		return slices.Clone(v.all), nil
	}
	doc, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	v.info, v.all = info, doc.Credentials
	return slices.Clone(v.all), nil
}

// read reads the file. The caller has mu.
func (v *vault) read(ctx context.Context) (document, error) {
	var doc document
	text, err := textfile.Read(v.path())
	if errors.Is(err, fs.ErrNotExist) {
		return doc, nil
	}
	if err != nil {
		return doc, v.failed(err, "%s cannot be read", v.path())
	}
	if err := json.Unmarshal(text, &doc); err != nil || doc.Version != 1 {
		return doc, v.failed(nil, "%s is not a file of logins that this version knows", v.path()).WithHint("put it aside, and log in again")
	}
	if doc.Sealed == nil {
		return doc, nil
	}
	if v.keyring == "off" {
		return doc, v.failed(nil, "%s is encrypted, its key is in the keyring, and %s=off", v.path(), KeyringVariable).
			WithHint("unset %s, or put the file aside and log in again", KeyringVariable)
	}
	key, err := v.key(ctx, doc.Key)
	if err != nil {
		return doc, v.failed(err, "%s is encrypted, and the keyring does not give its key", v.path()).
			WithHint("unlock the keyring, or put the file aside and log in again")
	}
	plain, err := unseal(key, doc.Sealed)
	inner := document{}
	if err == nil {
		err = json.Unmarshal(plain, &inner)
	}
	if err != nil {
		return doc, v.failed(nil, "%s cannot be decrypted with the key in the keyring", v.path()).WithHint("put it aside, and log in again")
	}
	doc.Credentials = inner.Credentials
	return doc, nil
}

// update changes the logins while no other process does.
func (v *vault) update(ctx context.Context, change func([]credential) []credential) error {
	unlock, err := v.lock(ctx, "write", lockWait)
	if err != nil {
		return err
	}
	defer unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	doc, err := v.read(ctx)
	if err != nil {
		return err
	}
	all := change(doc.Credentials)
	v.info = nil
	if len(all) == 0 {
		if err := os.Remove(v.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return v.failed(err, "%s cannot be removed", v.path())
		}
		if doc.Key != "" {
			_ = v.ask(ctx, func() error { return keyring.Delete(service, doc.Key) }) // it opens nothing any more
			delete(v.keys, doc.Key)
		}
		return nil
	}
	out := document{Version: 1, Credentials: all}
	switch sealed, err := v.seal(ctx, doc.Key, out); {
	case err != nil:
		return err
	case sealed != nil:
		out = *sealed
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if err := textfile.Write(v.path(), append(text, '\n')); err != nil {
		return v.failed(err, "%s cannot be written", v.path())
	}
	return nil
}

// seal encrypts a document with the key of that name, or makes one if there is a keyring. It returns nil where there is none.
func (v *vault) seal(ctx context.Context, name string, doc document) (*document, error) {
	var key []byte
	var err error
	switch {
	case name != "":
		if key, err = v.key(ctx, name); err != nil {
			return nil, v.failed(err, "the keyring does not give the key of %s", v.path())
		}
	case !v.hasKeyring():
		return nil, nil
	default:
		key, name = make([]byte, 32), rand.Text()
		_, _ = rand.Read(key)
		if v.ask(ctx, func() error { return keyring.Set(service, name, base64.StdEncoding.EncodeToString(key)) }) != nil {
			return nil, nil // none that takes anything: the file is what there is
		}
		if got, err := v.key(ctx, name); err != nil || !slices.Equal(got, key) {
			return nil, nil // nor one that keeps it
		}
	}
	plain, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	aead, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	return &document{Version: 1, Key: name, Sealed: aead.Seal(nil, nil, plain, nil)}, nil
}

func unseal(key, sealed []byte) ([]byte, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, nil, sealed, nil)
}

func cipherOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// key gets a key from the keyring, once. The caller has mu.
func (v *vault) key(ctx context.Context, name string) ([]byte, error) {
	if key := v.keys[name]; key != nil {
		return key, nil
	}
	if !v.hasKeyring() {
		return nil, errors.New("there is no keyring in this session")
	}
	var text string
	if err := v.ask(ctx, func() (err error) { text, err = keyring.Get(service, name); return err }); err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		v.keys[name] = key
	}
	return key, err
}

// ask waits for the keyring, which may wait for a person, but not for ever.
func (v *vault) ask(ctx context.Context, what func() error) error {
	done := make(chan error, 1)
	go func() { done <- what() }()
	ctx, cancel := context.WithTimeoutCause(ctx, keyringWait, errors.New("the keyring does not answer"))
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hasKeyring reports whether a keyring may be there. Without a session bus the client on Linux would start one, with nobody in it.
func (v *vault) hasKeyring() bool {
	switch {
	case v.keyring == "off":
		return false
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin" || os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "":
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return dir != "" && err == nil
}

// kept says where the logins are.
func (v *vault) kept(ctx context.Context) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	text, err := textfile.Read(v.path())
	var doc document
	switch {
	case err != nil || json.Unmarshal(text, &doc) != nil:
		return ""
	case doc.Sealed != nil:
		return "keyring"
	}
	return "file"
}

// lock keeps other processes out. It ends with its holder, also when that is killed.
func (v *vault) lock(ctx context.Context, name string, wait time.Duration) (unlock func(), err error) {
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return nil, v.failed(err, "the folder %s cannot be made", v.dir)
	}
	f := flock.New(filepath.Join(v.dir, name+".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if ok, err := f.TryLockContext(ctx, 10*time.Millisecond); err != nil || !ok {
		return nil, v.failed(err, "the logins in %s are in use by another process", v.dir).WithHint("try again")
	}
	return func() { _ = f.Unlock() }, nil
}
