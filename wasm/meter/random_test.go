package meter

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/runlace/runlace/wasm/module/wasmtest"
	"github.com/tetratelabs/wazero"
)

// A random program has randomFuncs functions f0, f1, … of type (i32)->(i32). It counts down the number at budgetAddr and
// winds up when that is used up, so it ends.
const (
	randomFuncs = 4
	budgetAddr  = 4096
	budget      = 300
)

func randomProgram(seed int64) string {
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	g.line("import test.host ()->()")
	g.line("memory 1")
	g.line("table 8 f0 f1 f2 f3")
	for i := range randomFuncs {
		g.line("func f%d export (i32)->(i32) local i32 i32 i32 f64", i)
		g.left = 40
		g.statements(12)
		g.integer(2)
	}
	return g.String()
}

// generator writes random code that is valid.
type generator struct {
	*rand.Rand
	strings.Builder
	labels int // around the position, the function not counted
	left   int // statements that may still be written
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(g, strings.Repeat("\t", g.labels+1)+format+"\n", args...)
}

// in writes a construct and what is in it.
func (g *generator) in(head string, body func()) {
	g.line("%s", head)
	g.labels++
	body()
	g.labels--
	g.line("end")
}

// integer pushes an i32.
func (g *generator) integer(depth int) {
	kind := g.Intn(8)
	if depth == 0 {
		kind = g.Intn(2)
	}
	switch kind {
	case 0:
		g.line("i32.const %d", g.Intn(200)-100)
	case 1:
		g.line("local.get %d", g.Intn(4))
	case 2:
		g.integer(depth - 1)
		g.line("i32.const 255 i32.and i32.load 0")
	case 3:
		g.float(depth - 1)
		g.line("i64.reinterpret_f64 i64.const 32 i64.shr_u i32.wrap_i64")
	default:
		g.integer(depth - 1)
		g.integer(depth - 1)
		ops := strings.Fields("i32.add i32.sub i32.mul i32.and i32.or i32.xor i32.eq i32.lt_s i32.div_u")
		g.line("%s", ops[g.Intn(len(ops))])
	}
}

// float pushes an f64, often a NaN.
func (g *generator) float(depth int) {
	kind := g.Intn(4)
	if depth == 0 {
		kind = g.Intn(2)
	}
	switch kind {
	case 0:
		g.line("f64.const 0")
	case 1:
		g.line("local.get 4")
	case 2:
		g.float(depth - 1)
		g.float(depth - 1)
		ops := strings.Fields("f64.div f64.sub f64.copysign f64.min")
		g.line("%s", ops[g.Intn(len(ops))])
	case 3:
		g.integer(depth - 1)
		g.line("f64.convert_i32_s")
	}
}

// spend takes one from the budget and returns if there is none.
func (g *generator) spend() {
	g.line("i32.const %d i32.const %d i32.load 0 i32.const 1 i32.sub i32.store 0", budgetAddr, budgetAddr)
	g.line("i32.const %d i32.load 0 i32.const 0 i32.lt_s", budgetAddr)
	g.in("if", func() { g.line("i32.const 77 return") })
}

func (g *generator) statements(n int) {
	for ; n > 0 && g.left > 0; n-- {
		g.left--
		g.statement()
	}
}

