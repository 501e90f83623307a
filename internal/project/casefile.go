package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema/ordered"
)

const (
	// LargeResult is the size from which a result stands in a file beside the case.
	LargeResult = 16 << 10
	// MaxCase is how large a case may be that is written, with the files beside it: it goes into a repository.
	MaxCase = 16 << 20
)

// Write writes the case, and large results into files beside it; it returns which files it has written. A case that is there already is not touched
// without force; with force, its comment at the top stays, and so does probe. One that makes steps fail is somebody's work, and stays in any case.
func (c *Case) Write(force bool) (files []string, err error) {
	head, probe := []byte(nil), c.Probe
	if old, err := readFile(c.File); err == nil {
		if !force {
			return nil, fault.New("file-exists", "the case %s is there already, in %s", c.Name, c.File)
		}
		before, found, err := readCase(c.File, c.Workflow, c.Name)
		switch {
		case err != nil:
			return nil, err
		case len(found) > 0:
			return nil, AsError(found[0])
		case len(before.Fails) > 0 && len(c.Fails) == 0:
			return nil, fault.New("file-exists", "the case %s makes steps fail, which a recording cannot: it is not overwritten", c.Name).WithHint("give the recording another name with --case")
		}
		head, probe = comment(old), before.Probe
	}
	dir := filepath.Join(filepath.Dir(c.File), c.Name)
	body, beside := c.text(probe)
	size := len(body)
	for _, b := range beside {
		size += len(b)
	}
	if size > MaxCase {
		return nil, fault.New("not-recordable", "the case %s would take %d bytes, and %d are the most that is written", c.Name, size, MaxCase).WithHint("give it inputs that lead to less data")
	}
	if err := sweep(dir, len(beside)); err != nil {
		return nil, err
	}
	for i, b := range beside {
		file := filepath.Join(dir, strconv.Itoa(i+1)+".json")
		if _, err := Replace(file, b); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for _, w := range c.Warnings {
		head = append(head, warning+w+"\n"...)
	}
	if _, err := Replace(c.File, append(head, body...)); err != nil {
		return nil, err
	}
	return append([]string{c.File}, files...), nil
}

// warning begins a line of the comment at the top of a case that a recording has put there.
const warning = "# warning: "

// comment is the comment that a file begins with, without the warnings of an older recording.
func comment(text []byte) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("#")) {
			break
		}
		if !bytes.HasPrefix(line, []byte(warning)) {
			out = append(out, line...)
		}
	}
	return out
}

var numbered = regexp.MustCompile(`\A[1-9][0-9]*\.json\z`)

// sweep removes the files of an older recording of which the new one has fewer.
func sweep(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none
	}
	for _, e := range entries {
		if n, _ := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json")); numbered.MatchString(e.Name()) && n > keep && e.Type() == fs.FileMode(0) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return fault.New("unwritable-file", "%s cannot be removed", filepath.Join(dir, e.Name())).WithDetail(err)
			}
		}
	}
	if keep == 0 {
		_ = os.Remove(dir) // unless there is something else in it
	}
	return nil
}

// text is the case's file, and the files beside it.
func (c *Case) text(probe bool) (text []byte, beside [][]byte) {
	entries := []Entry{{"inputs", c.Inputs}}
	if c.Seed != DefaultSeed {
		entries = append(entries, Entry{"seed", json.RawMessage(strconv.FormatUint(c.Seed, 10))})
	}
	if !c.At.Equal(DefaultAt()) {
		entries = append(entries, Entry{"at", ordered.NewString(c.At.UTC().Format(time.RFC3339Nano)).JSON()})
	}
	if !probe {
		entries = append(entries, Entry{"probe", json.RawMessage("false")})
	}
	for _, list := range []struct {
		key   string
		calls []Call
	}{{"answers", c.Answers}, {"acts", c.Acts}} {
		if len(list.calls) == 0 {
			continue
		}
		items := ordered.NewArray()
		for _, call := range list.calls {
			items.Items = append(items.Items, c.entry(call, &beside))
		}
		entries = append(entries, Entry{list.key, items.JSON()})
	}
	if c.Failure != nil {
		entries = append(entries, Entry{"error", failureJSON(c.Failure, c.Line)})
	} else {
		entries = append(entries, Entry{"output", c.Output})
	}
	if len(c.Fails) > 0 {
		items := ordered.NewArray()
		for _, f := range c.Fails {
			items.Items = append(items.Items, f.entry())
		}
		entries = append(entries, Entry{"fail", items.JSON()})
	}
	return Text(entries...), beside
}

// entry is a call as a case has it. Large results go beside it, if beside is not nil.
func (c *Case) entry(call Call, beside *[][]byte) *ordered.Value {
	o := ordered.NewObject()
	name := ordered.NewString(call.Tool.String())
	if strings.Contains(call.Tool.Connector, ".") {
		name = ordered.NewObject()
		name.Set("connector", ordered.NewString(call.Tool.Connector))
		name.Set("tool", ordered.NewString(call.Tool.Tool))
	}
	o.Set("call", name)
	o.Set("arguments", parsed(call.Arguments))
	switch {
	case call.Err != nil:
		o.Set("error", parsed(failureJSON(call.Err, 0)))
	case beside == nil && call.ResultFile != "": // it is there, and stays there
		o.Set("result_file", ordered.NewString(call.ResultFile))
	case beside != nil && len(call.Result) > LargeResult:
		var b bytes.Buffer
		if err := json.Indent(&b, bytes.TrimSpace(call.Result), "", "  "); err != nil {
			b.Reset()
			b.Write(call.Result)
		}
		b.WriteByte('\n')
		*beside = append(*beside, b.Bytes())
		o.Set("result_file", ordered.NewString(fmt.Sprintf("%s/%d.json", c.Name, len(*beside))))
	case call.Result != nil:
		o.Set("result", parsed(call.Result))
	}
	if call.Elapsed > 0 {
		o.Set("elapsed", ordered.NewString(call.Elapsed.String()))
	}
	return o
}

// entry is a step that fails as a case has it.
func (f Fail) entry() *ordered.Value {
	o := ordered.NewObject()
	o.Set("step", ordered.NewInt(f.Step))
	if f.Err != nil {
		o.Set("error", parsed(failureJSON(f.Err, 0)))
	}
	if f.Timeout {
		o.Set("timeout", ordered.NewBool(true))
	}
	if f.Malformed {
		o.Set("malformed", ordered.NewBool(true))
	}
	if f.Result != nil {
		o.Set("result", parsed(f.Result))
	}
	return o
}

// failureJSON is a failure as a case has it.
func failureJSON(e *hostfuncs.Error, line int) json.RawMessage {
	o := ordered.NewObject()
	o.Set("code", ordered.NewString(e.Code))
	if line > 0 {
		o.Set("line", ordered.NewInt(line))
	}
	if e.Message != "" {
		o.Set("message", ordered.NewString(e.Message))
	}
	if len(e.Data) > 0 && line == 0 {
		o.Set("data", parsed(e.Data))
	}
	return o.JSON()
}
