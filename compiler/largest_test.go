package compiler

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/runlace/runlace/compiler/stubs"
	"github.com/runlace/runlace/internal/catalog"
)

// largest is the server of the corpus whose stub is the longest, with a workflow that uses three of its tools.
func largest(t testing.TB) (Catalog, string) {
	t.Helper()
	b, err := os.ReadFile("stubs/testdata/corpus.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if b, err = d.DecodeAll(b, nil); err != nil {
		t.Fatal(err)
	}
	var servers map[string]struct{ Tools []catalog.Tool }
	if err := json.Unmarshal(b, &servers); err != nil {
		t.Fatal(err)
	}
	all := map[string][]catalog.Tool{}
	for name, s := range servers {
		for _, tool := range s.Tools {
			all[name] = append(all[name], catalog.New(name, tool))
		}
	}
	c := FromStubs(stubs.BuildAll(all), false)
	k := slices.MaxFunc(c.Connectors, func(a, b Connector) int { return len(a.Stub()) - len(b.Stub()) })
	var free []Method
	for _, m := range k.Methods {
		if len(m.Parameters) > 3 && !strings.Contains(k.Stub(), "    @overload\n    def "+m.Name+"(") {
			free = append(free, m)
		}
	}
	var code strings.Builder
	code.WriteString("from typing import Any\n\nfrom runlace_types import Ctx\n\n\ndef run(ctx: Ctx) -> dict[str, Any]:\n    return {\n")
	for i, m := range []Method{free[0], free[len(free)/2], free[len(free)-1]} {
		fmt.Fprintf(&code, "        \"%d\": ctx.%s.%s(**dict[str, Any]()),\n", i, k.Attr, m.Name)
	}
	code.WriteString("    }\n")
	return Catalog{Connectors: []Connector{k}}, code.String()
}

// BenchmarkLargest compiles a workflow that uses three tools of the largest server, each time another text: what an author waits for when the
// checker is warm.
func BenchmarkLargest(b *testing.B) {
	ctx := context.Background()
	c := newCompiler()
	k, code := largest(b)
	compile := func(i int) {
		_, problems, err := c.Compile(ctx, Source{Name: "x", Code: fmt.Sprintf("%s# %d of %s\n", code, i, b.Name())}, k)
		if err != nil || len(problems) > 0 {
			b.Fatal(problems, err, code)
		}
	}
	for i := range 3 {
		compile(-1 - i)
	}
	i := 0
	for b.Loop() {
		compile(i)
		i++
	}
	b.ReportMetric(float64(len(k.Connectors[0].Stub()))/1000, "kB-of-stub")
}
