/* Strict JSON. Python's own encoder turns keys that are not strings into strings and lets NaN through, and its errors do
 * not say where in the value they are. This one refuses what JSON cannot say, and keeps the path to it. */
#include "guest.h"
#include <string.h>

struct writer {
    char *buf;
    Py_ssize_t len, cap;
    PyObject *error;         /* the exception to raise for a value that is not JSON */
    PyObject **above;        /* the containers that are being written, outermost first */
    Py_ssize_t depth, room;
    PyObject *path;          /* list, innermost first, while an error is on its way out */
};

static int reserve(struct writer *w, Py_ssize_t n)
{
    if (w->cap - w->len >= n)
        return 0;
    Py_ssize_t cap = w->cap + w->cap / 2 > w->len + n ? w->cap + w->cap / 2 : w->len + n;
    char *buf = PyMem_Realloc(w->buf, (size_t)cap);
    if (buf == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    w->buf = buf;
    w->cap = cap;
    return 0;
}

static int put(struct writer *w, const char *s, Py_ssize_t n)
{
    if (reserve(w, n) < 0)
        return -1;
    memcpy(w->buf + w->len, s, (size_t)n);
    w->len += n;
    return 0;
}

/* Raises error(path, value, reason); the path is filled in by the callers and by guest_encode. */
static int refuse(struct writer *w, PyObject *value, const char *reason)
{
    PyObject *exc = PyObject_CallFunction(w->error, "OOs", Py_None, value, reason);
    if (exc == NULL)
        return -1;
    PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    Py_DECREF(exc);
    w->path = PyList_New(0);
    return -1;
}

/* Notes that the value at key is where the error on its way out came from. */
static int came_from(struct writer *w, PyObject *key)
{
    if (w->path != NULL && key != NULL) {
        PyObject *exc = PyErr_GetRaisedException();
        if (PyList_Append(w->path, key) < 0)
            PyErr_Clear();
        PyErr_SetRaisedException(exc);
    }
    return -1;
}

/* How many characters from i on can stand in JSON as they are. */
static Py_ssize_t plain(const unsigned char *s, Py_ssize_t i, Py_ssize_t n)
{
    Py_ssize_t k = i;
    while (k < n && s[k] >= 0x20 && s[k] < 0x80 && s[k] != '"' && s[k] != '\\')
        k++;
    return k - i;
}

/* Writes what must be escaped, or is not ASCII, at p; returns where it ends, or NULL for a lone surrogate. */
static char *put_char(char *p, Py_UCS4 c)
{
    static const char hex[] = "0123456789abcdef";
    if (c < 0x80) {
        const char *at = c == '"' ? "\"" : c == '\\' ? "\\" : c == '\n' ? "n" : c == '\t' ? "t" : c == '\r' ? "r" : c == '\b' ? "b" : c == '\f' ? "f" : NULL;
        if (at == NULL && c >= 0x20) {
            *p++ = (char)c;
            return p;
        }
        *p++ = '\\';
        if (at != NULL) {
            *p++ = *at;
            return p;
        }
        memcpy(p, "u00", 3);
        p[3] = hex[c >> 4];
        p[4] = hex[c & 15];
        return p + 5;
    }
    if (c >= 0xd800 && c < 0xe000)
        return NULL;
    if (c < 0x800) {
        *p++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *p++ = (char)(0xe0 | c >> 12);
        } else {
            *p++ = (char)(0xf0 | c >> 18);
            *p++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *p++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *p++ = (char)(0x80 | (c & 0x3f));
    return p;
}

static int put_string(struct writer *w, PyObject *s)
{
    Py_ssize_t n = PyUnicode_GET_LENGTH(s), i = 0;
    int kind = PyUnicode_KIND(s);
    const void *data = PyUnicode_DATA(s);
    if (put(w, "\"", 1) < 0)
        return -1;
    while (i < n) {
        if (kind == PyUnicode_1BYTE_KIND) {
            Py_ssize_t k = plain(data, i, n);
            if (put(w, (const char *)data + i, k) < 0)
                return -1;
            if ((i += k) == n)
                break;
        }
        if (reserve(w, 8) < 0)
            return -1;
        char *p = put_char(w->buf + w->len, PyUnicode_READ(kind, data, i));
        if (p == NULL)
            return refuse(w, s, "text");
        w->len = p - w->buf;
        i++;
    }
    return put(w, "\"", 1);
}

static int put_int(struct writer *w, PyObject *v)
{
    PyObject *s = PyLong_Type.tp_repr(v);    /* also for subclasses: IntEnum and the like write their number */
    if (s == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError))
            return -1;
        PyErr_Clear();                       /* more digits than Python writes */
        return refuse(w, v, "digits");
    }
    int r = put(w, (const char *)PyUnicode_1BYTE_DATA(s), PyUnicode_GET_LENGTH(s));
    Py_DECREF(s);
    return r;
}

