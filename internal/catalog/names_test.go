package catalog

import (
	"strings"
	"testing"
)

func TestFieldFault59_dash_in_a_name(t *testing.T) {
	n := NewNames(Method, []string{"send-email"})
	if n.Python("send-email") != "send_email" {
		t.Error(n.Python("send-email"))
	}
	if wire, ok := n.Wire("send_email"); !ok || wire != "send-email" {
		t.Errorf("send_email is %q on the wire", wire)
	}
}

func TestFieldFault61_keywords_as_parameters(t *testing.T) {
	n := NewNames(Parameter, []string{"from", "to", "cik-A", "match", "case", "type", "_", "None"})
	for wire, python := range map[string]string{"from": "from_", "to": "to", "cik-A": "cik_A", "match": "match_", "case": "case_", "type": "type_", "_": "_", "None": "None_"} {
		if n.Python(wire) != python {
			t.Errorf("%s is %s, and not %s", wire, n.Python(wire), python)
		}
	}
	for _, word := range keywords {
		if p := NewNames(Parameter, []string{word}).Python(word); p != word+"_" {
			t.Errorf("%s is %s", word, p)
		}
	}
}

func TestFieldFault62_keywords_and_digits_everywhere(t *testing.T) {
	for _, kind := range []Kind{Connector, Method, Parameter} {
		for _, wire := range append([]string{"2fa", "1", "", "-", " ", "\x00", "class-", "９lives"}, keywords...) {
			if p := Identifier(kind, wire); !IsIdentifier(p) || IsKeyword(p) {
				t.Errorf("%q of kind %d is %q", wire, kind, p)
			}
		}
	}
}

func TestFieldFault64_names_that_differ_by_a_separator(t *testing.T) {
	n := NewNames(Method, []string{"read-only", "read_only", "read.only"})
	if n.Python("read_only") != "read_only" {
		t.Error("an exact name has to stay")
	}
	for _, wire := range []string{"read-only", "read.only"} {
		if p := n.Python(wire); p != "read_only_"+suffix(wire, 4) {
			t.Errorf("%s is %s", wire, p)
		}
	}
}

func TestFieldFault67_a_duplicate_in_the_reverse_map_is_loud(t *testing.T) {
	n := NewNames(Method, []string{"a-b", "a_b"})
	for _, wire := range []string{"a-b", "a_b"} {
		if back, _ := n.Wire(n.Python(wire)); back != wire {
			t.Errorf("%s comes back as %s", wire, back)
		}
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, `"a_b" and "other" are both called a_b`) {
			t.Errorf("said %q", said)
		}
	}()
	n.set("other", "a_b")
	t.Error("the map was overwritten")
}

func TestFieldFault68_names_of_other_scripts(t *testing.T) {
	words := []string{"查询", "创建", "删除", "🚀", "🎉", "!!!", "???", "查询!", "查询?", "", "поиск-файла", "ابحث"}
	n := NewNames(Method, words)
	seen := map[string]bool{}
	for _, wire := range words {
		p := n.Python(wire)
		if back, ok := n.Wire(p); !ok || back != wire || seen[p] || !IsIdentifier(p) {
			t.Errorf("%q is %q, which is %q", wire, p, back)
		}
		seen[p] = true
	}
	for wire, python := range map[string]string{
		"查询": "查询", "ابحث": "ابحث", "поиск-файла": "поиск_файла", "🚀": "tool_" + suffix("🚀", 6), "查询!": "查询_" + suffix("查询!", 4), "查询?": "查询_" + suffix("查询?", 4),
	} {
		if n.Python(wire) != python {
			t.Errorf("%q is %q, and not %q", wire, n.Python(wire), python)
		}
	}
}

func TestFieldFault70_no_reserved_parameter_names(t *testing.T) {
	for _, wire := range []string{"team", "agent", "timeout", "self", "ctx", "name", "id", "request", "run_context", "cls", "args", "kwargs", "print", "list", "str"} {
		if p := Identifier(Parameter, wire); p != wire {
			t.Errorf("%s is %s", wire, p)
		}
	}
	if p := Identifier(Parameter, "type"); p != "type_" {
		t.Error(p)
	}
}

func TestFieldFault74_a_space_in_the_name_of_a_connector(t *testing.T) {
	n := NewNames(Connector, []string{"Google Sheets", "google-sheets", "Google_Sheets 2"})
	for wire, python := range map[string]string{"Google Sheets": "Google_Sheets", "google-sheets": "google_sheets", "Google_Sheets 2": "Google_Sheets_2"} {
		if n.Python(wire) != python {
			t.Errorf("%s is %s", wire, n.Python(wire))
		}
	}
}

// What ctx has itself is never a connector.
func TestReservedAttributes(t *testing.T) {
	for _, word := range []string{"ai", "inputs", "media"} {
		n := NewNames(Connector, []string{word, word + "-", word + "_"})
		for _, wire := range []string{word, word + "-", word + "_"} {
			if p := n.Python(wire); p == word {
				t.Errorf("ctx.%s is the connector %s", p, wire)
			}
		}
		if Identifier(Method, word) != word || Identifier(Parameter, word) != word {
			t.Errorf("%s is only taken among connectors", word)
		}
	}
}

// A name has no character that cannot be seen.
func TestHiddenCharacters(t *testing.T) {
	for wire, python := range map[string]string{"⚙\ufe0fsettings": "settings", "re\ufe0fad": "read", "\u3164": "tool_" + suffix("\u3164", 6), "a\u1160b": "ab", "zero\u200bwidth": "zero_width"} {
		if p := Identifier(Method, wire); p != python {
			t.Errorf("%q is %q", wire, p)
		}
	}
	n := NewNames(Parameter, []string{"read", "read\ufe0f"})
	if n.Python("read") != "read" || n.Python("read\ufe0f") != "read_"+suffix("read\ufe0f", 4) {
		t.Error(n)
	}
}

// Nothing is cut: two names that differ only at their ends stay two.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("server-name__", 40)
	n := NewNames(Method, []string{long + "a", long + "b", long + "a!"})
	for _, wire := range []string{long + "a", long + "b", long + "a!"} {
		p := n.Python(wire)
		if back, _ := n.Wire(p); back != wire || len(p) < len(long) {
			t.Errorf("%q is %q", wire, p)
		}
	}
}
