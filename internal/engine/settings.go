package engine

import (
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/policy"
)

// settings are what config.json and policy.yaml say. They are read again when the files have changed, so that a server that runs for
// days follows what runlace add, an editor or add_connector has written. A config.json that cannot be read leaves what was there.
type settings struct {
	mu       sync.Mutex
	home     home.Home
	stamps   [2]stamp
	config   *config.File
	problems []config.Problem
	policy   *policy.Policy
	changed  func(connector string) // told of connectors that are not what they were
}

// stamp tells one state of a file from another.
type stamp struct {
	at   time.Time
	size int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

func loadSettings(h home.Home) (*settings, error) {
	s := &settings{home: h, stamps: [2]stamp{stampOf(h.Config()), stampOf(h.Policy())}}
	var err error
	if s.config, s.problems, err = config.Load(h.Config()); err != nil {
		return nil, err
	}
	s.policy = policy.Load(h.Policy())
	return s, nil
}

// now returns what the files say. None of it is changed later.
func (s *settings) now() (*config.File, []config.Problem, *policy.Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := stampOf(s.home.Policy()); now != s.stamps[1] {
		s.stamps[1], s.policy = now, policy.Load(s.home.Policy())
	}
	if now := stampOf(s.home.Config()); now != s.stamps[0] {
		s.stamps[0] = now
		if f, problems, err := config.Load(s.home.Config()); err == nil {
			for _, old := range s.config.Connectors {
				if c, ok := f.Find(old.Name); (!ok || !reflect.DeepEqual(c, old)) && s.changed != nil {
					s.changed(old.Name)
				}
			}
			s.config, s.problems = f, problems
		}
	}
	return s.config, s.problems, s.policy
}
