package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runlace/runlace/internal/home"
	"github.com/runlace/runlace/internal/project"
)

// many is a project of n workflows with three cases each. No two are the same; each reads, computes, decides and acts.
func many(n int) files {
	f := files{aProject: "version: 1\nconnectors: {files: {}}\n", aLock: lockText(tools)}
	for i := range n {
		dir := fmt.Sprintf("workflows/flow-%03d/", i)
		f[dir+project.CodeFile] = fmt.Sprintf(`from collections import Counter
from runlace_types import Ctx

LIMIT = %d


def words(text: str) -> Counter[str]:
    return Counter(w.strip(".,").lower() for w in text.split())


def run(ctx: Ctx) -> dict[str, object]:
    path = ctx.inputs["path"]
    text = ctx.files.read_text_file(path=path)["content"]
    sizes = ctx.files.list_sizes(path="/flow-%d")["sizes"]
    count = words(text)
    large = [name for name in sorted(sizes) if sizes[name] > LIMIT]
    for name in large:
        ctx.files.write_file(path=f"/out/{name}", content=f"{path}: {count.most_common(1)[0][0]}")
    print(f"{len(large)} of {len(sizes)} files")
    return {"words": count.total(), "large": large, "flow": %d}
`, 10+i, i, i)
		f[dir+project.SettingsFile] = goodSettings
		for c, size := range []int{0, 50, 500} {
			large, acts := "[]", ""
			if size > 10+i {
				large = "[a]"
				acts = fmt.Sprintf("acts:\n  - {call: files.write_file, arguments: {path: /out/a, content: \"%d.txt: one\"}}\n", c)
			}
			f[dir+fmt.Sprintf("%s/case-%d.yaml", project.CasesDir, c)] = fmt.Sprintf(`inputs: {path: %d.txt}
answers:
  - {call: files.read_text_file, arguments: {path: %d.txt}, result: {content: "One two, one."}, elapsed: 12ms}
  - {call: files.list_sizes, arguments: {path: /flow-%d}, result: {sizes: {a: %d, b: 5}}, elapsed: 3ms}
%soutput: {words: 3, large: %s, flow: %d}
`, c, c, i, size, acts, large, i)
		}
	}
	return f
}

// BenchmarkHundred checks 100 workflows with 3 cases each: with nothing kept, pyright's start included, and with nothing changed.
//
//	go test ./internal/check -run '^$' -bench Hundred -benchtime 3x
func BenchmarkHundred(b *testing.B) {
	dir := b.TempDir()
	many(100).writeTo(b, dir)
	run := func(b *testing.B, o Options, cached int) {
		for b.Loop() {
			r, err := Run(b.Context(), o)
			if err != nil || !r.OK || r.Workflows != 100 || r.Cases != 300 || r.Cached != cached {
				b.Fatalf("%v, %+v", err, r)
			}
		}
	}
	o := options(b, dir)
	o.Checker = nil
	b.Run("cold", func(b *testing.B) {
		cold := o
		cold.NoCache = true
		run(b, cold, 0)
	})
	if _, err := Run(b.Context(), o); err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged", func(b *testing.B) { run(b, o, 400) })
}

// The program checks a project, first with nothing kept and then with nothing changed, where there is no network: in a namespace of its own, which
// has none. Where the system does not permit that, all that it could reach is a proxy that does not exist.
func TestOffline(t *testing.T) {
	dir := t.TempDir()
	many(5).writeTo(t, dir)
	program := filepath.Join(t.TempDir(), "runlace")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/runlace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var prefix []string
	nowhere := []string{"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9", "NO_PROXY="}
	for _, unshare := range [][]string{{"unshare", "--net"}, {"unshare", "--user", "--map-root-user", "--net"}} {
		out, err := exec.Command(unshare[0], append(unshare[1:], "cat", "/proc/net/dev")...).CombinedOutput()
		if err != nil {
			t.Logf("%s: %v: %s", strings.Join(unshare, " "), err, out)
			continue
		}
		if strings.Count(string(out), ":") != 1 || !strings.Contains(string(out), "lo:") {
			t.Fatalf("there are interfaces besides lo:\n%s", out)
		}
		prefix = unshare
		break
	}
	if prefix == nil {
		t.Log("no namespace without a network can be made here: only the proxies lead nowhere")
	}
	o := options(t, dir)
	for _, cached := range []string{`"cached":0,`, `"cached":20,`} {
		args := append(append([]string{}, prefix...), program, "check", dir, "--json")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(append(os.Environ(), home.CacheVariable+"="+o.CacheDir, home.Variable+"="+filepath.Join(dir, "no-home")), nowhere...)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), `"ok":true`) || !strings.Contains(string(out), cached) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if exists(filepath.Join(dir, "no-home")) {
		t.Error("a home was made")
	}
}
