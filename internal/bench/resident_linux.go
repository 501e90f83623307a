package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

func readResident() (r resident, err error) {
	b, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return r, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var name string
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "%s %d kB", &name, &kib); n != 2 {
			continue
		}
		switch name {
		case "Rss:":
			r.set = kib << 10
		case "Pss:":
			r.own = kib << 10
		}
	}
	return r, nil
}
