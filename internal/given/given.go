// Package given reads what a command line gives to a run: files, inputs, a seed and a time. Its errors name the flag and are for the
// user.
//
//	in := given.In{Stdin: os.Stdin}
//	code, err := in.File(ctx, "report.py")
//	object, err := in.Inputs(ctx, "inputs.json", []string{"month=2026-01"})
package given

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/inputs"
)

// maxFile bounds what is read into memory. The limits of a run are far below it.
const maxFile = 256 << 20

// In is where a name of - is read from.
type In struct{ Stdin io.Reader }

// File reads a file, or standard input if name is -.
func (in In) File(ctx context.Context, name string) ([]byte, error) {
	from := in.Stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := open(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.New("no-such-file", "there is no file %s", name)
		case ctx.Err() != nil:
			return nil, fault.New("cancelled", "cancelled while opening %s", name)
		case err != nil:
			return nil, fault.New("unreadable-file", "%s cannot be opened", name).WithDetail(err)
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := readAll(ctx, from)
	switch {
	case ctx.Err() != nil:
		return nil, fault.New("cancelled", "cancelled while reading %s", name)
	case err != nil:
		return nil, fault.New("unreadable-file", "%s cannot be read", name).WithDetail(err)
	case len(b) > maxFile:
		return nil, fault.New("input-limit", "%s has more than %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// open opens a file, or gives up when nobody wants it any more: a named pipe waits for its writer.
func open(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readAll reads until the end, or until nobody wants it any more: a terminal or a pipe may never end.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	done := make(chan struct{})
	var all []byte
	var failed error
	go func() {
		all, failed = io.ReadAll(io.LimitReader(in, maxFile+1))
		close(done)
	}()
	select {
	case <-done:
		return all, failed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Inputs reads the object of --inputs, unless file is empty, and puts the name=value pairs of --input over it.
func (in In) Inputs(ctx context.Context, file string, pairs []string) (json.RawMessage, error) {
	object := &inputs.Object{}
	if file != "" {
		text, err := in.File(ctx, file)
		if err != nil {
			return nil, err
		}
		name := file
		if name == "-" {
			name = "standard input"
		}
		if object, err = inputs.Parse(text); err != nil {
			return nil, fault.New("bad-input", "%s: %v", name, err)
		}
	}
	seen := &inputs.Object{}
	for _, s := range pairs {
		key, value, err := inputs.Pair(s)
		if errors.Is(err, inputs.ErrForm) {
			return nil, fault.New("bad-input", "--input: %v", err).WithHint("write --input name=value, where the value is JSON, or else text")
		} else if err != nil {
			return nil, fault.New("bad-input", "--input: %v", err)
		}
		if seen.Has(key) {
			return nil, fault.New("bad-input", "--input %s is given twice", key)
		}
		seen.Set(key, value)
		object.Set(key, value)
	}
	return object.JSON(), nil
}

// JSON reads an object that is given itself, or in a file: what begins with a brace is the object. Nothing given is nil. Flag is for
// the errors.
func (in In) JSON(ctx context.Context, flag, text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	name := flag
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		b, err := in.File(ctx, text)
		if err != nil {
			return nil, err
		}
		name, text = text, string(b)
	}
	object, err := inputs.Parse([]byte(text))
	if err != nil {
		return nil, fault.New("invalid-json", "%s: %v", name, err).WithHint("%s takes a JSON Schema, which is an object, or the name of a file with one", flag)
	}
	return object.JSON(), nil
}

// Seed reads --seed.
func Seed(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, OutOfRange("--seed", s, "a whole number from 0 to 18446744073709551615")
	}
	return n, nil
}

// Time reads --at.
func Time(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, OutOfRange("--at", s, "a time as in 2026-01-31T09:30:00Z")
	}
	if t = t.UTC(); t.Unix() < 0 || t.Year() > 2260 {
		return t, OutOfRange("--at", s, "from 1970 to 2260")
	}
	return t, nil
}

// OutOfRange says that a flag has a value that it does not take.
func OutOfRange(flag, value, want string) error {
	return fault.New("bad-usage", "%s is %s, and has to be %s", flag, value, want)
}
