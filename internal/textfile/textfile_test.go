package textfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":             {"añ\n", "añ\n"},
		"UTF-8 with mark":   {"\xEF\xBB\xBF{}", "{}"},
		"little endian":     {"\xFF\xFE{\x00\xF1\x00}\x00", "{ñ}"},
		"big endian":        {"\xFE\xFF\x00{\x00}", "{}"},
		"surrogates":        {"\xFF\xFE\x3D\xD8\x00\xDE", "😀"},
		"empty":             {"", ""},
		"mark without text": {"\xFF\xFE", ""},
	} {
		got, err := Decode([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"\xFF", "a\x80b", "\xFF\xFE\x00", "\xFF\xFE\x3D\xD8", "\xFF\xFE\x00\xDE\x00\xDE"} {
		if _, err := Decode([]byte(bad)); !errors.Is(err, ErrNotText) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	if err := os.WriteFile(path, []byte("old, and longer than the new text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(path); err != nil || string(b) != "new" {
		t.Errorf("%q, %v", b, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := Write(filepath.Join(dir, "missing", "x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("this machine makes no links: ", err)
	}
	if err := Write(link, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if b, _ := os.ReadFile(target); !bytes.Equal(b, []byte("x")) {
		t.Errorf("%q", b)
	}
}
