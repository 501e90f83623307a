package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const rowProcess = "runlace exec trivial.py, with its cache"

// process measures the command as a user starts it, from fork to exit.
func (b *bench) process() error {
	binary := filepath.Join(b.temp, "runlace")
	build := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/runlace")
	build.Dir = b.root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/runlace: %w: %s", err, bytes.TrimSpace(out))
	}
	trivial := b.testdata("workflows", "trivial.py")
	runlace := func(home string) *exec.Cmd {
		c := exec.CommandContext(b.ctx, binary, "exec", trivial)
		c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "XDG_CACHE_HOME=" + home, "LocalAppData=" + home, "RUNLACE_HOME=" + filepath.Join(home, "runlace")}
		return c
	}
	warm, warmHome := samples{}, filepath.Join(b.temp, "warm")
	if err := once(runlace(warmHome), &samples{}); err != nil {
		return err
	}
	plain, imports := map[string]*samples{}, map[string]*samples{}
	for _, p := range b.peers {
		plain[p.Name], imports[p.Name] = &samples{}, &samples{}
	}
	for range b.samples(30, 8) {
		if err := once(runlace(warmHome), &warm); err != nil {
			return err
		}
		for _, p := range b.peers {
			if err := once(p.command(b.ctx, "-c", "pass"), plain[p.Name]); err != nil {
				return err
			}
			if err := once(p.once(b.ctx, trivial, []byte("{}")), imports[p.Name]); err != nil {
				return err
			}
		}
	}
	cold := samples{}
	for i := range b.samples(3, 1) {
		if err := once(runlace(filepath.Join(b.temp, fmt.Sprint("cold", i))), &cold); err != nil {
			return err
		}
	}
	b.report.times("process", rowProcess, warm)
	b.report.times("process", "runlace exec trivial.py, without (once per machine and build)", cold)
	for _, p := range b.peers {
		b.report.times("process", p.Name+" -I -c pass, nothing imported", *plain[p.Name]).against(b.report.row("process", rowProcess))
		b.report.times("process", p.Name+" -I trivial workflow, same imports", *imports[p.Name]).against(b.report.row("process", rowProcess))
	}
	return nil
}

// once runs a process to its end.
func once(c *exec.Cmd, to *samples) error {
	start := time.Now()
	if _, err := c.Output(); err != nil {
		return explained(err)
	}
	to.took(start)
	return nil
}
