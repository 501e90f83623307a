package store

import (
	"fmt"
	"slices"
)

// RunStatus is where a run stands.
type RunStatus string

// The statuses.
const (
	Queued           RunStatus = "queued"            // a process will pick it up
	Running          RunStatus = "running"           // a process has it
	AwaitingApproval RunStatus = "awaiting_approval" // parked for a person's consent
	Waiting          RunStatus = "waiting"           // parked for something else, as an answer to a tool's question
	Interrupted      RunStatus = "interrupted"       // its process is gone; nothing is in doubt, so it can be resumed
	InDoubt          RunStatus = "in_doubt"          // its process is gone, and an act may or may not have happened
	Completed        RunStatus = "completed"
	Failed           RunStatus = "failed"    // also: a gate refused it
	Rejected         RunStatus = "rejected"  // a person refused it
	Expired          RunStatus = "expired"   // nobody answered in time
	Cancelled        RunStatus = "cancelled" // ended from outside
)

// StepState is where a step stands.
type StepState string

// The states.
const (
	StepIntent  StepState = "intent"   // about to be sent, or sent
	StepOK      StepState = "ok"       // answered
	StepError   StepState = "error"    // answered with a failure, or certain not to have been sent
	StepInDoubt StepState = "in_doubt" // sent perhaps, and no answer is known
)

// runMoves has every status and what may follow it. "" is a run that does not exist yet.
var runMoves = map[RunStatus][]RunStatus{
	"":               {Queued, Running, AwaitingApproval, Failed}, // Failed: refused by a gate
	Queued:           {Running, Failed, Cancelled},
	Running:          {Completed, Failed, Cancelled, AwaitingApproval, Waiting, Interrupted, InDoubt},
	AwaitingApproval: {Queued, Running, Failed, Rejected, Expired, Cancelled}, // Failed: a gate refused it when the consent was used
	Waiting:          {Queued, Running, Failed, Expired, Cancelled},
	Interrupted:      {Queued, Running, Failed, Cancelled},
	InDoubt:          {Interrupted, Failed, Cancelled}, // Interrupted: when the last doubt is settled
	Completed:        nil,
	Failed:           nil,
	Rejected:         nil,
	Expired:          nil,
	Cancelled:        nil,
}

// stepMoves has every state and what may follow it. "" is a step that does not exist yet.
var stepMoves = map[StepState][]StepState{
	"":          {StepIntent, StepOK, StepError},              // without an intent: answered without anything being sent
	StepIntent:  {StepOK, StepError, StepInDoubt, StepIntent}, // StepIntent: sent again, which only what cannot have acted is
	StepInDoubt: {StepOK, StepError, StepIntent},              // StepIntent: it did not happen, so it will be sent again
	StepOK:      nil,
	StepError:   nil,
}

// RunStatuses returns all statuses, first those that a run can leave.
func RunStatuses() []RunStatus {
	return []RunStatus{Queued, Running, AwaitingApproval, Waiting, Interrupted, InDoubt, Completed, Failed, Rejected, Expired, Cancelled}
}

// CanBecome reports whether a run of status s may move to next.
func (s RunStatus) CanBecome(next RunStatus) bool { return slices.Contains(runMoves[s], next) }

// Final reports whether a run of status s is over.
func (s RunStatus) Final() bool {
	moves, known := runMoves[s]
	return known && len(moves) == 0
}

// CanBecome reports whether a step in state s may move to next.
func (s StepState) CanBecome(next StepState) bool { return slices.Contains(stepMoves[s], next) }

// Final reports whether a step in state s is over.
func (s StepState) Final() bool {
	moves, known := stepMoves[s]
	return known && len(moves) == 0
}

// TransitionError says that a run or a step cannot move as was asked. It is for the caller to put into words that fit the command.
type TransitionError struct {
	Run      string
	Seq      int // of the step; 0: the run itself
	From, To string
	Reason   string // when it is not the states that forbid it
}

func (e *TransitionError) Error() string {
	what := "run " + e.Run
	if e.Seq != 0 {
		what = fmt.Sprintf("step %d of run %s", e.Seq, e.Run)
	}
	from := e.From
	if from == "" {
		from = "new"
	}
	text := fmt.Sprintf("%s is %s and cannot become %s", what, from, e.To)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func moveRun(id string, from, to RunStatus) error {
	if from.CanBecome(to) {
		return nil
	}
	return &TransitionError{Run: id, From: string(from), To: string(to)}
}

func moveStep(run string, seq int, from, to StepState) error {
	if from.CanBecome(to) {
		return nil
	}
	return &TransitionError{Run: run, Seq: seq, From: string(from), To: string(to)}
}
