// Command freeze makes the embedded guest from the reactor that wasm/build.sh links: it meters the module, starts the
// interpreter once, loads and warms everything that a run may need, and writes what is then in memory as an image.
//
// It is run by `make guest`, from the top of the repository:
//
//	go run ./wasm/freeze -reactor FILE -lib DIR -zones DIR -compiler TEXT -flags TEXT
//
// The same inputs give the same bytes: the interpreter sees a clock, random numbers and folders that do not change.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	var o options
	var flags string
	flag.StringVar(&o.reactor, "reactor", "", "the linked `file`")
	flag.StringVar(&o.lib, "lib", "", "`folder` of CPython's standard library")
	flag.StringVar(&o.zones, "zones", "", "`folder` of compiled time zones")
	flag.StringVar(&o.python, "python", "", "CPython's `version`")
	flag.StringVar(&o.compiler, "compiler", "", "first line of the compiler's version `text`")
	flag.StringVar(&flags, "flags", "", "the compiler's flags, separated by spaces")
	flag.StringVar(&o.out, "out", "assets", "`folder` to write to")
	flag.StringVar(&o.unmetered, "unmetered", "", "`file` for the same guest without the fuel pass, for make bench")
	flag.Parse()
	o.flags = strings.Fields(flags)
	if o.reactor == "" || o.lib == "" || o.zones == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := freeze(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "freeze:", err)
		os.Exit(1)
	}
}
