package connector

import (
	"sync"
	"time"
)

// A server that loads its tools one by one announces each: what comes within this time is one announcement.
const settling = 200 * time.Millisecond

// announcer makes one call of many announcements.
type announcer struct {
	to func() // may be nil

	mu      sync.Mutex
	timer   *time.Timer // running, or nil
	calling bool
	again   bool // announced while calling: that call may not have seen it
	stopped bool
}

func newAnnouncer(to func()) *announcer { return &announcer{to: to} }

func (a *announcer) tell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.to == nil || a.stopped:
	case a.calling:
		a.again = true
	case a.timer == nil:
		a.timer = time.AfterFunc(settling, a.call)
	}
}

func (a *announcer) call() {
	a.mu.Lock()
	a.timer = nil
	if a.stopped {
		a.mu.Unlock()
		return
	}
	a.calling = true
	a.mu.Unlock()
	a.to()
	a.mu.Lock()
	again := a.again
	a.calling, a.again = false, false
	a.mu.Unlock()
	if again {
		a.tell()
	}
}

// stop does not wait for a call that is under way: it may be the one that stops.
func (a *announcer) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	if a.timer != nil {
		a.timer.Stop()
	}
}
