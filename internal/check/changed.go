package check

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/runlace/runlace/internal/fault"
)

// changedFiles are the files below a folder that git says are different now than in a revision, and those that it does not know; relative to the
// folder, with slashes. Without a revision it is where this branch has left the default branch or, on that branch itself, the last commit.
func changedFiles(ctx context.Context, dir, ref string) (map[string]bool, error) {
	g := git{ctx, dir}
	if _, err := g.run("rev-parse", "--is-inside-work-tree"); err != nil {
		return nil, err
	}
	base := ref
	if ref == "" {
		if base = g.base(); base == "" {
			return nil, nil // what is not known may be anything: all of it
		}
	}
	commit, err := g.run("rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	if err != nil {
		if ref == "" { // a repository without a commit: everything is new
			return nil, nil
		}
		return nil, fault.New("git-failed", "there is no revision %s in the repository of %s", ref, dir)
	}
	known, err := g.run("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative", strings.TrimSpace(commit), "--", ".")
	if err != nil {
		return nil, err
	}
	others, err := g.run("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	for _, f := range strings.Split(known+others, "\x00") {
		if f != "" {
			files[path.Clean(f)] = true
		}
	}
	return files, nil
}

// git asks git about a folder. Nothing that the repository configures is executed.
type git struct {
	ctx context.Context
	dir string
}

func (g git) run(args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", fault.New("git-failed", "what has changed cannot be asked of git, which is not installed")
	}
	cmd := exec.CommandContext(g.ctx, program, append([]string{"-c", "core.fsmonitor=false", "--no-pager"}, args...)...)
	cmd.Dir = g.dir
	cmd.Env = append(cmd.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if g.ctx.Err() != nil {
			return "", g.ctx.Err()
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			err = errors.New(text)
		}
		return "", fault.New("git-failed", "what has changed in %s cannot be asked of git", g.dir).WithDetail(err)
	}
	return out.String(), nil
}

// base is the commit to compare with where none is named; empty if the repository does not have it, as one that a CI system has fetched with only the last
// commit.
func (g git) base() string {
	branches := []string{"origin/main", "origin/master", "main", "master"}
	if head, err := g.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		branches = append([]string{strings.TrimSpace(head)}, branches...)
	}
	for _, b := range branches {
		if base, err := g.run("merge-base", "HEAD", b); err == nil {
			if g.shallow() && strings.TrimSpace(base) == g.head() {
				return ""
			}
			return strings.TrimSpace(base)
		}
	}
	return ""
}

// shallow tells whether the repository has only some of its history.
func (g git) shallow() bool {
	said, err := g.run("rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(said) == "true"
}

func (g git) head() string {
	commit, _ := g.run("rev-parse", "HEAD") // there is one, or no base either
	return strings.TrimSpace(commit)
}

// Top is the top of the repository that a folder is in, and the folder itself if it is in none.
func Top(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if filepath.Dir(at) == at {
			return dir
		}
	}
}
