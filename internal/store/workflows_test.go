package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestVersions(t *testing.T) {
	s := temp(t, Options{})
	base := NewVersion{Name: "report", Description: "first", Code: "one", Inputs: raw(`{"type": "object", "x": 1.0}`), Pins: testPins}
	put := func(change func(v *NewVersion)) Saved {
		t.Helper()
		v := base
		v.Pins = slices.Clone(testPins)
		change(&v)
		saved := must[Saved](t)(s.SaveVersion(v))
		if saved.FileError != nil {
			t.Error(saved.FileError)
		}
		if b := must[[]byte](t)(os.ReadFile(saved.File)); string(b) != v.Code {
			t.Errorf("%s has %q", saved.File, b)
		}
		return saved
	}
	first := put(func(v *NewVersion) {})
	if !first.Created || !first.New || !first.Moved || !strings.HasPrefix(first.Digest, first.Version) || len(first.Version) != 16 || len(first.Digest) != 64 {
		t.Errorf("%+v", first)
	}
	// What is the same content, however it is written.
	for name, change := range map[string]func(v *NewVersion){
		"as it was":       func(v *NewVersion) {},
		"schema reformed": func(v *NewVersion) { v.Inputs = raw("{\"x\":1,\n \"type\":\"obj\\u0065ct\"}") },
		"pins reordered":  func(v *NewVersion) { slices.Reverse(v.Pins) },
		"pins reworded":   func(v *NewVersion) { v.Pins[0].InputSchema = raw(`{"type":"object","title":"T"}`) },
		"described anew":  func(v *NewVersion) { v.Description = "second" },
		"null as outputs": func(v *NewVersion) { v.Outputs = raw("null") },
	} {
		again := put(change)
		if again.Created || again.New || again.Moved || again.VersionID != first.VersionID {
			t.Errorf("%s: %+v", name, again)
		}
	}
	// What is other content.
	ids := map[string]string{first.VersionID: "first"}
	for name, change := range map[string]func(v *NewVersion){
		"code":       func(v *NewVersion) { v.Code = "one " },
		"inputs":     func(v *NewVersion) { v.Inputs = raw(`{"type": "object", "x": 2}`) },
		"outputs":    func(v *NewVersion) { v.Outputs = raw("true") },
		"pin digest": func(v *NewVersion) { v.Pins[0].Digest = "d9" },
		"pin risk":   func(v *NewVersion) { v.Pins[1].Risk = SideEffect },
		"pin tool":   func(v *NewVersion) { v.Pins[1].Tool = "read-file" },
		"fewer pins": func(v *NewVersion) { v.Pins = v.Pins[1:] },
	} {
		other := put(change)
		if other.Created || !other.New || !other.Moved || ids[other.VersionID] != "" {
			t.Errorf("%s: %+v, %v", name, other, ids)
		}
		ids[other.VersionID] = name
	}
	// An older text becomes the latest again.
	if again := put(func(v *NewVersion) { v.Description = "" }); again.New || !again.Moved || again.VersionID != first.VersionID {
		t.Errorf("%+v", again)
	}
	w := must[Workflow](t)(s.Workflow("report"))
	if w.LatestID != first.VersionID || w.Versions != len(ids) || w.Description == "" || w.LastRun != nil {
		t.Errorf("%+v", w)
	}

	v := must[Version](t)(s.Version(w.ID, ""))
	want := Version{ID: first.VersionID, Version: first.Version, Digest: first.Digest, WorkflowID: w.ID, Name: "report", Latest: true,
		CreatedAt: v.CreatedAt, Code: "one", Inputs: base.Inputs, Pins: sortedPins(testPins), File: first.File}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	for _, ref := range []string{first.VersionID, first.Version, first.Digest, first.Digest[:6]} {
		if got := must[Version](t)(s.Version("report", ref)); got.ID != v.ID {
			t.Errorf("%s is %s", ref, got.ID)
		}
	}
	if got := must[Version](t)(s.VersionByID(first.VersionID)); got.ID != v.ID {
		t.Errorf("%+v", got)
	}
	list := must[[]Version](t)(s.Versions("report"))
	if len(list) != len(ids) || list[0].ID != first.VersionID || !list[0].Latest || list[1].Latest || list[0].Code != "" || list[0].Inputs != nil {
		t.Errorf("%+v", list)
	}
	for _, ref := range []string{"", "x", "wv_000000000000", "ffffffffffffffff", first.Digest + "0", "abc", "none", "%", "____"} {
		if ref == "" {
			continue
		}
		_, err := s.Version("report", ref)
		wantCode(t, err, "unknown-version")
	}
	_, err := s.Version("other", "")
	wantCode(t, err, "unknown-workflow")
	for _, name := range []string{"", "../x", "Report", "-x", "x\n", "x/y", "ä", strings.Repeat("x", 64)} {
		v := base
		v.Name = name
		_, err := s.SaveVersion(v)
		wantCode(t, err, "bad-name")
	}
	bad := base
	bad.Inputs = raw("{")
	if _, err := s.SaveVersion(bad); err == nil {
		t.Error("a schema that is not JSON was stored")
	}
	undamaged(t, s)
}

