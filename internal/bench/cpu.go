package main

import "fmt"

// Program is a program of the CPU set.
type Program struct {
	Name string `json:"name"`
	// Output is what it returned, in every contender: JSON.
	Output string `json:"output"`
	// Seconds is the smallest CPU time of a run, by contender.
	Seconds map[string]float64 `json:"seconds"`
}

// Contenders of the CPU set, peers aside.
const (
	metered   = "metered"   // the guest as it is shipped
	unmetered = "unmetered" // the same without the fuel pass
	closing   = "wazero's"  // unmetered, interrupted by wazero's own WithCloseOnContextDone
)

// closingEvery: it is so slow that it gets a sample only every so many rounds.
const closingEvery = 4

// contender runs a program once and returns its output and the CPU seconds that it took.
type contender struct {
	name string
	// every is how many rounds go by for one sample of it.
	every int
	run   func(path string) (output string, seconds float64, err error)
}

// cpu runs the CPU set, in turns, and checks that the contenders agree.
func (b *bench) cpu() error {
	files, err := b.programs()
	if err != nil {
		return err
	}
	contenders, closeGuests := b.guests()
	defer closeGuests()
	for _, p := range b.peers {
		s, err := p.serve(b.ctx)
		if err != nil {
			return err
		}
		defer s.close()
		contenders = append(contenders, contender{p.Name, 1, s.run})
	}
	programs := make([]Program, len(files))
	rounds := b.samples(20, 4)
	for round := range rounds {
		for i, file := range files {
			for turn := range contenders {
				// Each gets to follow each: what runs right after another process finds colder caches.
				c := contenders[(turn+round)%len(contenders)]
				if round%c.every != 0 {
					continue
				}
				if err := programs[i].sample(file, c); err != nil {
					return fmt.Errorf("%s: %s: %w", programName(file), c.name, err)
				}
			}
		}
	}
	b.report.Programs = programs
	for _, c := range contenders {
		b.report.Contenders = append(b.report.Contenders, c.name)
	}
	b.report.note("CPU work: %s, the smallest of %d samples (%s: of %d), in turns. Each sample of a guest is a run in a fresh interpreter.",
		cpuClock, rounds, closing, (rounds+closingEvery-1)/closingEvery)
	for _, p := range b.peers {
		if p.Name == peerNative && !p.profiled() {
			b.report.note("CPU work: native was built without a profile (PGO), which the guest's build has: a distribution's Python can be faster than it.")
		}
	}
	return nil
}

// sample takes one sample.
func (p *Program) sample(file string, c contender) error {
	output, seconds, err := c.run(file)
	if err != nil {
		return err
	}
	if p.Seconds == nil {
		p.Name, p.Output, p.Seconds = programName(file), output, map[string]float64{}
	}
	if output != p.Output {
		return fmt.Errorf("it returned %s, and before that %s was returned", output, p.Output)
	}
	if best, ok := p.Seconds[c.name]; !ok || seconds < best {
		p.Seconds[c.name] = seconds
	}
	return nil
}
