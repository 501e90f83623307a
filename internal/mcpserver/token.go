package mcpserver

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

// OperatorToken reads the token of a person's requests from its file, which only the owner can read, and makes it the first time.
func OperatorToken(file string) (string, error) {
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			token := strings.TrimSpace(string(text))
			if len(token) < leastToken {
				return "", fault.New("bad-usage", "the token in %s has fewer than %d characters, and could be guessed", file, leastToken).
					WithHint("remove the file, and a new one is made")
			}
			return token, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := makeToken(file); err != nil && !errors.Is(err, fs.ErrExist) { // or another process was faster
			return "", err
		}
	}
}

// makeToken writes a new token. The file appears with all of it or not at all, so that who reads it meanwhile reads no half of one.
func makeToken(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	var b [32]byte
	_, _ = rand.Read(b[:])
	_, err = f.WriteString(hex.EncodeToString(b[:]) + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), file) // unlike a rename, it replaces nothing
}
