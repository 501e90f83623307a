package connector

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio carries messages over a process' standard input and output, one on each line. It is both the SDK's transport and its
// connection. The process is not its business: it is stopped by the session.
type stdio struct {
	tap   *tap
	in    io.Reader
	out   io.Writer
	noise *ring

	skipped  atomic.Int64 // lines that were no messages
	incoming chan jsonrpc.Message
	outgoing chan *outgoing

	once   sync.Once
	closed chan struct{} // no more reading and writing by the SDK
	ended  chan struct{} // standard output came to its end
}

type outgoing struct {
	data []byte
	r    *request
	done chan error
}

func newStdio(t *tap, in io.Reader, out io.Writer, noise *ring) *stdio {
	c := &stdio{tap: t, in: in, out: out, noise: noise, incoming: make(chan jsonrpc.Message), outgoing: make(chan *outgoing),
		closed: make(chan struct{}), ended: make(chan struct{})}
	go c.read()
	go c.write()
	return c
}

// Connect implements [mcp.Transport].
func (c *stdio) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection].
func (c *stdio) SessionID() string { return "" }

// Close implements [mcp.Connection]. Standard output is still read, and thrown away, until the process ends.
func (c *stdio) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read implements [mcp.Connection].
func (c *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-c.ended:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection]. It waits until the message is written, as long as ctx allows; a message of which a part is
// written is always finished.
func (c *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	data, r, drop := c.tap.outgoing(ctx, data)
	if drop {
		return nil
	}
	o := &outgoing{data: append(data, '\n'), r: r, done: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.outgoing <- o:
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *stdio) write() {
	for {
		select {
		case o := <-c.outgoing:
			if o.r != nil {
				o.r.sent.Store(true)
			}
			_, err := c.out.Write(o.data)
			o.done <- err
		case <-c.closed:
			return
		}
	}
}

// read reads standard output to its end.
func (c *stdio) read() {
	defer close(c.ended)
	b := bufio.NewReaderSize(c.in, 64<<10)
	for {
		line, size, tail, err := c.line(b)
		switch {
		case size > int64(c.tap.limit):
			if out := c.tap.tooLarge(line, tail, size, 0); out != nil {
				c.deliver(out)
			} else {
				c.skip(line)
			}
		case len(line) > 0:
			out, ok := c.tap.incoming(line)
			if !ok {
				c.skip(line)
			}
			for _, m := range out {
				c.deliver(m)
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				c.noise.add("reading its standard output: " + err.Error())
			}
			return
		}
	}
}

func (c *stdio) deliver(data []byte) {
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		c.skip(data)
		return
	}
	select {
	case c.incoming <- m:
	case <-c.closed:
	}
}

func (c *stdio) skip(line []byte) {
	c.skipped.Add(1)
	c.noise.add(string(line[:min(len(line), longestRead)]))
}

// line reads a line. Of one that is over the limit it returns only the beginning and the end.
func (c *stdio) line(b *bufio.Reader) (line []byte, size int64, tail []byte, err error) {
	for {
		part, err := b.ReadSlice('\n')
		size += int64(len(part))
		switch {
		case size <= int64(c.tap.limit):
			line = append(line, part...)
		case tail == nil:
			line = bytes.Clone(line[:min(len(line), longestRead)])
			fallthrough
		default:
			tail = append(tail, part[max(0, len(part)-512):]...)
			tail = tail[max(0, len(tail)-512):]
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, size, tail, err
	}
}
