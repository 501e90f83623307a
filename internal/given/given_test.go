package given

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inputs.json")
	if err := os.WriteFile(file, []byte("\ufeff{\"id\": 1915883588174806058, \"rate\": 1.10, \"big\": 1000000000000000000000000000000}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file, stdin string
		pairs             []string
		want, err         string
	}{
		{name: "nothing", want: `{}`},
		{name: "field-fault-43 digits of a file", file: file, want: `{"id":1915883588174806058,"rate":1.10,"big":1000000000000000000000000000000}`},
		{name: "field-fault-43 digits of pairs", pairs: []string{"id=1915883588174806059", "rate=0.1234567890123456789012345", "zero=-0.0"}, want: `{"id":1915883588174806059,"rate":0.1234567890123456789012345,"zero":-0.0}`},
		{name: "pairs over a file", file: file, pairs: []string{"rate=2.50", "name=Ada"}, want: `{"id":1915883588174806058,"rate":2.50,"big":1000000000000000000000000000000,"name":"Ada"}`},
		{name: "standard input", file: "-", stdin: `{"a":1}`, want: `{"a":1}`},
		{name: "field-fault-31 none is null", pairs: []string{"a=null", "b="}, want: `{"a":null,"b":""}`},
		{name: "twice", pairs: []string{"a=1", "a=2"}, err: "--input a is given twice"},
		{name: "no pair", pairs: []string{"a"}, err: "not of the form name=value"},
		{name: "no object", file: "-", stdin: `[1]`, err: "standard input: line 1, column 1: this is an array"},
		{name: "no number", pairs: []string{"a=1e999"}, err: "too large for a float"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := In{Stdin: strings.NewReader(c.stdin)}.Inputs(context.Background(), c.file, c.pairs)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %s, %v", got, err)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}
