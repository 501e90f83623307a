package main

import goruntime "runtime"

const rowGrowth = "growth over 1000 runs"

// memory watches resident memory over a thousand runs, one after the other.
func (b *bench) memory() error {
	w, err := b.loadWorkflows()
	if err != nil {
		return err
	}
	runs := func(n int) error {
		for i := range n {
			p, inputs := w.trivial, []byte(nil)
			if i%2 == 1 {
				p, inputs = w.forty, w.inputs
			}
			if err := b.do(b.engine, p, inputs); err != nil {
				return err
			}
		}
		return nil
	}
	if err := runs(50); err != nil { // what is made once
		return err
	}
	start, err := residentNow()
	if err != nil {
		b.report.note("memory over many runs is not measured: %v", err)
		return nil
	}
	if err := runs(1000); err != nil {
		return err
	}
	end, err := residentNow()
	if err != nil {
		return err
	}
	b.report.add("memory", "resident at the start", "MiB", samples{float64(start.set) / mib})
	b.report.add("memory", "resident at the end", "MiB", samples{float64(end.set) / mib})
	b.report.add("memory", rowGrowth, "MiB", samples{float64(end.set-start.set) / mib})
	goruntime.KeepAlive(w)
	return nil
}
