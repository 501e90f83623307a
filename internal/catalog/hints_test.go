package catalog

import "testing"

// What a server's hints mean for whether a tool may run without consent.
func TestFieldFault113_HintDefaults(t *testing.T) {
	yes, no := true, false
	t.Run("field-fault-113 the four defaults", func(t *testing.T) {
		none := Annotations{}.Effective()
		for _, c := range []struct {
			hint      string
			got, want bool
		}{
			{"readOnlyHint", none.ReadOnly, false},
			{"destructiveHint", none.Destructive, true},
			{"idempotentHint", none.Idempotent, false},
			{"openWorldHint", none.OpenWorld, true},
		} {
			if c.got != c.want {
				t.Errorf("%s is %v where it is not given", c.hint, c.got)
			}
		}
	})
	for _, c := range []struct {
		name, tool string
		a          Annotations
		want       Risk
	}{
		{"field-fault-112 no annotations", "bare", Annotations{}, SideEffect},
		{"field-fault-113 only a title", "bare", Annotations{Title: "Reads a file"}, SideEffect},
		{"field-fault-112 all but the one that counts", "bare", Annotations{DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}, SideEffect},
		{"field-fault-115 a name that begins with get", "get_and_delete", Annotations{}, SideEffect},
		{"field-fault-115 a name that begins with read", "read_everything", Annotations{ReadOnlyHint: &no}, SideEffect},
		{"field-fault-115 a name that says delete", "delete_all", Annotations{ReadOnlyHint: &yes}, ReadOnly}, // the policy can say otherwise
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := New("x", Tool{Name: c.tool, Annotations: c.a}).Risk; got != c.want {
				t.Errorf("%s with %+v is %s, not %s", c.tool, c.a, got, c.want)
			}
		})
	}
}
