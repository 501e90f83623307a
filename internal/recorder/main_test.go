package recorder

import (
	"testing"

	"github.com/runlace/runlace/internal/connector/connectortest"
)

func TestMain(m *testing.M) { connectortest.Main(m) }
