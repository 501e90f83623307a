package mcpserver

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
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
		var b [32]byte
		_, _ = rand.Read(b[:])
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was faster
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(hex.EncodeToString(b[:]) + "\n")
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
}
