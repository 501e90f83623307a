package mcpserver_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/runlace/runlace/internal/mcpserver"
)

// Servers that start at the same moment agree on one token.
func TestOperatorTokenIsMadeOnce(t *testing.T) {
	for range 50 {
		file := filepath.Join(t.TempDir(), "operator-token")
		const servers = 8
		tokens := make([]string, servers)
		var all sync.WaitGroup
		for i := range servers {
			all.Go(func() {
				token, err := mcpserver.OperatorToken(file)
				if err != nil {
					t.Error(err)
				}
				tokens[i] = token
			})
		}
		all.Wait()
		for _, token := range tokens {
			if len(token) != 64 || token != tokens[0] {
				t.Fatalf("%q", tokens)
			}
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		if left, _ := filepath.Glob(file + ".*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}
