package main

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

func containsTool(request []byte, name string) bool {
	return bytes.Contains(request, []byte(`"tool":"`+name+`"`))
}

// steady is a file system that looks the same on every machine: folders in order, no times, no owners, no inodes.
type steady struct{ fs.FS }

func (s steady) Open(name string) (fs.File, error) {
	if isHidden(path.Base(name)) && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return steadyFile{f}, nil
}

type steadyFile struct{ fs.File }

func (f steadyFile) Stat() (fs.FileInfo, error) {
	i, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return steadyInfo{i}, nil
}

// ReadDir returns the whole folder in the order of the names, and then its end.
func (f steadyFile) ReadDir(int) ([]fs.DirEntry, error) {
	d, ok := f.File.(fs.ReadDirFile)
	if !ok {
		return nil, fs.ErrInvalid
	}
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, io.EOF
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	out := entries[:0]
	for _, e := range entries {
		if !isHidden(e.Name()) {
			out = append(out, steadyEntry{e})
		}
	}
	return out, nil
}

type steadyEntry struct{ fs.DirEntry }

func (e steadyEntry) Info() (fs.FileInfo, error) {
	i, err := e.DirEntry.Info()
	if err != nil {
		return nil, err
	}
	return steadyInfo{i}, nil
}

type steadyInfo struct{ fs.FileInfo }

func (i steadyInfo) ModTime() time.Time { return time.Unix(1_735_689_600, 0) }
func (i steadyInfo) Sys() any           { return nil }
func (i steadyInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// zonesOnly shows the compiled time zones of a zoneinfo folder, and neither its tables nor its variants.
type zonesOnly struct{ fs.FS }

func (z zonesOnly) Open(name string) (fs.File, error) {
	f, err := z.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return zonesFile{f, z.FS, name}, nil
}

type zonesFile struct {
	fs.File
	in   fs.FS
	name string
}

func (f zonesFile) ReadDir(int) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.in, f.name)
	if err != nil {
		return nil, err
	}
	out := entries[:0]
	for _, e := range entries {
		full := path.Join(f.name, e.Name())
		switch {
		case slices.Contains([]string{"posix", "right", "localtime", "posixrules"}, full):
			continue
		case e.IsDir():
			out = append(out, e)
			continue
		}
		// Links are followed: an alias is a zone of its own name.
		if b, err := fs.ReadFile(f.in, full); err == nil && bytes.HasPrefix(b, []byte("TZif")) {
			i, err := fs.Stat(f.in, full)
			if err != nil {
				return nil, err
			}
			out = append(out, fs.FileInfoToDirEntry(i))
		}
	}
	return out, nil
}