static int put_float(struct writer *w, PyObject *v)
{
    if (Py_IS_TYPE(v, &guest_exact_type)) {
        PyObject *text = guest_exact_text(v);
        return put(w, PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text));
    }
    double d = PyFloat_AS_DOUBLE(v);
    if (!(d - d == 0))
        return refuse(w, v, "number");
    char *s = PyOS_double_to_string(d, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (s == NULL)
        return -1;
    int r = put(w, s, (Py_ssize_t)strlen(s));
    PyMem_Free(s);
    return r;
}

static PyTypeObject *decimal_type;    /* decimal.Decimal; NULL until the interpreter is ready to be frozen */

int guest_encode_ready(void)
{
    PyObject *module = PyImport_ImportModule("decimal");
    decimal_type = module ? (PyTypeObject *)PyObject_GetAttrString(module, "Decimal") : NULL;
    Py_XDECREF(module);
    return decimal_type ? 0 : -1;
}

/* Python writes a Decimal as JSON does, but for those that are no numbers. */
static int put_decimal(struct writer *w, PyObject *v)
{
    PyObject *s = decimal_type->tp_str(v);    /* also for subclasses, whatever they say of themselves */
    if (s == NULL)
        return -1;
    const char *text = (const char *)PyUnicode_1BYTE_DATA(s);
    char first = text[text[0] == '-'];
    int r = first >= '0' && first <= '9' ? put(w, text, PyUnicode_GET_LENGTH(s)) : refuse(w, v, "number");
    Py_DECREF(s);
    return r;
}

static int put_value(struct writer *w, PyObject *v);

/* enter pushes a container, and finds one that contains itself. */
static int enter(struct writer *w, PyObject *v)
{
    for (Py_ssize_t i = 0; i < w->depth; i++)
        if (w->above[i] == v)
            return refuse(w, v, "cycle");
    if (Py_EnterRecursiveCall(" while writing JSON"))
        return -1;
    if (w->depth == w->room) {
        Py_ssize_t room = w->room ? 2 * w->room : 32;
        PyObject **above = PyMem_Realloc(w->above, (size_t)room * sizeof *above);
        if (above == NULL) {
            Py_LeaveRecursiveCall();
            PyErr_NoMemory();
            return -1;
        }
        w->above = above;
        w->room = room;
    }
    w->above[w->depth++] = v;
    return 0;
}

static void leave(struct writer *w)
{
    w->depth--;
    Py_LeaveRecursiveCall();
}

static int put_items(struct writer *w, PyObject *v)
{
    if (put(w, "[", 1) < 0)
        return -1;
    /* The size is read each time: nothing here runs Python code, but a subclass may be odd. */
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(v); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(v, i);
        if ((i > 0 && put(w, ",", 1) < 0) || put_value(w, item) < 0) {
            PyObject *exc = PyErr_GetRaisedException();
            PyObject *at = PyLong_FromSsize_t(i);
            PyErr_SetRaisedException(exc);
            came_from(w, at);
            Py_XDECREF(at);
            return -1;
        }
    }
    return put(w, "]", 1);
}

static int put_dict(struct writer *w, PyObject *v)
{
    PyObject *key, *value;
    Py_ssize_t pos = 0;
    int first = 1;
    if (put(w, "{", 1) < 0)
        return -1;
    while (PyDict_Next(v, &pos, &key, &value)) {
        if (!PyUnicode_Check(key))
            return refuse(w, key, "key");
        if ((!first && put(w, ",", 1) < 0) || put_string(w, key) < 0 || put(w, ":", 1) < 0 || put_value(w, value) < 0)
            return came_from(w, key);
        first = 0;
    }
    return put(w, "}", 1);
}

static int put_value(struct writer *w, PyObject *v)
{
    if (v == Py_None)
        return put(w, "null", 4);
    if (v == Py_True)
        return put(w, "true", 4);
    if (v == Py_False)
        return put(w, "false", 5);
    if (PyUnicode_Check(v))
        return put_string(w, v);
    if (PyLong_Check(v))
        return put_int(w, v);
    if (PyFloat_Check(v))
        return put_float(w, v);
    int list = PyList_Check(v) || PyTuple_Check(v);
    if (!list && !PyDict_Check(v))
        return decimal_type != NULL && PyObject_TypeCheck(v, decimal_type) ? put_decimal(w, v) : refuse(w, v, "type");
    if (enter(w, v) < 0)
        return -1;
    int r = list ? put_items(w, v) : put_dict(w, v);
    leave(w);
    return r;
}

PyObject *guest_encode(PyObject *value, PyObject *error)
{
    struct writer w = {.error = error};
    PyObject *out = NULL;
    if (put_value(&w, value) == 0) {
        out = PyBytes_FromStringAndSize(w.buf, w.len);
    } else if (w.path != NULL) {
        PyObject *exc = PyErr_GetRaisedException();
        if (PyList_Reverse(w.path) < 0 || PyObject_SetAttrString(exc, "path", w.path) < 0)
            PyErr_Clear();
        PyErr_SetRaisedException(exc);
    }
    Py_XDECREF(w.path);
    PyMem_Free(w.buf);
    PyMem_Free(w.above);
    return out;
}
