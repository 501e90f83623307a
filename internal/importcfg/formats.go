package importcfg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/runlace/runlace/internal/jsonc"
)

// What bounds a file in TOML or YAML, whose parsers call themselves for each level: far above what people write.
const (
	maxText   = 1 << 20 // bytes
	maxOpen   = 10_000  // brackets that are open at once, counted without looking for strings
	maxValues = 200_000 // values, when aliases are in place
)

// format is how a file is written, which its name says.
func format(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		return "TOML"
	case ".yaml", ".yml":
		return "YAML"
	}
	return "JSON"
}

// document reads a text in the format that the file's name promises. Whatever the format, what comes out is the tree of a JSON
// document, in the file's order, so that there is one reader for all. The note says what of the text is not in the tree. Errors have a
// place, and never a part of the text, which may be a secret.
func document(path string, text []byte) (doc jsonc.Node, note string, err error) {
	w := &jsonWriter{}
	switch format(path) {
	case "TOML":
		err = w.toml(text)
	case "YAML":
		note, err = w.yaml(text)
	default:
		doc, err = jsonc.Parse(text)
		return doc, "", err
	}
	if err != nil {
		return jsonc.Node{}, "", err
	}
	doc, err = jsonc.Parse(w.out.Bytes())
	return doc, note, err
}

// bounded says why a text is too much for a parser that calls itself for each level.
func bounded(text []byte) error {
	if len(text) > maxText {
		return fmt.Errorf("it is larger than %d KiB", maxText>>10)
	}
	open := 0
	for line := range bytes.Lines(text) {
		dashes := 0
		for i, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			case '-', '?', ':', '.', '&', '!':
				dashes++ // a level each: - - - a, and a.b.c
			}
			if open > maxOpen || dashes > maxOpen && i < 4*maxOpen {
				return fmt.Errorf("it is nested more than %d deep", jsonc.MaxDepth)
			}
		}
	}
	return nil
}

// jsonWriter writes JSON of another format's values.
type jsonWriter struct {
	out    bytes.Buffer
	values int
}

var errDeep = errors.New("it is nested too deeply, or its aliases make too much of it")

// enter counts a value, and says whether it may be written.
func (w *jsonWriter) enter(depth int) error {
	if w.values++; w.values > maxValues || depth > jsonc.MaxDepth-10 {
		return errDeep
	}
	return nil
}

func (w *jsonWriter) text(s string) {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		panic(err) // it is text
	}
	w.out.Write(b)
}

// object writes the members that f writes.
func (w *jsonWriter) object(names []string, f func(i int) error) error {
	w.out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.text(name)
		w.out.WriteByte(':')
		if err := f(i); err != nil {
			return err
		}
	}
	w.out.WriteByte('}')
	return nil
}

func (w *jsonWriter) list(n int, f func(i int) error) error {
	w.out.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := f(i); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

// number writes a floating-point number; one that JSON does not have is text.
func (w *jsonWriter) number(v float64) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		w.text(strconv.FormatFloat(v, 'g', -1, 64))
		return
	}
	w.out.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
}

// toml reads TOML 1.0.
func (w *jsonWriter) toml(text []byte) (err error) {
	if err := bounded(text); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it is not TOML")
		}
	}()
	doc := map[string]any{}
	meta, err := toml.Decode(string(text), &doc)
	if err != nil {
		if e := (toml.ParseError{}); errors.As(err, &e) {
			return &jsonc.Error{Line: max(1, e.Position.Line), Column: max(1, e.Position.Col), Reason: "it is not TOML"}
		}
		return errors.New("it is not TOML")
	}
	order := map[string]int{}
	for i, key := range meta.Keys() {
		for n := range key { // a table may be there by its name only
			if path := strings.Join(key[:n+1], "\x00"); order[path] == 0 {
				order[path] = i + 1
			}
		}
	}
	return w.tomlValue(doc, "", order, 0)
}

func (w *jsonWriter) tomlValue(v any, path string, order map[string]int, depth int) error {
	if err := w.enter(depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		below := func(name string) string {
			if depth == 0 {
				return name
			}
			return path + "\x00" + name
		}
		slices.SortFunc(names, func(a, b string) int {
			if x, y := order[below(a)], order[below(b)]; x != y {
				return x - y
			}
			return strings.Compare(a, b)
		})
		return w.object(names, func(i int) error { return w.tomlValue(v[names[i]], below(names[i]), order, depth+1) })
	case []map[string]any:
		return w.list(len(v), func(i int) error { return w.tomlValue(v[i], path, order, depth+1) })
	case []any:
		return w.list(len(v), func(i int) error { return w.tomlValue(v[i], path, order, depth+1) })
	case string:
		w.text(v)
	case float64:
		w.number(v)
	case int64:
		w.out.WriteString(strconv.FormatInt(v, 10))
	case bool:
		w.out.WriteString(strconv.FormatBool(v))
	case time.Time:
		w.text(v.Format(time.RFC3339Nano))
	default:
		w.text(fmt.Sprint(v))
	}
	return nil
}

