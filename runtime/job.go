package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/runlace/runlace/hostfuncs"
)

// The job structure at the start of the guest's input buffer: little-endian words of 32 bits.
const (
	jobCode      = 0 // each a pointer and a length
	jobSource    = 8
	jobInputs    = 16
	jobSeed      = 24 // 64 bits
	jobRecursion = 32
	jobOut       = 36 // written by the guest: pointer and length
	jobAnyImport = 44
	jobSize      = 64
)

// payload is what one call into the guest is given.
type payload struct {
	code      []byte
	source    string
	inputs    []byte
	seed      uint64
	recursion int
	anyImport bool
}

// enter calls rt_run or rt_compile. It returns the guest's output, or how the run failed, or an error that is not the
// workflow's doing. What it returns is copied out of the guest.
func (r *run) enter(name string, p payload, limit int) (out []byte, failed *Error, err error) {
	f := r.slot.function(name)
	if f == nil {
		return nil, nil, fmt.Errorf("runtime: the guest does not export %s", name)
	}
	ctx := context.WithValue(r.ctx, runKey{}, r)
	if failed, err := r.place(ctx, p); failed != nil || err != nil {
		return nil, failed, err
	}
	stack := []uint64{uint64(r.slot.guest.Manifest.IOBuf)}
	if err := f.CallWithStack(ctx, stack); err != nil {
		failed, err := r.failure(err)
		return nil, failed, err
	}
	if r.meter.used() > r.meter.limit { // by a few units, after the last place where the guest looked
		limit := r.meter.exhausted()
		return nil, &Error{Code: limit.Code, Message: limit.Message}, nil
	}
	switch status := int32(stack[0]); status {
	case 0:
		return r.output(limit)
	case 1:
		return nil, r.report(), nil
	default:
		return nil, crashed(fmt.Sprintf("%s returned %d", name, status)), nil
	}
}

// place writes the job and its payloads: into the input buffer if they fit, else into a block of the guest's heap.
func (r *run) place(ctx context.Context, p payload) (*Error, error) {
	m := r.slot.guest.Manifest
	room := int64(m.IOLen) - jobSize
	if m.IOLen >= 2*whereArea {
		room -= whereArea
	}
	need := int64(len(p.code)) + int64(len(p.source)) + int64(len(p.inputs))
	at := m.IOBuf + jobSize
	if need > room {
		f := r.slot.function("rt_alloc")
		if f == nil {
			return nil, errors.New("runtime: the guest does not export rt_alloc")
		}
		if need > maxMemory-1 {
			return memoryFull(need), nil
		}
		stack := []uint64{uint64(need)}
		if err := f.CallWithStack(ctx, stack); err != nil {
			return r.failure(err)
		}
		if at = uint32(stack[0]); at == 0 {
			return memoryFull(need), nil
		}
	}
	var job [jobSize]byte
	write := func(field int, n int, put func(at uint32) bool) bool {
		binary.LittleEndian.PutUint32(job[field:], at)
		binary.LittleEndian.PutUint32(job[field+4:], uint32(n))
		ok := put(at)
		at += uint32(n)
		return ok
	}
	mem := r.slot.module.Memory()
	if p.anyImport {
		job[jobAnyImport] = 1
	}
	binary.LittleEndian.PutUint64(job[jobSeed:], p.seed)
	binary.LittleEndian.PutUint32(job[jobRecursion:], uint32(p.recursion))
	if !write(jobCode, len(p.code), func(at uint32) bool { return mem.Write(at, p.code) }) ||
		!write(jobSource, len(p.source), func(at uint32) bool { return mem.WriteString(at, p.source) }) ||
		!write(jobInputs, len(p.inputs), func(at uint32) bool { return mem.Write(at, p.inputs) }) ||
		!mem.Write(m.IOBuf, job[:]) {
		return crashed("its input buffer is not in its memory"), nil
	}
	return nil, nil
}

// result returns the guest's view of what it left behind, and its length.
func (r *run) result() (b []byte, ok bool) {
	mem := r.slot.module.Memory()
	head, ok := mem.Read(r.slot.guest.Manifest.IOBuf+jobOut, 8)
	if !ok {
		return nil, false
	}
	return mem.Read(binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:]))
}

func (r *run) output(limit int) ([]byte, *Error, error) {
	b, ok := r.result()
	if !ok {
		return nil, crashed("its output is not in its memory"), nil
	}
	if len(b) > limit {
		return nil, &Error{Code: CodeOutputLimit, Message: fmt.Sprintf("the output has %d bytes, and the limit is %d", len(b), limit)}, nil
	}
	return bytes.Clone(b), nil, nil
}

// report reads the guest's account of a failure.
func (r *run) report() *Error {
	b, ok := r.result()
	if !ok {
		return crashed("its error report is not in its memory")
	}
	if len(b) > r.maxError {
		return &Error{Code: CodeOutputLimit, Message: fmt.Sprintf("the run failed, and its error has %d bytes, over the limit of %d", len(b), r.maxError)}
	}
	e := &Error{}
	if err := json.Unmarshal(bytes.ToValidUTF8(b, []byte("\uFFFD")), e); err != nil {
		return crashed("its error report cannot be read: " + err.Error())
	}
	if !reported(e.Code) {
		e.Code = CodeException
	}
	return e
}

func crashed(why string) *Error {
	return &Error{Code: CodeGuestCrashed, Message: "the interpreter crashed: " + why}
}

func memoryFull(need int64) *Error {
	return &Error{Code: CodeMemoryLimit, Message: fmt.Sprintf("there is no memory for %d bytes of inputs", need)}
}

// jsonObject checks and compacts inputs, so that a run does not depend on how they were formatted.
func jsonObject(b []byte) ([]byte, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return []byte("{}"), nil
	}
	if !utf8.Valid(b) {
		return nil, errors.New("runtime: the inputs are not UTF-8")
	}
	var c bytes.Buffer
	c.Grow(len(b))
	if err := json.Compact(&c, b); err != nil {
		return nil, fmt.Errorf("runtime: the inputs are not JSON: %w", err)
	}
	if c.Bytes()[0] != '{' {
		return nil, errors.New("runtime: the inputs are not a JSON object")
	}
	return c.Bytes(), nil
}

var _ hostfuncs.Machine = (*run)(nil)