func (g *generator) statement() {
	switch g.Intn(17) {
	case 0, 1:
		g.integer(2)
		g.line("local.set %d", g.Intn(4))
	case 2:
		g.float(3)
		g.line("local.set 4")
	case 3: // to memory
		g.integer(1)
		g.line("i32.const 255 i32.and")
		g.integer(2)
		g.line("i32.store 0")
	case 4:
		g.integer(1)
		g.line("i32.const 255 i32.and")
		g.float(2)
		g.line("f64.store 1024")
	case 5:
		g.in("block", func() { g.statements(4) })
	case 6:
		g.in("loop", func() {
			g.spend()
			g.statements(4)
			if g.Intn(2) == 0 {
				g.integer(1)
				g.line("br_if 0")
			}
		})
	case 7:
		g.integer(2)
		g.in("if", func() {
			g.statements(3)
			if g.Intn(2) == 0 {
				g.line("else")
				g.statements(3)
			}
		})
	case 8: // a branch out
		g.integer(2)
		if l := g.Intn(g.labels + 1); l < g.labels {
			if g.Intn(2) == 0 {
				g.spend() // it may be a loop
			}
			g.spend()
			g.line("br_if %d", l)
		} else {
			g.in("if", func() {
				g.integer(1)
				g.line("br %d", g.labels)
			})
		}
	case 9: // a switch
		g.spend()
		g.integer(1)
		g.in("if", func() {
			g.in("block", func() {
				g.in("block", func() {
					g.in("block", func() {
						g.integer(1)
						labels := make([]string, 5)
						for i := range labels {
							labels[i] = fmt.Sprint(g.Intn(g.labels))
						}
						g.line("br_table %s", strings.Join(labels, " "))
					})
					g.statements(1)
				})
				g.statements(1)
			})
		})
	case 10:
		g.spend()
		g.integer(1)
		g.line("call f%d local.set %d", g.Intn(randomFuncs), g.Intn(4))
	case 11:
		g.spend()
		g.integer(1)
		g.integer(1)
		g.line("i32.const 3 i32.and call_indirect (i32)->(i32) local.set %d", g.Intn(4))
	case 12:
		g.in("loop i32", func() {
			g.spend()
			g.integer(1)
			g.line("br_if 0")
			g.integer(1)
		})
		g.line("local.set %d", g.Intn(4))
	case 13: // with parameters
		g.integer(1)
		g.integer(1)
		g.in("loop (i32 i32)->(i32)", func() {
			g.spend()
			g.line("i32.sub local.tee 1 local.get 2 local.get 1 i32.const 1 i32.and br_if 0 i32.add")
		})
		g.line("local.set %d", g.Intn(4))
	case 14:
		g.line("i32.const 2048")
		g.integer(1)
		g.integer(1)
		g.line("i32.const 1023 i32.and memory.fill")
	case 15:
		g.line("call test.host")
	case 16: // code that cannot be reached
		g.in("block", func() {
			g.line("br 0")
			g.statements(2)
		})
	}
}

// runRandom calls every function of a random program and returns all that can be seen of it.
func runRandom(g *guest) (log []string) {
	g.Memory().WriteUint32Le(budgetAddr, budget)
	g.host = func() { log = append(log, "host") }
	for i := range randomFuncs {
		v, err := g.call(fmt.Sprint("f", i), uint64(i*7))
		log = append(log, fmt.Sprint(v, trap(err)))
	}
	memory, _ := g.Memory().Read(0, 8192)
	return append(log, fmt.Sprintf("%x", memory))
}

// TestSameMeaning: random programs do the same metered and not metered. NaNs are left alone for that, since making them canonical is
// meant to be seen.
func TestSameMeaning(t *testing.T) {
	for seed := range randomPrograms() {
		text := randomProgram(seed)
		want := runRandom(compile(t, wazero.NewRuntimeConfigCompiler(), wasmtest.Assemble(text)).start(0, 0))
		for name, cfg := range map[string]Config{"default": {Tolerance: 16, HostCall: 500}, "exact": {}} {
			out, _ := metered(t, text, cfg)
			for _, slice := range []int64{unlimited, 7} {
				got := runRandom(compile(t, wazero.NewRuntimeConfigCompiler(), out).start(unlimited, slice))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d, %s, slices of %d: %s\n%s", seed, name, slice, diff, text)
				}
			}
		}
	}
}

// TestSameFuel: random programs do the same and use the same fuel with all slices and engines.
func TestSameFuel(t *testing.T) {
	for seed := range randomPrograms() {
		text := randomProgram(seed)
		for name, cfg := range map[string]Config{"default": DefaultConfig(), "exact": exact} {
			out, _ := metered(t, text, cfg)
			var want []string
			var fuel int64
			for _, engine := range engines {
				p := compile(t, engine.config(), out)
				for _, slice := range []int64{unlimited, 1000, 7, 1} {
					if engine.name == "interpreter" && slice == 1 {
						continue // slow
					}
					g := p.start(unlimited, slice)
					got := runRandom(g)
					if want == nil {
						want, fuel = got, g.used()
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("seed %d, %s, %s, slices of %d: %s\n%s", seed, name, engine.name, slice, diff, text)
					}
					if g.used() != fuel {
						t.Fatalf("seed %d, %s, %s, slices of %d: used %d, want %d\n%s", seed, name, engine.name, slice, g.used(), fuel, text)
					}
				}
			}
		}
	}
}

func randomPrograms() int64 {
	if testing.Short() {
		return 8
	}
	return 25
}

// TestSameOutput: instrumenting twice gives the same bytes.
func TestSameOutput(t *testing.T) {
	for seed := range int64(20) {
		a, _ := metered(t, randomProgram(seed), DefaultConfig())
		b, _ := metered(t, randomProgram(seed), DefaultConfig())
		if string(a) != string(b) {
			t.Fatalf("seed %d: differs", seed)
		}
	}
}
