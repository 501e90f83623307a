package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ErrNotJSON: a value that has to be JSON is not.
var ErrNotJSON = errors.New("store: not JSON in UTF-8")

// Canonical returns value in the form in which equal values are equal bytes: keys in the order of their UTF-8, no spaces, strings as
// encoding/json writes them, and numbers as exact decimals: 1.0, 1e0 and 1 are 1, -0 is 0, and from 30 digits on it is digits and an exponent.
// A key that is there twice is an error.
func Canonical(value json.RawMessage) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	out, err := canonical(nil, d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotJSON
	}
	return out, nil
}

func canonical(out []byte, d *json.Decoder) ([]byte, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return canonicalArray(out, d)
		}
		return canonicalObject(out, d)
	case json.Number:
		n, err := canonicalNumber(string(v))
		return append(out, n...), err
	case string:
		return appendString(out, v)
	case bool:
		return strconv.AppendBool(out, v), nil
	}
	return append(out, "null"...), nil
}

func canonicalArray(out []byte, d *json.Decoder) (_ []byte, err error) {
	out = append(out, '[')
	for first := true; d.More(); first = false {
		if !first {
			out = append(out, ',')
		}
		if out, err = canonical(out, d); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return append(out, ']'), err
}

func canonicalObject(out []byte, d *json.Decoder) (_ []byte, err error) {
	members := map[string][]byte{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
		}
		key, _ := token.(string) // keys are strings, or Token fails
		if _, twice := members[key]; twice {
			return nil, fmt.Errorf("%w: the key %q is there twice", ErrNotJSON, key)
		}
		if members[key], err = canonical(nil, d); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	keys := make([]string, 0, len(members))
	for k := range members {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out = append(out, '{')
	for i, k := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendString(out, k); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), members[k]...)
	}
	return append(out, '}'), nil
}

const plainDigits = 30

func canonicalNumber(text string) (string, error) {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > 1<<30 || exponent < -1<<30 {
			return "", fmt.Errorf("%w: the exponent of %s is out of range", ErrNotJSON, text)
		}
		mantissa = text[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", nil
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	digits = short
	switch point := len(digits) + exponent; { // where the decimal point is, from the left of digits
	case exponent >= 0 && point <= plainDigits:
		return sign + digits + strings.Repeat("0", exponent), nil
	case exponent < 0 && point > 0 && len(digits) <= plainDigits:
		return sign + digits[:point] + "." + digits[point:], nil
	case point <= 0 && len(digits)-point <= plainDigits:
		return sign + "0." + strings.Repeat("0", -point) + digits, nil
	}
	return sign + digits + "e" + strconv.Itoa(exponent), nil
}

// marshal is json.Marshal without the escapes that are for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func appendString(out []byte, s string) ([]byte, error) {
	b, err := marshal(s)
	return append(out, b...), err
}

// Digest is the address of a version: SHA-256 in hex over the canonical JSON of its code, both schemas and pins. Of a pin it takes what
// is its identity and the tool's digest; the schemas that are kept with it follow from those, up to wording.
func Digest(code string, inputs, outputs json.RawMessage, pins []Pin) (string, error) {
	if len(inputs) == 0 {
		inputs = json.RawMessage("{}")
	}
	if len(outputs) == 0 {
		outputs = json.RawMessage("null")
	}
	type pin struct {
		Connector string          `json:"connector"`
		Tool      string          `json:"tool"`
		Risk      Risk            `json:"risk"`
		Digest    string          `json:"digest"`
		Observed  json.RawMessage `json:"observed,omitempty"`
	}
	list := make([]pin, 0, len(pins))
	for _, p := range sortedPins(pins) {
		list = append(list, pin{p.Connector, p.Tool, p.Risk, p.Digest, p.Observed})
	}
	content, err := marshal(map[string]any{"code": code, "inputs_schema": inputs, "outputs_schema": outputs, "pins": list})
	if err != nil {
		return "", err
	}
	if content, err = Canonical(content); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
