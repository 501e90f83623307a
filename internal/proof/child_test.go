package proof_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/connector/connectortest"
	"github.com/runlace/runlace/internal/engine"
)

// taskVariable makes this test binary a process with a task.
const taskVariable = "RUNLACE_PROOF_TASK"

// task is what such a process does.
type task struct {
	Do       string          `json:"do"` // run, resume or replay
	Place    place           `json:"place"`
	Workflow string          `json:"workflow,omitempty"`
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	Runs     []string        `json:"runs,omitempty"`
	Times    int             `json:"times,omitempty"`
	Stay     bool            `json:"stay,omitempty"` // does not end by itself
}

// said is a line that such a process says.
type said struct {
	Event  string         `json:"event"`
	Run    string         `json:"run,omitempty"`
	Replay *engine.Replay `json:"replay,omitempty"`
	Error  string         `json:"error,omitempty"`
}

func TestMain(m *testing.M) {
	if text := os.Getenv(taskVariable); text != "" {
		say := json.NewEncoder(os.Stdout)
		if err := child(text, func(s said) { _ = say.Encode(s) }); err != nil {
			_ = say.Encode(said{Event: "failed", Error: err.Error()})
			os.Exit(1)
		}
		os.Exit(0)
	}
	connectortest.Main(m)
}

func child(text string, say func(said)) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	e, err := t.Place.open()
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	observe := func(ev engine.Event) { say(said{Event: ev.Kind, Run: ev.Run}) }
	ctx := context.Background()
	var r *engine.Run
	switch t.Do {
	case "run":
		r, err = e.Run(ctx, engine.Request{Workflow: t.Workflow, Inputs: t.Inputs, Confirm: true, Observe: observe})
	case "resume":
		r, err = e.Resume(ctx, t.Runs[0], engine.ResumeOptions{Observe: observe})
	case "replay":
		return replays(e, t, say)
	}
	if err != nil {
		return err
	}
	say(said{Event: string(r.Status), Run: r.ID, Error: r.Error})
	if t.Stay {
		time.Sleep(time.Hour)
	}
	return nil
}

// replays tells of each run what its last replay came to, or the first that is not as it has to be.
func replays(e *engine.Engine, t task, say func(said)) error {
	for _, id := range t.Runs {
		for n := range t.Times {
			r, err := e.Replay(context.Background(), id, nil)
			if err != nil {
				return err
			}
			if good := r.Identical && r.Complete && r.FuelTold; !good || n == t.Times-1 {
				r.Calls = nil // they are counted
				say(said{Event: "replayed", Run: id, Replay: r})
				break
			}
		}
	}
	return nil
}

// process is such a process, from outside.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan said // closed when it has ended
}

// begin starts a process: binary, if it is given, in place of this one, under the programs of prefix.
func begin(t *testing.T, k task, binary ...string) *process {
	t.Helper()
	if len(binary) == 0 {
		binary = []string{os.Args[0]}
	}
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary[0], append(binary[1:], k.Place.Home)...) // the argument says for which home it is
	cmd.Env = append(os.Environ(), taskVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, cmd, make(chan said, 1000)}
	go func() {
		defer close(p.lines)
		for sc := bufio.NewReaderSize(out, 1<<20); ; {
			line, err := sc.ReadBytes('\n')
			if err != nil {
				return // it has ended, perhaps within a line
			}
			var s said
			if err := json.Unmarshal(line, &s); err != nil {
				s = said{Event: "failed", Error: fmt.Sprintf("%v: %s", err, line)}
			}
			p.lines <- s
		}
	}()
	return p
}

// kill ends the process as kill -9 does, and returns what it has said besides.
func (p *process) kill() []said {
	_ = p.cmd.Process.Kill() // it may have ended
	return p.wait()
}

// wait waits for the end.
func (p *process) wait() (rest []said) {
	for s := range p.lines {
		rest = append(rest, s)
	}
	_ = p.cmd.Wait() // how it has ended shows in what it said
	return rest
}
