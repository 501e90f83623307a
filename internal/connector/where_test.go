package connector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/connector/connectortest"
)

// What cannot be started says which part of it is missing, and the hint is one for what it is.
func TestWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := connectortest.Fixture(t)
	for name, c := range map[string]struct {
		entry         config.Connector
		message, hint string
	}{
		"no folder":     {config.Connector{Transport: "stdio", Command: good.Command, Dir: filepath.Join(dir, "gone")}, "its cwd, does not exist: " + filepath.Join(dir, "gone"), "by hand"},
		"not a folder":  {config.Connector{Transport: "stdio", Command: good.Command, Dir: file}, "its cwd, is no folder: " + file, "by hand"},
		"no command":    {config.Connector{Transport: "stdio", Command: filepath.Join(dir, "none"), Dir: dir}, "there is no command " + filepath.Join(dir, "none"), "by hand"},
		"neither":       {config.Connector{Transport: "stdio", Command: "./none", Dir: filepath.Join(dir, "gone")}, "its cwd, does not exist", "by hand"},
		"nobody's port": {config.Connector{Transport: "http", URL: "http://127.0.0.1:1/mcp"}, "it cannot be reached", "check the url"},
	} {
		t.Run(name, func(t *testing.T) {
			c.entry.Name = "x"
			_, err := Open(t.Context(), c.entry, Options{})
			e := failure(t, err, CodeUnreachable, NotSent)
			if !strings.Contains(e.Error(), c.message) || !strings.Contains(e.Fault.Hint, c.hint) || c.entry.URL != "" && strings.Contains(e.Fault.Hint, "standard error") {
				t.Errorf("%s\nhint: %s", e, e.Fault.Hint)
			}
		})
	}
}
