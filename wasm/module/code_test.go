package module_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module"
	"github.com/runlace/runlace/wasm/module/wasmtest"
)

// TestReadsInstructions: with what they name and where they are.
func TestReadsInstructions(t *testing.T) {
	m := parse(t, wasmtest.Assemble(`
		memory 1
		table 1
		global mut i64 5
		func f (i32)->(i32)
			local.get 0
			loop (i32)->(i32)
				i32.const -300
				i32.add
				block
					local.get 0
					br_table 0 1 2
				end
				global.get 0
				i64.store 8
				call f
			end`))
	want := []module.Instr{
		{Op: module.OpLocalGet, Start: 0, End: 2},
		{Op: module.OpLoop, Start: 2, End: 4, Params: 1},
		{Op: module.OpI32Const, Start: 4, End: 7},
		{Op: 0x6a, Start: 7, End: 8},
		{Op: module.OpBlock, Start: 8, End: 10},
		{Op: module.OpLocalGet, Start: 10, End: 12},
		{Op: module.OpBrTable, Start: 12, End: 17, Index: 2, Labels: []uint32{0, 1, 2}},
		{Op: module.OpEnd, Start: 17, End: 18},
		{Op: module.OpGlobalGet, Start: 18, End: 20},
		{Op: 0x37, Start: 20, End: 23},
		{Op: module.OpCall, Start: 23, End: 25},
		{Op: module.OpEnd, Start: 25, End: 26},
		{Op: module.OpEnd, Start: 26, End: 27},
	}
	var got []module.Instr
	code := m.Code(0)
	for code.Next() {
		in := code.Instr
		in.Labels = append([]uint32(nil), in.Labels...)
		got = append(got, in)
	}
	if code.Err() != nil {
		t.Fatal(code.Err())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if code.Next() || code.Depth() != 0 {
		t.Error("goes on after the end")
	}
}

// TestReadsEveryInstruction: the assembler and the reader agree on the length of all of them.
func TestReadsEveryInstruction(t *testing.T) {
	operands := map[string]string{
		"br": "0", "br_if": "0", "br_table": "0 0 0", "call": "f", "call_indirect": "()->()", "return_call": "f",
		"return_call_indirect": "()->()", "local.get": "0", "local.set": "0", "local.tee": "0", "global.get": "0",
		"global.set": "0", "table.get": "0", "table.set": "0", "i32.const": "-70000", "i64.const": "-7000000000",
		"f32.const": "1.5", "f64.const": "1.5", "ref.null": "externref", "ref.func": "f", "memory.init": "0", "data.drop": "0",
		"table.init": "0", "elem.drop": "0", "table.grow": "0", "table.fill": "0", "table.size": "0",
	}
	seen := 0
	for op := module.Op(0); op <= module.OpTableFill; op++ {
		name := op.String()
		if strings.HasPrefix(name, "opcode") || op == module.OpElse || op == module.OpEnd || op == module.OpSelectTyped {
			continue
		}
		seen++
		line := name + " " + operands[name]
		if op >= module.OpI32Load && op <= module.OpI64Store32 {
			line += "1000"
		}
		if op == module.OpBlock || op == module.OpLoop || op == module.OpIf {
			line += "\nend"
		}
		m := parse(t, wasmtest.Assemble("memory 1\ntable 1\nglobal mut i32 1\nfunc f (i32)->()\nblock\n"+line+"\nend\nnop"))
		var ops []module.Op
		code := m.Code(0)
		for code.Next() {
			ops = append(ops, code.Instr.Op)
		}
		if code.Err() != nil || ops[1] != op || ops[len(ops)-2] != module.OpNop {
			t.Errorf("%s: %v %v", line, ops, code.Err())
		}
	}
	if want := 200; seen != want {
		t.Errorf("%d instructions, want %d", seen, want)
	}
}

// TestCodeRefuses: what is malformed or not supported is an error that says what and where.
func TestCodeRefuses(t *testing.T) {
	for code, want := range map[string]string{
		"byte 0xff":                          "opcode 0xff is not supported",
		"byte 0x27":                          "opcode 0x27 is not supported",
		"byte 0x06 0x40":                     "opcode 0x6 (exception handling) is not supported",
		"byte 0x14 0":                        "opcode 0x14 (typed references) is not supported",
		"byte 0xd4":                          "opcode 0xd4 (typed references) is not supported",
		"byte 0xfb 2 0":                      "opcode 0xfb 2 (garbage collection) is not supported",
		"byte 0xfc 18 0":                     "opcode 0xfc 18 is not supported",
		"byte 0xfc 0x88 0x80 0x10 0 0":       "opcode 0xfc 262152 is not supported",
		"byte 0xfd 253 1":                    "opcode 0xfd 253 (vector instructions) is not supported",
		"byte 0xfe 0":                        "opcode 0xfe 0 (threads) is not supported",
		"br 1":                               "br: no label 1",
		"block br_if 2 end":                  "br_if: no label 2",
		"br_table 0 1 0":                     "br_table: no label 1",
		"byte 0x0e 0xff 0xff 0x03 0":         "65535 items in 2 bytes",
		"call 1":                             "call: no function 1",
		"return_call 1":                      "return_call: no function 1",
		"ref.func 1":                         "ref.func: no function 1",
		"byte 0x11 9 0":                      "call_indirect: no type 9",
		"local.get 1":                        "local.get: no local 1",
		"global.set 1":                       "global.set: no global 1",
		"byte 0x02 0x09":                     "block: no type 9",
		"byte 0x02 0x7b":                     "value type 0x7b is not supported",
		"byte 0x02 0xff 0x7f":                "block type -1 is not supported",
		"byte 0x28 0x42 0 0":                 "i32.load: multiple memories are not supported",
		"byte 0x40 1":                        "memory.grow: multiple memories are not supported",
		"byte 0xfc 10 0 1":                   "memory.copy: multiple memories are not supported",
		"byte 0xd0 0x6e":                     "reference type 0x6e is not supported",
		"byte 0x41 0x80 0x80 0x80 0x80 0x08": "number does not fit 32 bits",
		"byte 0x44 0":                        "8 bytes expected, 2 left",
		"block else end":                     "else without if",
		"i32.const 1 if else else end":       "else without if",
		"else":                               "else without if",
		"block":                              "unexpected end",
		"end nop":                            "2 bytes after the end of the function",
	} {
		m := parse(t, wasmtest.Assemble("memory 1\nglobal mut i32 1\nfunc f (i32)->()\n"+code))
		c := m.Code(0)
		for c.Next() {
		}
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
		if c.Next() {
			t.Errorf("%s: goes on after an error", code)
		}
		if err := m.CheckFreezable(); err == nil {
			t.Errorf("%s: CheckFreezable does not notice", code)
		}
		if _, err := m.ImportFunc("env", "new", module.FuncType{}); err == nil {
			t.Errorf("%s: ImportFunc does not notice", code)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, 1<<31 - 1, -1 << 31, 1<<63 - 1, -1 << 63} {
		m := parse(t, (&module.Module{Globals: []module.Global{
			{GlobalType: module.GlobalType{Type: module.I64}, Init: module.Number(module.I64, uint64(v))}}}).Encode())
		if got := int64(m.Globals[0].Init.Value); got != v {
			t.Errorf("%d becomes %d", v, got)
		}
	}
}
