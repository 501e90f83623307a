package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/runlace/runlace/hostfuncs"
	"github.com/runlace/runlace/internal/fault"
	"github.com/runlace/runlace/internal/schema/ordered"
)

// MaxWire is the limit of one message with media: of an answer, and of the arguments that are sent. It is base64, and so holds 48 MiB of
// bytes; what a workflow gets to see of it are handles.
const MaxWire = 64 << 20

// Prefix is what a handle begins with.
const Prefix = "media:sha256:"

// Blobs keeps the bytes of a run's media, by the SHA-256 of their content in lowercase hexadecimal.
type Blobs interface {
	// PutBlob keeps bytes that the run has received.
	PutBlob(data []byte) (digest string, err error)
	// Blob returns bytes that this run has received, and has an error with the code unknown-blob for all others.
	Blob(digest string) ([]byte, error)
}

// digestOf returns the digest in a handle; ok is false if the text is none.
func digestOf(text string) (digest string, ok bool) {
	digest, ok = strings.CutPrefix(text, Prefix)
	if !ok || len(digest) != 2*sha256.Size {
		return "", false
	}
	for i := range len(digest) {
		if c := digest[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", false
		}
	}
	return digest, true
}

// media puts the bytes of an image, an audio or a resource block away. A block without bytes stays as it is.
func (u *unwrapping) media(b *block, blobs Blobs) {
	v, err := ordered.Parse(b.raw)
	if err != nil {
		return
	}
	at, key := v, "data"
	if b.kind == "resource" {
		at, key = v.Get("resource"), "blob"
	}
	if at == nil || !at.Get(key).Is(ordered.String) {
		return
	}
	data, ok := decode(at.Get(key).Text)
	if !ok {
		u.warn("block %d: the %s of this %s is not base64, and is passed on as it is", b.number, key, b.kind)
		return
	}
	mime := at.Get("mimeType").Str()
	b.media = fmt.Sprintf("%s of %d bytes", strings.TrimSpace(b.kind+" "+mime), len(data))
	digest, err := blobs.PutBlob(data)
	if err != nil {
		// The call has been made, and its answer has to get through.
		u.warn("block %d: the %s could not be kept: %v", b.number, b.media, err)
		at.Set(key, &ordered.Value{})
	} else {
		b.media += ", " + Prefix + digest
		at.Set(key, ordered.NewString(Prefix+digest))
	}
	if old := at.Get("size"); old != nil && !old.Equal(ordered.NewInt(len(data))) {
		u.warn("block %d: its size is %d, and not %s as the server says", b.number, len(data), short(string(old.JSON())))
	}
	at.Set("size", ordered.NewInt(len(data)))
	b.raw = v.JSON()
}

var encodings = []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding}

// decode reads base64 in either alphabet, with or without padding, with white space in between, or as a data: address.
func decode(text string) ([]byte, bool) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		head, body, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasSuffix(head, ";base64") {
			return nil, false
		}
		text = body
	}
	if strings.ContainsAny(text, " \t") { // line feeds are skipped anyway
		text = strings.NewReplacer(" ", "", "\t", "").Replace(text)
	}
	for _, e := range encodings {
		if data, err := e.DecodeString(text); err == nil {
			return data, true
		}
	}
	return nil, false
}

// Fill returns arguments with base64 in the place of handles. Arguments without handles are returned as they are.
func Fill(arguments json.RawMessage, blobs Blobs) (json.RawMessage, *hostfuncs.Error) {
	var out []byte
	size, done := len(arguments), 0 // size of what will be sent, and how much of the arguments is in out
	for at := 0; at < len(arguments); {
		if arguments[at] != '"' {
			at++
			continue
		}
		end := closing(arguments, at)
		text := arguments[at:end]
		if digest, ok := handleIn(text); ok && !isKey(arguments[end:]) {
			data, failure := fetch(digest, blobs)
			if failure != nil {
				return nil, failure
			}
			if size += base64.StdEncoding.EncodedLen(len(data)) + 2 - len(text); size > MaxWire {
				return nil, &hostfuncs.Error{Code: CodeTooLarge,
					Message: fmt.Sprintf("the arguments with their media are larger than %d bytes, which is the limit", MaxWire)}
			}
			out = append(append(out, arguments[done:at]...), '"')
			out = append(base64.StdEncoding.AppendEncode(out, data), '"')
			done = end
		}
		at = end
	}
	if out == nil {
		return arguments, nil
	}
	return append(out, arguments[done:]...), nil
}

// closing returns the index behind the string that begins at an index of valid JSON.
func closing(b []byte, at int) int {
	for i := at + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// handleIn returns the digest if a JSON string is a handle, also one that is written with escapes.
func handleIn(quoted []byte) (string, bool) {
	const length = len(Prefix) + 2*sha256.Size
	if len(quoted) < length+2 || len(quoted) > 6*length+2 {
		return "", false
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return "", false
	}
	return digestOf(text)
}

func isKey(behind []byte) bool {
	behind = bytes.TrimLeft(behind, " \t\r\n")
	return len(behind) > 0 && behind[0] == ':'
}

// Read answers ctx.media: request is {"handle": text}.
func Read(request json.RawMessage, blobs Blobs) ([]byte, *hostfuncs.Error) {
	var r struct {
		Handle string `json:"handle"`
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, &hostfuncs.Error{Code: CodeUnknownMedia, Message: "the request is not one for media: " + err.Error()}
	}
	digest, ok := digestOf(r.Handle)
	if !ok {
		return nil, &hostfuncs.Error{Code: CodeUnknownMedia, Message: fmt.Sprintf("%q is no handle: one is %s and 64 hexadecimal digits", short(r.Handle), Prefix)}
	}
	return fetch(digest, blobs)
}

func fetch(digest string, blobs Blobs) ([]byte, *hostfuncs.Error) {
	data, err := blobs.Blob(digest)
	if err == nil {
		return data, nil
	}
	message := "this run has not received " + Prefix + digest + " in the result of a tool"
	if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Code != "unknown-blob" {
		message = Prefix + digest + " cannot be read: " + err.Error()
	}
	return nil, &hostfuncs.Error{Code: CodeUnknownMedia, Message: message}
}

// mostMemory is how much a Memory keeps.
const mostMemory = 4 * MaxWire

// Memory are the Blobs of a run that is not stored. The zero Memory is empty.
type Memory struct {
	mu    sync.Mutex
	blobs map[string][]byte
	size  int
}

// PutBlob keeps bytes until the Memory is dropped.
func (m *Memory) PutBlob(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[digest]; ok {
		return digest, nil
	}
	if m.size+len(data) > mostMemory {
		return "", fmt.Errorf("a run that is not stored keeps no more than %d bytes of media", mostMemory)
	}
	if m.blobs == nil {
		m.blobs = map[string][]byte{}
	}
	m.blobs[digest] = bytes.Clone(data)
	m.size += len(data)
	return digest, nil
}

// Blob returns bytes that were put.
func (m *Memory) Blob(digest string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[digest]
	if !ok {
		return nil, fault.New("unknown-blob", "there are no bytes with the digest %s", digest)
	}
	return data, nil
}
