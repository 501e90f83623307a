package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How often a client hears of a call's progress. The first bounds the messages of a run with many quick steps; the second keeps the
// client's own time limit from ending a call that is waiting.
const (
	progressPause = 100 * time.Millisecond
	progressBeat  = 5 * time.Second
)

// progress tells the client how a call goes on, if it asked for that. A client that is slow to listen does not slow the call down: it
// gets the latest news only.
type progress struct {
	news chan string // the latest, at most one
	end  context.CancelFunc
	done sync.WaitGroup
}

func startProgress(ctx context.Context, req *mcp.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &progress{news: make(chan string, 1), end: cancel}
	p.done.Go(func() {
		last := "working"
		for n := 1; ; n++ {
			beat := time.NewTimer(progressBeat)
			select {
			case <-ctx.Done():
				beat.Stop()
				return
			case last = <-p.news:
				beat.Stop()
			case <-beat.C:
			}
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: last})
			select {
			case <-ctx.Done():
				return
			case <-time.After(progressPause):
			}
		}
	})
	return p
}

// tell replaces the news.
func (p *progress) tell(text string) {
	if p == nil {
		return
	}
	select {
	case <-p.news:
	default:
	}
	select {
	case p.news <- text:
	default:
	}
}

// stop ends the telling: nothing may follow the call's result.
func (p *progress) stop() {
	if p != nil {
		p.end()
		p.done.Wait()
	}
}
