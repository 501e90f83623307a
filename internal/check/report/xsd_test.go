package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// xsd is what of XML Schema the schema of JUnit reports uses: global elements that are text, or have attributes and a sequence of other elements.
type xsd struct {
	Elements []*xsdElement `xml:"element"`
}

type xsdElement struct {
	Name    string `xml:"name,attr"`
	Ref     string `xml:"ref,attr"`
	Type    string `xml:"type,attr"`
	Min     string `xml:"minOccurs,attr"`
	Max     string `xml:"maxOccurs,attr"`
	Complex *struct {
		Mixed      bool          `xml:"mixed,attr"`
		Sequence   []*xsdElement `xml:"sequence>element"`
		Attributes []struct {
			Name string `xml:"name,attr"`
			Use  string `xml:"use,attr"`
			Type string `xml:"type,attr"`
		} `xml:"attribute"`
	} `xml:"complexType"`
}

func readXSD(t *testing.T, text []byte) *xsd {
	t.Helper()
	x := &xsd{}
	if err := xml.Unmarshal(text, x); err != nil || len(x.Elements) < 5 {
		t.Fatalf("the schema cannot be read: %d elements, %v", len(x.Elements), err)
	}
	for _, e := range x.Elements {
		if e.Complex == nil {
			if e.Type != "xs:string" {
				t.Fatalf("%s has the type %s, which is not understood here", e.Name, e.Type)
			}
			continue
		}
		for _, a := range e.Complex.Attributes {
			if a.Type != "xs:string" {
				t.Fatalf("%s/%s has the type %s, which is not understood here", e.Name, a.Name, a.Type)
			}
		}
	}
	return x
}

func (x *xsd) element(name string) *xsdElement {
	for _, e := range x.Elements {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// xsdNode is an element of a document.
type xsdNode struct {
	name     string
	attrs    []xml.Attr
	children []*xsdNode
	text     strings.Builder
}

func (x *xsd) validate(t *testing.T, text []byte) (wrong []string) {
	t.Helper()
	root := &xsdNode{}
	open := []*xsdNode{root}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return []string{err.Error()}
		}
		top := open[len(open)-1]
		switch v := token.(type) {
		case xml.StartElement:
			n := &xsdNode{name: v.Name.Local, attrs: v.Attr}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text.Write(v)
		}
	}
	if len(root.children) != 1 {
		return []string{"there is not one element at the top"}
	}
	return x.check(root.children[0])
}

func (x *xsd) check(n *xsdNode) (wrong []string) {
	say := func(format string, args ...any) {
		wrong = append(wrong, n.name+": "+fmt.Sprintf(format, args...))
	}
	e := x.element(n.name)
	if e == nil {
		say("there is no such element")
		return wrong
	}
	if e.Complex == nil {
		if len(n.children)+len(n.attrs) > 0 {
			say("it is text, and has elements or attributes")
		}
		return wrong
	}
	if !e.Complex.Mixed && strings.TrimSpace(n.text.String()) != "" {
		say("it has text")
	}
	known := map[string]bool{}
	for _, a := range e.Complex.Attributes {
		known[a.Name] = true
		there := false
		for _, has := range n.attrs {
			there = there || has.Name.Local == a.Name
		}
		if a.Use == "required" && !there {
			say("the attribute %s is missing", a.Name)
		}
	}
	for _, a := range n.attrs {
		if !known[a.Name.Local] {
			say("there is no attribute %s", a.Name.Local)
		}
	}
	rest := n.children
	for _, s := range e.Complex.Sequence {
		count := 0
		for len(rest) > 0 && rest[0].name == s.Ref && (s.Max == "unbounded" || count == 0) {
			wrong = append(wrong, x.check(rest[0])...)
			rest = rest[1:]
			count++
		}
		if count == 0 && s.Min != "0" {
			say("the element %s is missing", s.Ref)
		}
	}
	if len(rest) > 0 {
		say("the element %s may not stand here", rest[0].name)
	}
	return wrong
}