func TestEdits(t *testing.T) {
	s := temp(t, Options{})
	first := save(t, s, "report", "one")
	v := NewVersion{Name: "report", Code: "two", Inputs: raw("{}"), Edits: first.VersionID}
	second := must[Saved](t)(s.SaveVersion(v))
	v.Code = "three"
	_, err := s.SaveVersion(v)
	wantCode(t, err, "workflow-changed")
	v.Edits = second.VersionID
	must[Saved](t)(s.SaveVersion(v))
	v.Name = "gone"
	_, err = s.SaveVersion(v)
	wantCode(t, err, "workflow-changed")
	if w := must[Workflow](t)(s.Workflow("report")); w.Versions != 3 || w.Description != "about report" {
		t.Errorf("%+v", w)
	}
}

func TestPrograms(t *testing.T) {
	s := temp(t, Options{})
	saved := save(t, s, "report", "one")
	p := must[*Program](t)(s.Program(saved.VersionID, "g1"))
	if diff := cmp.Diff(&Program{Guest: "g1", Code: []byte("\x00\xffone"), Fuel: 7}, p); diff != "" {
		t.Error(diff)
	}
	if p := must[*Program](t)(s.Program(saved.VersionID, "g2")); p != nil {
		t.Errorf("%+v", p)
	}
	ok(t, s.SaveProgram(saved.VersionID, Program{Guest: "g2", Code: []byte("x")}))
	ok(t, s.SaveProgram(saved.VersionID, Program{Guest: "g2", Code: []byte("y")}))
	if p := must[*Program](t)(s.Program(saved.VersionID, "g2")); string(p.Code) != "x" {
		t.Errorf("%+v", p)
	}
	wantCode(t, s.SaveProgram("wv_x", Program{Guest: "g"}), "unknown-version")
}

func TestFileTrouble(t *testing.T) {
	dir := t.TempDir()
	files := filepath.Join(dir, "texts")
	ok(t, os.WriteFile(files, nil, 0o600)) // in the way
	s := open(t, filepath.Join(dir, "runlace.db"), Options{Files: files})
	saved := save(t, s, "report", "one")
	if saved.FileError == nil {
		t.Error("the file was written")
	}
	if v := must[Version](t)(s.Version("report", "")); v.Code != "one" {
		t.Errorf("%+v", v)
	}
	ok(t, os.Remove(files))
	if saved := save(t, s, "report", "one"); saved.FileError != nil || saved.New {
		t.Errorf("%+v", saved)
	}
	entries := must[[]os.DirEntry](t)(os.ReadDir(filepath.Join(files, "report")))
	if len(entries) != 1 || entries[0].Name() != saved.Version+".py" {
		t.Errorf("%v", entries)
	}
}

