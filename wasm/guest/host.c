/* _host: the host functions as Python sees them. The only way out of the guest. */
#include "guest.h"

IMPORT(call_tool)   extern int32_t host_call_tool(const char *request, int32_t len);
IMPORT(ask_model)   extern int32_t host_ask_model(const char *request, int32_t len);
IMPORT(read_media)  extern int32_t host_read_media(const char *request, int32_t len);
IMPORT(read_answer) extern int32_t host_read_answer(char *buf, int32_t cap);
IMPORT(write_log)   extern void host_write_log(int32_t stream, const char *text, int32_t len);

static PyObject *failed(int32_t status)
{
    switch (status) {
    case HOST_TOO_LARGE:
        PyErr_SetString(PyExc_OverflowError, "the request is larger than the host takes");
        break;
    case HOST_NOTHING:
        PyErr_SetString(PyExc_SystemError, "the host has no answer to give");
        break;
    case HOST_MALFORMED:
        PyErr_SetString(PyExc_ValueError, "the request is not what the host takes");
        break;
    default:
        PyErr_Format(PyExc_SystemError, "host function failed (%d)", (int)status);
    }
    return NULL;
}

static PyObject *round_trip(int32_t (*call)(const char *, int32_t), PyObject *request)
{
    Py_buffer view;
    if (PyObject_GetBuffer(request, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int32_t n = view.len > INT32_MAX ? HOST_TOO_LARGE : call(view.buf, (int32_t)view.len);
    PyBuffer_Release(&view);
    if (n < 0)
        return failed(n);
    PyObject *answer = PyBytes_FromStringAndSize(NULL, n);
    if (answer == NULL)
        return NULL;
    int32_t got = host_read_answer(PyBytes_AS_STRING(answer), n);
    if (got != n) {
        Py_DECREF(answer);
        return failed(got < 0 ? got : HOST_NOTHING);
    }
    return answer;
}

static PyObject *py_call_tool(PyObject *self, PyObject *request)
{
    (void)self;
    return round_trip(host_call_tool, request);
}

static PyObject *py_ask_model(PyObject *self, PyObject *request)
{
    (void)self;
    return round_trip(host_ask_model, request);
}

static PyObject *py_read_media(PyObject *self, PyObject *request)
{
    (void)self;
    return round_trip(host_read_media, request);
}

static PyObject *py_write_log(PyObject *self, PyObject *args)
{
    (void)self;
    int stream;
    PyObject *text;
    if (!PyArg_ParseTuple(args, "iU:write_log", &stream, &text))
        return NULL;
    if (stream != 1 && stream != 2) {
        PyErr_SetString(PyExc_ValueError, "stream must be 1 or 2");
        return NULL;
    }
    /* Lone surrogates are the one thing that a str can hold and UTF-8 cannot. */
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (bytes == NULL)
        return NULL;
    if (PyBytes_GET_SIZE(bytes) > 0)
        host_write_log(stream, PyBytes_AS_STRING(bytes), (int32_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    Py_RETURN_NONE;
}

static PyObject *py_encode(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *value, *error;
    if (!PyArg_ParseTuple(args, "OO:encode", &value, &error))
        return NULL;
    return guest_encode(value, error);
}

static PyMethodDef methods[] = {
    {"call_tool", py_call_tool, METH_O, "call_tool(request) -> bytes\n\nCalls a tool; both are JSON."},
    {"ask_model", py_ask_model, METH_O, "ask_model(request) -> bytes\n\nAsks the model; both are JSON."},
    {"read_media", py_read_media, METH_O, "read_media(request) -> bytes\n\nAsks for the bytes behind a handle: a zero and the bytes, or an error as JSON."},
    {"write_log", py_write_log, METH_VARARGS, "write_log(stream, text)\n\nAdds text to the run's log: 1 is standard output, 2 standard error."},
    {"number", guest_number, METH_O, "number(text) -> int or float\n\nThe value of a JSON number, with all its digits."},
    {"encode", py_encode, METH_VARARGS, "encode(value, error) -> bytes\n\nStrict JSON; raises error(path, value, reason)."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_host",
    .m_doc = "The host functions of a Runlace run.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__host(void) { return PyType_Ready(&guest_exact_type) < 0 ? NULL : PyModuleDef_Init(&module); }
