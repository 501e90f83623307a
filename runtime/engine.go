package runtime

import (
	"context"
	"sync"
)

// Engine runs programs. It is safe for concurrent use.
type Engine struct {
	guest *Guest
	code  *code
	image *image
	pager *pager
	copy  bool  // memory is copied, not mapped
	slice int64 // of fuel
	keep  int   // most idle slots
	cache CacheState

	mu      sync.Mutex
	idle    []*slot
	live    int // instances that are not closed
	runs    map[*context.CancelFunc]struct{}
	closed  bool
	settled sync.Cond // signalled when a run ends
}

// newEngine puts the parts together. It owns them from then on.
func newEngine(guest *Guest, c *code, im *image, config *Config) *Engine {
	e := &Engine{
		guest: guest, code: c, image: im, pager: newPager(), copy: config.Copy || im.file == nil,
		slice: sliceFuel, keep: config.keepIdle(), runs: map[*context.CancelFunc]struct{}{},
	}
	e.settled.L = &e.mu
	return e
}

// Build identifies the guest. Programs and results of one build are not those of another.
func (e *Engine) Build() string { return e.guest.Manifest.Build }

// Python is the interpreter's version.
func (e *Engine) Python() string { return e.guest.Manifest.Python }

// MinMemory is the smallest memory limit: what the interpreter takes before a workflow starts.
func (e *Engine) MinMemory() int64 { return int64(e.guest.Manifest.Pages) * wasmPage }

// CacheState tells what the cache did for this engine.
func (e *Engine) CacheState() CacheState { return e.cache }

// Compile compiles a workflow. A source that cannot be compiled, or not within the limits, is an [*Error].
func (e *Engine) Compile(ctx context.Context, source string, limits Limits) (*Program, error) {
	limits, err := limits.effective(e.MinMemory())
	if err != nil {
		return nil, err
	}
	if len(source) > limits.InputBytes {
		return nil, tooMuch("source", len(source), limits.InputBytes)
	}
	if err := invalidUTF8(source); err != nil {
		return nil, err
	}
	in, err := e.start(uint64(limits.MemoryBytes))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := in.compile(ctx, source, limits)
	if err != nil {
		return nil, err
	}
	if r.Err != nil {
		return nil, r.Err
	}
	return &Program{Source: source, Code: r.Output, Build: e.Build(), Fuel: r.Fuel}, nil
}

// Run runs a program in a fresh interpreter. What the workflow did wrong, and every limit that it hit, is Result.Err.
//
// The error is for what is not the workflow's doing: ErrClosed, ErrOtherBuild, a [*LimitError] for limits out of range,
// inputs that are not a JSON object, the error that the Host ended the run with, a panic of the Host
// ([*hostfuncs.PanicError]). If the run had started by then, there is a Result as well, without Output and Err.
func (e *Engine) Run(ctx context.Context, p *Program, job Job) (*Result, error) {
	limits, err := job.Limits.effective(e.MinMemory())
	if err != nil {
		return nil, err
	}
	in, err := e.start(uint64(limits.MemoryBytes))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Run(ctx, p, job)
}

// Start returns a fresh interpreter. Run does so by itself.
func (e *Engine) Start(ctx context.Context) (*Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.start(0)
}

func (e *Engine) start(room uint64) (*Instance, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, ErrClosed
	}
	e.live++
	e.mu.Unlock()
	s, err := e.take(room)
	if err != nil {
		e.left()
		return nil, err
	}
	return &Instance{engine: e, slot: s}, nil
}

// take returns an idle slot whose memory can grow to room bytes, or makes one.
func (e *Engine) take(room uint64) (*slot, error) {
	e.mu.Lock()
	for i := len(e.idle) - 1; i >= 0; i-- {
		if s := e.idle[i]; s.memory.room() >= room {
			e.idle = append(e.idle[:i], e.idle[i+1:]...)
			e.mu.Unlock()
			return s, nil
		}
	}
	e.mu.Unlock()
	m, err := e.newMemory(max(room, uint64(Defaults().MemoryBytes)))
	if err != nil {
		return nil, err
	}
	return newSlot(e.code, e.guest, m)
}

func (e *Engine) newMemory(room uint64) (memory, error) {
	if e.copy {
		return newCopied(e.image), nil
	}
	return newMapping(e.image, e.pager, max(room, e.image.bytes))
}

// put takes a slot back: restored for another run if it can be, else freed.
func (e *Engine) put(s *slot, spoiled bool) {
	if !spoiled && s.restore() {
		e.mu.Lock()
		keep := len(e.idle) < e.keep && !e.closed
		if keep {
			e.idle = append(e.idle, s)
		}
		e.mu.Unlock()
		if keep {
			return
		}
	}
	s.close()
}

// left is called when an instance has been closed. The last one of a closed engine turns the light off.
func (e *Engine) left() {
	e.mu.Lock()
	e.live--
	last := e.closed && e.live == 0
	e.mu.Unlock()
	if last {
		e.free()
	}
}

// running notes that a run begins, and how to cancel it. The run calls leave at its end.
func (e *Engine) running(cancel context.CancelFunc) (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	e.runs[&cancel] = struct{}{}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.runs, &cancel)
		e.settled.Broadcast()
	}, nil
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Close cancels the runs, whose error is then ErrClosed, waits for them to end, and frees everything. It must not be
// called from a Host. Instances that Start returned and that are not closed yet stay usable for Close only.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	for cancel := range e.runs {
		(*cancel)()
	}
	for len(e.runs) > 0 {
		e.settled.Wait()
	}
	idle := e.idle
	e.idle = nil
	e.live++ // Close itself
	e.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
	e.left()
	return nil
}

func (e *Engine) free() {
	e.code.close()
	e.image.close()
	e.pager.close()
}