func TestLists(t *testing.T) {
	s := temp(t, Options{})
	b, a := save(t, s, "b", "one"), save(t, s, "a", "one")
	var ids []string
	run := func(version string, mode Mode, status RunStatus) string {
		j := start(t, s, version, mode)
		ok(t, j.Finish(Finish{Status: status}))
		ids = append(ids, j.Run().ID)
		return j.Run().ID
	}
	run(b.VersionID, Live, Completed)
	last := run(b.VersionID, Live, Failed)
	run(b.VersionID, Dry, Completed)
	run(b.VersionID, Replay, Completed)
	run(a.VersionID, Dry, Completed)
	ws := must[[]Workflow](t)(s.Workflows())
	if len(ws) != 2 || ws[0].Name != "a" || ws[1].Name != "b" {
		t.Fatalf("%+v", ws)
	}
	if ws[0].LastRun != nil { // dry runs do not count
		t.Errorf("%+v", ws[0].LastRun)
	}
	if l := ws[1].LastRun; l == nil || l.ID != last || l.Status != Failed || l.At.IsZero() {
		t.Errorf("%+v", l)
	}
	refused := must[Run](t)(s.RefuseRun(NewRun{Version: a.VersionID, Mode: Live}, "inputs", raw(`{"code":"invalid-inputs"}`)))
	ids = append(ids, refused.ID)
	if l := must[Workflow](t)(s.Workflow("a")).LastRun; l == nil || l.ID != refused.ID { // refusals do
		t.Errorf("%+v", l)
	}

	names := func(f RunFilter) string {
		t.Helper()
		var out []string
		for _, r := range must[[]Run](t)(s.Runs(f)) {
			out = append(out, fmt.Sprint(slices.Index(ids, r.ID)))
			if r.Inputs != nil || r.Log != "" {
				t.Errorf("a list has payloads: %+v", r)
			}
		}
		return strings.Join(out, " ")
	}
	for _, test := range []struct {
		f    RunFilter
		want string
	}{
		{RunFilter{}, "5 4 3 2 1 0"},
		{RunFilter{Limit: 2}, "5 4"},
		{RunFilter{Limit: 2, Before: ids[4]}, "3 2"},
		{RunFilter{Workflow: "b"}, "3 2 1 0"},
		{RunFilter{Workflow: b.WorkflowID, Statuses: []RunStatus{Failed}}, "1"},
		{RunFilter{Statuses: []RunStatus{Failed, Running}}, "5 1"},
		{RunFilter{Modes: []Mode{Dry, Replay}}, "4 3 2"},
		{RunFilter{Modes: []Mode{Dry}, Workflow: "b", Before: ids[2]}, ""},
	} {
		if got := names(test.f); got != test.want {
			t.Errorf("%+v: %s, want %s", test.f, got, test.want)
		}
	}
	_, err := s.Runs(RunFilter{Workflow: "c"})
	wantCode(t, err, "unknown-workflow")
	_, err = s.Runs(RunFilter{Before: "run_x"})
	wantCode(t, err, "unknown-run")
	if users := must[[]string](t)(s.Users("files", "write-file")); !slices.Equal(users, []string{"a", "b"}) {
		t.Error(users)
	}
	if users := must[[]string](t)(s.Users("files", "write_file")); users != nil {
		t.Error(users)
	}
	n := must[Counts](t)(s.Counts())
	if diff := cmp.Diff(Counts{Workflows: 2, Versions: 2, Runs: map[RunStatus]int{Completed: 4, Failed: 2}}, n); diff != "" {
		t.Error(diff)
	}
}