var yamlPlace = regexp.MustCompile(`\[(\d+):(\d+)\]`)

// yaml reads the first document of a text in YAML 1.2.
func (w *jsonWriter) yaml(text []byte) (note string, err error) {
	if err := bounded(text); err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it is not YAML")
		}
	}()
	parsed, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		e := &jsonc.Error{Line: 1, Column: 1, Reason: "it is not YAML"}
		if m := yamlPlace.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Column, _ = strconv.Atoi(m[2])
		}
		return "", e
	}
	y := &yamlReader{jsonWriter: w, anchors: map[string]ast.Node{}}
	documents := 0
	for _, d := range parsed.Docs {
		if empty(d.Body) {
			continue
		}
		if documents++; documents == 1 {
			if err := y.value(d.Body, 0); err != nil {
				return "", err
			}
		}
	}
	if documents > 1 {
		note = fmt.Sprintf("the file has %d documents, and the first one counts", documents)
	}
	return note, nil
}

func empty(n ast.Node) bool {
	switch n.(type) {
	case nil, *ast.CommentGroupNode, *ast.DirectiveNode:
		return true
	}
	return false
}

type yamlReader struct {
	*jsonWriter
	anchors map[string]ast.Node
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// value writes one node. What is a number in both languages is written as it stands.
func (y *yamlReader) value(n ast.Node, depth int) error {
	if err := y.enter(depth); err != nil {
		return err
	}
	switch n := n.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode, *ast.DirectiveNode:
		y.out.WriteString("null")
	case *ast.MappingNode, *ast.MappingValueNode:
		return y.mapping(n, depth)
	case *ast.SequenceNode:
		return y.list(len(n.Values), func(i int) error { return y.value(n.Values[i], depth+1) })
	case *ast.AnchorNode:
		y.anchors[scalar(n.Name)] = n.Value
		return y.value(n.Value, depth+1)
	case *ast.AliasNode:
		return y.value(y.anchors[scalar(n.Value)], depth+1)
	case *ast.TagNode:
		switch v := n.Value.(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
			if n.Start != nil && n.Start.Value == "!!str" {
				y.text(scalar(v))
				return nil
			}
		}
		return y.value(n.Value, depth+1)
	case *ast.BoolNode:
		y.out.WriteString(strconv.FormatBool(n.Value))
	case *ast.IntegerNode:
		if s := scalar(n); jsonNumber.MatchString(s) {
			y.out.WriteString(s)
		} else { // hexadecimal, octal
			y.out.WriteString(fmt.Sprint(n.Value))
		}
	case *ast.FloatNode:
		if s := scalar(n); jsonNumber.MatchString(s) {
			y.out.WriteString(s)
		} else {
			y.number(n.Value)
		}
	default:
		y.text(scalar(n))
	}
	return nil
}

// mapping writes a mapping; what << brings in stands behind what is there itself.
func (y *yamlReader) mapping(n ast.Node, depth int) error {
	var names []string
	var values []ast.Node
	own := map[string]bool{}
	var merged []ast.Node
	for _, pair := range pairs(n) {
		if _, ok := pair.Key.(*ast.MergeKeyNode); ok {
			merged = append(merged, pair.Value)
			continue
		}
		name := scalar(pair.Key)
		own[name] = true
		names, values = append(names, name), append(values, pair.Value)
	}
	for level := 0; len(merged) > 0; level++ {
		if err := y.enter(depth + level); err != nil {
			return err
		}
		next := merged[0]
		merged = merged[1:]
		switch m := next.(type) {
		case *ast.AliasNode:
			merged = append([]ast.Node{y.anchors[scalar(m.Value)]}, merged...)
		case *ast.AnchorNode:
			y.anchors[scalar(m.Name)] = m.Value
			merged = append([]ast.Node{m.Value}, merged...)
		case *ast.SequenceNode:
			merged = append(slices.Clone(m.Values), merged...)
		case *ast.MappingNode, *ast.MappingValueNode:
			for _, pair := range pairs(m) {
				if _, ok := pair.Key.(*ast.MergeKeyNode); ok {
					merged = append(merged, pair.Value)
				} else if name := scalar(pair.Key); !own[name] {
					own[name] = true
					names, values = append(names, name), append(values, pair.Value)
				}
			}
		}
	}
	return y.object(names, func(i int) error { return y.value(values[i], depth+1) })
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// scalar is the text of a key or a value, without quotes.
func scalar(n ast.Node) string {
	switch n := n.(type) {
	case nil:
		return ""
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.MappingKeyNode:
		return scalar(n.Value)
	case *ast.AnchorNode:
		return scalar(n.Value)
	case *ast.TagNode:
		return scalar(n.Value)
	}
	if t := n.GetToken(); t != nil && t.Type != token.MappingStartType {
		return t.Value
	}
	return ""
}
