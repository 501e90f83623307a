package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/runlace/runlace/internal/fault"
)

func faultCode(err error) string {
	f := (*fault.Error)(nil)
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

// Bytes come back as they were put, and only to the run that was given them.
func TestBlobs(t *testing.T) {
	s := temp(t, Options{})
	version := save(t, s, "report", "code").VersionID
	a, b := start(t, s, version, Live), start(t, s, version, Live)
	for _, data := range [][]byte{nil, []byte("text"), bytes.Repeat([]byte("again "), 1<<16), {0, 255, 0, 254}} {
		digest := must[string](t)(a.PutBlob(data))
		if got := must[[]byte](t)(a.Blob(digest)); !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d", len(data), len(got))
		}
		if _, err := b.Blob(digest); faultCode(err) != "unknown-blob" {
			t.Errorf("another run reads it: %v", err)
		}
	}
	if _, err := s.Blob(strings.Repeat("0", 64)); faultCode(err) != "unknown-blob" {
		t.Error(err)
	}
}

// Large payloads are stored by their content, once, and read as if they were not.
func TestSpill(t *testing.T) {
	s := temp(t, Options{})
	version := save(t, s, "report", "code").VersionID
	big := must[json.RawMessage](t)(marshal(strings.Repeat("0123456789", 1<<14)))
	j := start(t, s, version, Live)
	for seq := 1; seq <= 3; seq++ {
		n := NewStep{Seq: seq, Connector: "files", Tool: "copy", Risk: ReadOnly, Arguments: raw(`{"text":` + string(big) + `}`)}
		if err := errors.Join(j.Intent(n, false), j.Outcome(seq, Outcome{State: StepOK, Result: big})); err != nil {
			t.Fatal(err)
		}
		if st := must[Step](t)(s.Step(j.Run().ID, seq)); string(st.Arguments) != string(n.Arguments) || string(st.Result) != string(big) {
			t.Errorf("step %d has %d and %d bytes", seq, len(st.Arguments), len(st.Result))
		}
	}
	if err := j.Finish(Finish{Status: Completed, Output: big}); err != nil {
		t.Fatal(err)
	}
	if r := must[Run](t)(s.Run(j.Run().ID)); string(r.Output) != string(big) {
		t.Errorf("the output has %d bytes", len(r.Output))
	}
	blobs := 0
	if err := s.view(func(c *conn) error {
		_, err := c.one(func(r row) { blobs = r.int(0) }, "SELECT count(*) FROM blobs")
		return err
	}); err != nil || blobs != 2 {
		t.Errorf("%d blobs, %v", blobs, err)
	}
}

// Pruning takes what is over and old, and no byte that something still refers to.
func TestPrune(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := temp(t, Options{Now: func() time.Time { return now }})
	version := save(t, s, "report", "code").VersionID
	big := must[json.RawMessage](t)(marshal(strings.Repeat("x", 1<<16)))
	end := func(status RunStatus, output json.RawMessage) string {
		j := start(t, s, version, Live)
		if err := j.Finish(Finish{Status: status, Output: output, Error: raw(`{"code":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		return j.Run().ID
	}
	gone, open := end(Completed, big), end(Interrupted, nil)
	now = now.Add(48 * time.Hour)
	young := end(Completed, big)
	cutoff := now.Add(-24 * time.Hour)
	if p := must[Pruned](t)(s.Prune(cutoff, true)); p.Runs != 1 {
		t.Errorf("would prune %+v", p)
	}
	if p := must[Pruned](t)(s.Prune(cutoff, false)); p.Runs != 1 || p.Blobs != 0 {
		t.Errorf("pruned %+v", p)
	}
	if _, err := s.Run(gone); faultCode(err) != "unknown-run" {
		t.Error(err)
	}
	if r := must[Run](t)(s.Run(young)); string(r.Output) != string(big) {
		t.Error("bytes that are still used are gone")
	}
	must[Run](t)(s.Run(open))
	now = now.Add(48 * time.Hour)
	if p := must[Pruned](t)(s.Prune(now, false)); p.Runs != 1 || p.Blobs != 1 || p.Bytes == 0 {
		t.Errorf("pruned %+v", p)
	}
	if damage := must[string](t)(s.Check()); damage != "" {
		t.Error(damage)
	}
}
