package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/runtime"
)

// provocation is a workflow that hits a limit.
type provocation struct {
	code   string // what the run has to end with; of a tool-error, the code in its data
	tool   bool   // the limit is one of a call: the run ends with tool-error
	line   int    // where; 0: none is due
	source string
	limits runtime.Limits
	inputs string
	host   func(cancel func()) hostfuncs.Host
}

const mib = 1 << 20

var provocations = []provocation{
	{
		code: runtime.CodeCPULimit, line: 3, limits: runtime.Limits{Fuel: 50_000_000},
		source: "def run(ctx):\n    try:\n        while True: pass\n    except BaseException:\n        return 'caught'\n",
	},
	{
		code: runtime.CodeMemoryLimit, line: 4, limits: runtime.Limits{MemoryBytes: 64 * mib},
		source: "def run(ctx):\n    kept = []\n    while True:\n        kept.append(bytearray(1 << 20))\n",
	},
	{
		code: runtime.CodeRecursionLimit, line: 2,
		source: "def deeper(n):\n    return deeper(n + 1)\n\ndef run(ctx):\n    return deeper(0)\n",
	},
	{
		code: runtime.CodeOutputLimit, limits: runtime.Limits{OutputBytes: 1000},
		source: "def run(ctx):\n    return 'x' * 1000\n",
	},
	{
		code: runtime.CodeInputLimit, limits: runtime.Limits{InputBytes: 1000}, inputs: `{"text":"` + strings.Repeat("x", 1000) + `"}`,
		source: "def run(ctx):\n    return None\n",
	},
	{
		code: hostfuncs.CodeLogLimit, line: 4, limits: runtime.Limits{LogBytes: 1000},
		source: "def run(ctx):\n    try:\n        while True:\n            print('another line')\n    except BaseException:\n        return 'caught'\n",
	},
	{
		code: hostfuncs.CodeCallLimit, line: 4, limits: runtime.Limits{Calls: 10}, host: answers(`null`),
		source: "def run(ctx):\n    try:\n        while True:\n            ctx.doctor.ping()\n    except BaseException:\n        return 'caught'\n",
	},
	{
		code: hostfuncs.CodeArgumentsTooLarge, tool: true, line: 2, limits: runtime.Limits{ArgumentBytes: 1000}, host: answers(`null`),
		source: "def run(ctx):\n    return ctx.doctor.ping(text='x' * 1000)\n",
	},
	{
		code: hostfuncs.CodeResultTooLarge, tool: true, line: 2, limits: runtime.Limits{ResultBytes: 1000},
		host:   answers(`"` + strings.Repeat("x", 1000) + `"`),
		source: "def run(ctx):\n    return ctx.doctor.ping()\n",
	},
	{
		code: hostfuncs.CodeNoConnector, tool: true, line: 2,
		source: "def run(ctx):\n    return ctx.doctor.ping()\n",
	},
	{
		code: callTimedOut, tool: true, line: 2, limits: runtime.Limits{CallTimeout: 10 * time.Millisecond}, host: waits,
		source: "def run(ctx):\n    return ctx.doctor.wait()\n",
	},
	{
		code: runtime.CodeTimeout, line: 3, limits: runtime.Limits{Timeout: 200 * time.Millisecond},
		source: "def run(ctx):\n    try:\n        while True: pass\n    except BaseException:\n        return 'caught'\n",
	},
	{
		code: runtime.CodeCancelled, line: 3, host: cancels,
		source: "def run(ctx):\n    try:\n        ctx.doctor.cancel()\n    except BaseException:\n        return 'caught'\n",
	},
}

func answers(value string) func(func()) hostfuncs.Host {
	return func(func()) hostfuncs.Host {
		return func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
			return hostfuncs.Answer{Value: json.RawMessage(value)}, nil
		}
	}
}

// callTimedOut is what waits answers, in the way of a tool that does not.
const callTimedOut = "call-timeout"

func waits(func()) hostfuncs.Host {
	return func(ctx context.Context, _ hostfuncs.Call) (hostfuncs.Answer, error) {
		<-ctx.Done()
		return hostfuncs.Answer{Err: &hostfuncs.Error{Code: callTimedOut, Message: "the call took too long"}}, nil
	}
}

func cancels(cancel func()) hostfuncs.Host {
	return func(context.Context, hostfuncs.Call) (hostfuncs.Answer, error) {
		cancel()
		return hostfuncs.Answer{Value: json.RawMessage("null")}, nil
	}
}

func (p provocation) check(ctx context.Context, e *runtime.Engine) Check {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	job := runtime.Job{Inputs: json.RawMessage(p.inputs), Limits: p.limits}
	if p.host != nil {
		job.Host = p.host(cancel)
	}
	name := "limit " + p.code
	r, err := run(ctx, e, p.source, job)
	switch {
	case err != nil:
		return verdict(name, "", err.Error())
	case r.Err == nil:
		return verdict(name, "", "the run completed: "+string(r.Output))
	}
	code := r.Err.Code
	if p.tool && code == runtime.CodeToolError {
		var data struct {
			Code string `json:"code"`
		}
		if err := json.Unmarshal(r.Err.Data, &data); err != nil {
			return verdict(name, "", err.Error())
		}
		code = data.Code
	}
	var wrong []string
	if code != p.code {
		wrong = append(wrong, fmt.Sprintf("the run ended with %s: %s", code, r.Err.Message))
	}
	if p.line > 0 && r.Err.Line != p.line {
		wrong = append(wrong, fmt.Sprintf("at line %d instead of %d", r.Err.Line, p.line))
	}
	detail := r.Err.Message
	if p.line > 0 {
		detail = fmt.Sprintf("line %d: %s", r.Err.Line, detail)
	}
	return verdict(name, detail, wrong...)
}
