package stubs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Package is the name of the package of stubs, as workflows import it.
const Package = "runlace_types"

const made = "# Made by Runlace. Do not edit: runlace sync writes it anew.\n"

const initText = made + `from runlace_types._workflow import Inputs as Inputs, Output as Output
from runlace_types.ctx import Ctx as Ctx, ToolError as ToolError

__all__ = ["Ctx", "Inputs", "Output", "ToolError"]
`

const ctxText = `from typing import Any, overload

from runlace_types._workflow import Inputs
`

const ctxBody = `
class ToolError(Exception):
    """A call that failed. A workflow may catch it."""
    message: str  # what happened
    code: str  # the kind of failure
    data: Any  # what the tool said besides, or None
    tool: str  # the tool's connector and its name on the wire, or ""
    def __init__(self, message: str = "", code: str = "tool-error", data: Any = None, tool: str = "") -> None: ...

class Ai:
    """The model."""
    @overload
    def __call__(self, *, system: str, user: str) -> str:
        """Asks for text."""
    @overload
    def __call__(self, *, system: str, user: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Asks for an object that fits the JSON Schema."""

class Ctx:
    """What run(ctx) is given."""
    inputs: Inputs
    ai: Ai
    def media(self, handle: str) -> bytes:
        """The bytes behind a handle, which results have in place of images, audio and files. A handle is good in the run that received it."""
`

// Files returns the package of stubs for connectors: texts by their path inside of runlace_types, with slashes.
func Files(connectors []*Connector) map[string]string {
	files := map[string]string{
		"__init__.pyi":            initText,
		"_workflow.pyi":           NoWorkflow,
		"connectors/__init__.pyi": made,
	}
	var imports, attrs strings.Builder
	for _, c := range connectors {
		files["connectors/"+c.Attr+".pyi"] = c.Stub()
		fmt.Fprintf(&imports, "from runlace_types.connectors import %s as _%s\n", c.Attr, c.Attr)
		fmt.Fprintf(&attrs, "    %s: _%s.%s\n", c.Attr, c.Attr, c.class)
	}
	files["ctx.pyi"] = made + ctxText + imports.String() + ctxBody + attrs.String()
	return files
}

// Write writes the package into dir/runlace_types, each file at once, and removes the files of connectors that are no more. A file whose
// text is the same is left alone.
func Write(dir string, connectors []*Connector) error {
	root := filepath.Join(dir, Package)
	folder := filepath.Join(root, "connectors")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	files := Files(connectors)
	for name, text := range files {
		if err := write(filepath.Join(root, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	there, err := filepath.Glob(filepath.Join(folder, "*.pyi"))
	if err != nil {
		return err
	}
	for _, path := range there {
		if _, ok := files["connectors/"+filepath.Base(path)]; ok {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func write(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".stub-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
