package engine

import (
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/runlace/runlace/internal/config"
	"github.com/runlace/runlace/internal/fault"
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
	broken   string                 // why config.json is not followed at all; empty: it is
	changed  func(connector string) // told of connectors that are not what they were
}

// stamp tells one state of a file from another.
type stamp struct {
	at   time.Time
	size int64
}

func stampOf(path string) stamp {
	if info, err := os.Stat(path); err == nil {
		return stamp{info.ModTime(), info.Size()}
	}
	if info, err := os.Lstat(path); err == nil { // a link that leads nowhere is not the same as nothing
		return stamp{info.ModTime(), -1}
	}
	return stamp{}
}

// loadSettings reads them. With tolerant a config.json that cannot be read is one without connectors, under which every act needs a person.
func loadSettings(h home.Home, tolerant bool) (*settings, error) {
	s := &settings{home: h, stamps: [2]stamp{stampOf(h.Config()), stampOf(h.Policy())}}
	var err error
	s.config, s.problems, err = config.Load(h.Config())
	if tolerant && err != nil && fault.Of(err).Code != "no-config" {
		s.config, s.problems, s.broken, err = config.New(), nil, fault.Of(err).Message, nil
		s.config.Approval = config.Human
	}
	if err != nil {
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
			s.config, s.problems, s.broken = f, problems, ""
		}
	}
	return s.config, s.problems, s.policy
}

// ignored says why config.json is not followed at all; empty: it is.
func (s *settings) ignored() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}
