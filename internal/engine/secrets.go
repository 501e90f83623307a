package engine

import (
	"encoding/json"

	"github.com/runlace/runlace/internal/config"
)

// Redact takes the secrets of all connectors out of a value that is about to be written down, and says whether there were any.
func (e *Engine) Redact(value json.RawMessage) (json.RawMessage, bool) {
	e.knowSecrets()
	return e.secrets.JSON(value)
}

// knowSecrets makes the secrets of all connectors known, also of those that are not open: they may stand in the inputs of a run that is
// refused or put off before any connector opens. What keeps a connector from being opened is said when it is.
func (e *Engine) knowSecrets() {
	e.knownMu.Lock()
	defer e.knownMu.Unlock()
	f, _, _ := e.settings.now()
	if f == e.known {
		return
	}
	e.known = f
	for _, c := range f.Connectors {
		if _, secrets, err := config.Resolve(c, e.options.Env); err == nil {
			e.secrets.Add(secrets...)
		}
	}
}
