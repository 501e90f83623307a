package content

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// broken are blobs that cannot be read.
type broken struct{ Memory }

func (*broken) Blob(string) ([]byte, error) { return nil, errors.New("the disk is gone") }

// received is a run that has received these bytes.
func received(t testing.TB, all ...[]byte) *Memory {
	t.Helper()
	m := &Memory{}
	for _, data := range all {
		if _, err := m.PutBlob(data); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestFill(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(png)
	if err != nil {
		t.Fatal(err)
	}
	blobs := received(t, data, []byte{})
	empty := Prefix + digest(t, []byte{})
	other := Prefix + digest(t, []byte("bytes of another run"))
	for _, test := range []struct{ name, arguments, want, code string }{
		{name: "no handle", arguments: `{"a": [1.10, "x"]}`, want: `{"a": [1.10, "x"]}`},
		{name: "a handle", arguments: `{"data":"` + handle + `"}`, want: `{"data":"` + png + `"}`},
		{name: "anywhere", arguments: `{"n":1.10,"files":[{"name":"a\"b\\","data": "` + handle + `" },"` + handle + `"],"z":null}`,
			want: `{"n":1.10,"files":[{"name":"a\"b\\","data": "` + png + `" },"` + png + `"],"z":null}`},
		{name: "written with escapes", arguments: `{"data":"\u006dedia` + handle[5:] + `"}`, want: `{"data":"` + png + `"}`},
		{name: "of no bytes", arguments: `{"data":"` + empty + `"}`, want: `{"data":""}`},
		{name: "not as a key", arguments: `{"` + handle + `" : "` + handle + `"}`, want: `{"` + handle + `" : "` + png + `"}`},
		{name: "not inside of a text", arguments: `{"data":"see ` + handle + `","b":" ` + handle + `"}`, want: `{"data":"see ` + handle + `","b":" ` + handle + `"}`},
		{name: "only lower case", arguments: `{"data":"` + strings.Replace(handle, "4c4b", "4C4B", 1) + `"}`, want: `{"data":"` + strings.Replace(handle, "4c4b", "4C4B", 1) + `"}`},
		{name: "too short", arguments: `{"data":"` + handle[:70] + `"}`, want: `{"data":"` + handle[:70] + `"}`},
		{name: "of another run", arguments: `{"data":"` + other + `"}`, code: "unknown-media"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, failure := Fill(json.RawMessage(test.arguments), blobs)
			switch {
			case test.code != "":
				if failure == nil || failure.Code != test.code || !strings.Contains(failure.Message, "has not received") || got != nil {
					t.Errorf("%s, %+v, want %s", got, failure, test.code)
				}
			case failure != nil || string(got) != test.want:
				t.Errorf("%s, %+v, want %s", got, failure, test.want)
			}
		})
	}
	if _, failure := Fill(json.RawMessage(`{"data":"`+handle+`"}`), &broken{}); failure == nil || !strings.Contains(failure.Message, "the disk is gone") {
		t.Errorf("%+v", failure)
	}
}

// A handle is short, and what it stands for is not: a list of handles is measured before it is made.
func TestFillHasALimit(t *testing.T) {
	data := make([]byte, 40<<20)
	blobs := received(t, data)
	h := `"` + Prefix + digest(t, data) + `"`
	if _, failure := Fill(json.RawMessage(`{"a":[`+h+`]}`), blobs); failure != nil {
		t.Errorf("once: %+v", failure)
	}
	if _, failure := Fill(json.RawMessage(`{"a":[`+h+`,`+h+`]}`), blobs); failure == nil || failure.Code != "arguments-too-large" {
		t.Errorf("twice: %+v", failure)
	}
}

func TestRead(t *testing.T) {
	blobs := received(t, []byte("\x00\xffbytes"))
	h := Prefix + digest(t, []byte("\x00\xffbytes"))
	if data, failure := Read(json.RawMessage(`{"handle":"`+h+`"}`), blobs); failure != nil || string(data) != "\x00\xffbytes" {
		t.Errorf("%q, %+v", data, failure)
	}
	for request, says := range map[string]string{
		`{"handle":"` + handle + `"}`: "this run has not received " + handle,
		`{"handle":"x"}`:              `"x" is no handle`,
		`{"handle":""}`:               `"" is no handle`,
		`{"handle":" ` + h + `"}`:     "is no handle",
		`{"handle":7}`:                "is not one for media",
	} {
		if data, failure := Read(json.RawMessage(request), blobs); failure == nil || failure.Code != "unknown-media" || !strings.Contains(failure.Message, says) || data != nil {
			t.Errorf("%s: %q, %+v", request, data, failure)
		}
	}
}

func TestMemory(t *testing.T) {
	m := &Memory{}
	data := []byte("bytes")
	one, err := m.PutBlob(data)
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 'B' // the caller's own
	if two, err := m.PutBlob([]byte("bytes")); err != nil || one != two || m.size != 5 {
		t.Errorf("%s and %s, %d bytes, %v", one, two, m.size, err)
	}
	if got, err := m.Blob(one); err != nil || !bytes.Equal(got, []byte("bytes")) {
		t.Errorf("%q, %v", got, err)
	}
}