func TestDelete(t *testing.T) {
	s := temp(t, Options{})
	folder := func() string { return filepath.Join(filepath.Dir(s.Path()), "workflows", "report") }

	// One that never ran leaves nothing.
	save(t, s, "report", "one")
	save(t, s, "report", "two")
	d := must[Deleted](t)(s.Delete("report"))
	if d.Runs != 0 || d.FileError != nil {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(folder()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
	rows := 0
	ok(t, s.view(func(c *conn) error {
		_, err := c.one(func(r row) { rows = r.int(0) }, `SELECT (SELECT count(*) FROM workflows) + (SELECT count(*) FROM versions) +
			(SELECT count(*) FROM pins) + (SELECT count(*) FROM programs)`)
		return err
	}))
	if rows != 0 {
		t.Errorf("%d rows are left", rows)
	}

	// One that ran leaves its runs and what they ran.
	unused := save(t, s, "report", "one")
	saved := save(t, s, "report", "two")
	for _, status := range RunStatuses() {
		if status.Final() {
			continue
		}
		id := reach(t, s, saved.VersionID, status)
		_, err := s.Delete("report")
		wantCode(t, err, "workflow-busy")
		if !strings.Contains(err.Error(), id+" ("+string(status)+")") {
			t.Error(err)
		}
		if status == Running {
			j := &Journal{s: s, num: must[int64](t)(num(s, id)), run: must[Run](t)(s.Run(id))}
			ok(t, j.Finish(Finish{Status: Cancelled}))
		} else {
			must[Run](t)(s.Move(id, Cancelled, nil))
		}
	}
	j := start(t, s, saved.VersionID, Live)
	ok(t, j.Intent(read(1), false))
	ok(t, j.Outcome(1, answered))
	ok(t, j.Finish(Finish{Status: Completed}))
	ok(t, os.WriteFile(filepath.Join(folder(), "notes.txt"), nil, 0o600)) // somebody's
	d = must[Deleted](t)(s.Delete("report"))
	if d.Runs != 7 || d.WorkflowID != saved.WorkflowID {
		t.Errorf("%+v", d)
	}
	if entries := must[[]os.DirEntry](t)(os.ReadDir(folder())); len(entries) != 1 || entries[0].Name() != "notes.txt" {
		t.Errorf("%v", entries)
	}
	_, err := s.Workflow("report")
	wantCode(t, err, "unknown-workflow")
	_, err = s.Delete("report")
	wantCode(t, err, "unknown-workflow")
	run := must[Run](t)(s.Run(j.Run().ID))
	if run.Workflow != "report" || run.Steps != 1 {
		t.Errorf("%+v", run)
	}
	if v := must[Version](t)(s.VersionByID(run.VersionID)); v.Code != "two" || len(v.Pins) != 2 || v.Latest {
		t.Errorf("%+v", v)
	}
	_, err = s.VersionByID(unused.VersionID)
	wantCode(t, err, "unknown-version")
	if n := len(must[[]Run](t)(s.Runs(RunFilter{Workflow: d.WorkflowID}))); n != 7 {
		t.Errorf("%d runs by the id", n)
	}

	// The name is free.
	again := save(t, s, "report", "two")
	if !again.Created || again.WorkflowID == saved.WorkflowID || again.VersionID == saved.VersionID || again.Digest != saved.Digest {
		t.Errorf("%+v", again)
	}
	if n := len(must[[]Run](t)(s.Runs(RunFilter{Workflow: "report"}))); n != 0 {
		t.Errorf("the new one has %d runs", n)
	}
	must[Deleted](t)(s.Delete(again.WorkflowID))
	undamaged(t, s)
}

func TestCatalogue(t *testing.T) {
	s := temp(t, Options{})
	one := Tool{Name: "read_file", Title: "T", Description: "D", InputSchema: raw(`{"type": "object"}`), OutputSchema: raw(`{"x": 1.0}`),
		Annotations: raw(`{"readOnlyHint":true}`), Risk: ReadOnly, Digest: "d1", Detail: "untyped"}
	two := Tool{Name: "write-file", Risk: SideEffect, Digest: "d2"}
	three := Tool{Name: "write_file", Risk: SideEffect, Digest: "d3"}
	files := Connector{Name: "files", Transport: "stdio", Server: raw(`{"name":"srv"}`)}
	put := func(want CatalogueChange, tools ...Tool) {
		t.Helper()
		if diff := cmp.Diff(want, must[CatalogueChange](t)(s.SaveTools(files, tools, false)), cmpopts.IgnoreFields(want, "Before")); diff != "" {
			t.Error(diff)
		}
	}
	put(CatalogueChange{Added: []string{"read_file", "write-file"}}, one, two)
	first := must[[]Tool](t)(s.Tools("files"))
	want := one
	want.Connector, want.DiscoveredAt, want.SeenAt = "files", first[0].DiscoveredAt, first[0].SeenAt
	if diff := cmp.Diff(want, first[0]); diff != "" {
		t.Error(diff)
	}
	two.Digest = "d2b"
	put(CatalogueChange{Added: []string{"write_file"}, Changed: []string{"write-file"}}, three, two, one)
	second := must[[]Tool](t)(s.Tools(""))
	if len(second) != 3 || !second[0].DiscoveredAt.Equal(first[0].DiscoveredAt) || !second[0].SeenAt.After(first[0].SeenAt) || !second[1].DiscoveredAt.After(first[1].DiscoveredAt) {
		t.Errorf("%+v", second)
	}
	put(CatalogueChange{Removed: []string{"write-file"}}, one, three)
	put(CatalogueChange{}, three, one)

	// A server that is down keeps its tools.
	ok(t, s.SaveUnavailable(Connector{Name: "files", Transport: "stdio", Status: ConnectorUnreachable, Detail: "it does not start"}))
	ok(t, s.SaveUnavailable(Connector{Name: "never", Transport: "http", Status: ConnectorSkipped, Detail: "TOKEN is not set"}))
	cs := must[[]Connector](t)(s.Connectors())
	if len(cs) != 2 || cs[0].Status != ConnectorUnreachable || cs[0].Tools != 2 || cs[0].Detail != "it does not start" || cs[0].DiscoveredAt.IsZero() ||
		!cs[0].CheckedAt.After(cs[0].DiscoveredAt) || string(cs[0].Server) != `{"name":"srv"}` || cs[1].Status != ConnectorSkipped || !cs[1].DiscoveredAt.IsZero() {
		t.Errorf("%+v", cs)
	}
	for _, tool := range must[[]Tool](t)(s.Tools("files")) {
		if !tool.Stale {
			t.Errorf("%+v", tool)
		}
	}
	if n := must[Counts](t)(s.Counts()); n.Tools != 2 || n.StaleTools != 2 || n.Connectors != 2 {
		t.Errorf("%+v", n)
	}
	put(CatalogueChange{}, one, three)
	if must[[]Tool](t)(s.Tools("files"))[0].Stale {
		t.Error("it is back, and its tools are stale")
	}

	// One that has none at all of a sudden is in trouble.
	_, err := s.SaveTools(files, nil, false)
	wantCode(t, err, "catalogue-emptied")
	if tools := must[[]Tool](t)(s.Tools("files")); len(tools) != 2 || !tools[0].Stale {
		t.Errorf("%+v", tools)
	}
	if diff := cmp.Diff(CatalogueChange{Removed: []string{"read_file", "write_file"}}, must[CatalogueChange](t)(s.SaveTools(files, nil, true)), cmpopts.IgnoreFields(CatalogueChange{}, "Before")); diff != "" {
		t.Error(diff)
	}
	put(CatalogueChange{})
	if _, err := s.SaveTools(files, []Tool{one, one}, false); err == nil {
		t.Error("a tool was stored twice")
	}
	if err := s.SaveUnavailable(Connector{Name: "files", Transport: "stdio", Status: ConnectorOK, Detail: ""}); err == nil {
		t.Error("it is unavailable and ok")
	}
	put(CatalogueChange{Added: []string{"read_file"}}, one)
	ok(t, s.RemoveConnector("files"))
	ok(t, s.RemoveConnector("files"))
	if tools := must[[]Tool](t)(s.Tools("")); tools != nil {
		t.Errorf("%+v", tools)
	}
	undamaged(t, s)
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : 1 , "a" : [ ] , "B" : { } } `: `{"B":{},"a":[],"b":1}`,
		`"\u00e4\/<>&\u2028\ud83d\ude00\n\t"`:   "\"ä/<>&\\u2028😀\\n\\t\"",
		`{"é":1,"z":2,"𐀀":3,"\uffff":4}`:        "{\"z\":2,\"é\":1,\"\uffff\":4,\"𐀀\":3}",
		`[true,false,null]`:                     `[true,false,null]`,
		`[1.0,1e0,10e-1,100E-2,1,0.1e1]`:        `[1,1,1,1,1,1]`,
		`[-0,0.0,-0e5,0]`:                       `[0,0,0,0]`,
		`[1.50,-1.5,0.001,1e-3,1e3,1.25e1]`:     `[1.5,-1.5,0.001,0.001,1000,12.5]`,
		`[1915883588174806058,1e29,1e30,1e-40]`: `[1915883588174806058,100000000000000000000000000000,1e30,1e-40]`,
		`1234567890123456789012345678901.5`:     `12345678901234567890123456789015e-1`,
	} {
		got, err := Canonical(raw(in))
		if err != nil || string(got) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", in, got, err, want)
		}
		again, err := Canonical(got)
		if err != nil || string(again) != want {
			t.Errorf("%s is not its own canonical form: %s, %v", got, again, err)
		}
	}
	for _, in := range []string{"", "{", "[1,]", "1 2", `{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, "nul", "1e99999999999", "01", "{1:2}"} {
		if got, err := Canonical(raw(in)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%s gave %s, %v", in, got, err)
		}
	}
}

// A number's canonical form has its value, and only its value.
func TestCanonicalNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := ""
		if r.IntN(2) == 0 {
			text = "-"
		}
		digits := func(n int) {
			for range n {
				text += string(rune('0' + r.IntN(3)))
			}
		}
		if n := r.IntN(4); n == 0 {
			text += "0"
		} else {
			text += "1"
			digits(r.IntN(35))
		}
		if r.IntN(2) == 0 {
			text += "."
			digits(1 + r.IntN(35))
		}
		if r.IntN(2) == 0 {
			text += fmt.Sprintf("e%+d", r.IntN(80)-40)
		}
		if !json.Valid([]byte(text)) {
			t.Fatal(text)
		}
		got, err := canonicalNumber(text)
		a, okA := new(big.Rat).SetString(text)
		b, okB := new(big.Rat).SetString(got)
		if err != nil || !okA || !okB || a.Cmp(b) != 0 || !json.Valid([]byte(got)) {
			t.Fatalf("%s became %s, %v", text, got, err)
		}
		// The same value written otherwise.
		other := text
		if !strings.ContainsAny(other, "e.") {
			other += ".000e0"
		}
		if again, _ := canonicalNumber(other); again != got {
			t.Fatalf("%s is %s, and %s is %s", text, got, other, again)
		}
	}
}

func TestExpiryOfLease(t *testing.T) {
	c := newClock()
	s := temp(t, Options{Now: c.now, Lease: time.Minute})
	j := start(t, s, save(t, s, "report", "code").VersionID, Live)
	before := must[Run](t)(s.Run(j.Run().ID)).Executor.LeaseUntil
	ok(t, j.Beat())
	after := must[Run](t)(s.Run(j.Run().ID)).Executor.LeaseUntil
	if !after.After(before) || after.Sub(before) > 10*time.Second {
		t.Errorf("%v, then %v", before, after)
	}
}
