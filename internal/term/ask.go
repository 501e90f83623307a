package term

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// Ask asks a question that is answered with y or n, until it is. Without an answer it is no. It ends with ctx's error when that is done.
func Ask(ctx context.Context, in io.Reader, out io.Writer, format string, args ...any) (bool, error) {
	return ask(ctx, in, out, fmt.Sprintf(format, args...), false)
}

// AskYes is Ask, but an empty line is yes. The end of the input is no.
func AskYes(ctx context.Context, in io.Reader, out io.Writer, format string, args ...any) (bool, error) {
	return ask(ctx, in, out, fmt.Sprintf(format, args...), true)
}

func ask(ctx context.Context, in io.Reader, out io.Writer, question string, otherwise bool) (bool, error) {
	r := bufio.NewReader(in) // in itself, if it is one already: several questions need that
	choice := " [y/N] "
	if otherwise {
		choice = " [Y/n] "
	}
	for {
		if _, err := io.WriteString(out, Text(out, question)+choice); err != nil {
			return false, err
		}
		type answer struct {
			text string
			err  error
		}
		got := make(chan answer, 1)
		go func() {
			text, err := r.ReadString('\n') // what came before the end counts
			got <- answer{text, err}
		}()
		select {
		case <-ctx.Done():
			_, _ = io.WriteString(out, "\n")
			return false, ctx.Err()
		case a := <-got:
			switch text := strings.ToLower(strings.TrimSpace(a.text)); {
			case text == "y" || text == "yes":
				return true, nil
			case text == "n" || text == "no":
				return false, nil
			case a.err != nil:
				return false, nil
			case text == "":
				return otherwise, nil
			}
		}
	}
}

// Console is where questions go: w if it is a terminal, else the terminal of the process; nil if there is none, or nobody types there.
func Console(in *os.File, w io.Writer) io.Writer {
	if !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	if Is(w) {
		return w
	}
	name := "/dev/tty"
	if runtime.GOOS == "windows" {
		name = "CONOUT$"
	}
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
		return f // for the rest of the process
	}
	return nil
}
