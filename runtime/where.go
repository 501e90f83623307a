package runtime

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// workflowFile is the name of the workflow's source in the guest.
const workflowFile = "workflow.py"

// frame is a Python frame of the workflow.
type frame struct {
	file     string
	line     int
	function string
}

// The end of the guest's input buffer is set aside for rt_where: where it writes to, and a C stack for it. With a stack
// of its own it disturbs nothing of what it interrupts, and works when the guest's stack is used up.
const (
	whereBuffer = 4 << 10
	whereStack  = 16 << 10
	whereArea   = whereBuffer + whereStack
	whereFuel   = 20_000_000
)

var errWalk = errors.New("runtime: the guest got lost in its frames")

// where lists the workflow's frames, newest first, while the guest stands in a host function or has trapped. It leaves
// fuel and globals as they were. When the guest cannot tell, the list is empty.
func (r *run) where() []frame {
	m := r.slot.guest.Manifest
	if r.walking || r.slot.stack == nil || m.IOLen < 2*whereArea {
		return nil
	}
	f := r.slot.function("rt_where")
	if f == nil {
		return nil
	}
	buffer := m.IOBuf + m.IOLen - whereArea
	r.walking = true
	saved := r.slot.saveGlobals()
	defer func() {
		r.walking = false
		r.slot.loadGlobals(saved)
	}()
	var text string
	r.meter.aside(whereFuel, func() {
		r.slot.stack.Set(uint64(buffer + whereArea))
		// Not the run's context: a guest that stopped because it was cancelled still tells its line.
		ctx := context.WithValue(context.Background(), runKey{}, r)
		stack := []uint64{uint64(buffer), whereBuffer}
		if f.CallWithStack(ctx, stack) != nil {
			return
		}
		if b, ok := r.slot.module.Memory().Read(buffer, min(uint32(stack[0]), whereBuffer)); ok {
			text = string(b)
		}
	})
	return parseFrames(text)
}

// parseFrames reads lines of the form "file:line function" and keeps the workflow's.
func parseFrames(text string) (frames []frame) {
	for line := range strings.Lines(text) {
		line, whole := strings.CutSuffix(line, "\n")
		rest, ok := strings.CutPrefix(line, workflowFile+":")
		number, function, ok2 := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		if whole && ok && ok2 && err == nil {
			frames = append(frames, frame{workflowFile, n, strings.ToValidUTF8(function, "?")})
		}
	}
	return frames
}

// lineOf is the line of the newest frame, 0 if there is none.
func lineOf(frames []frame) int {
	if len(frames) == 0 {
		return 0
	}
	return frames[0].line
}
