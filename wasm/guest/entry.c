/* What the host calls. The work is done in Python, in _runlace.entry; this file carries it across. */
#include "guest.h"
#include <marshal.h>
#include <stdlib.h>
#include <string.h>

#define IO_SIZE (256 * 1024)

static char io[IO_SIZE] __attribute__((aligned(4096)));

static PyObject *run_function;        /* _runlace.entry.run */
static PyObject *compile_function;    /* _runlace.entry.compile_workflow */
static PyObject *seed_function;       /* random.seed */
static PyObject *answer;              /* keeps the bytes of the last answer alive */

EXPORT(rt_iobuf) void *rt_iobuf(void) { return io; }
EXPORT(rt_iolen) int32_t rt_iolen(void) { return IO_SIZE; }
EXPORT(rt_alloc) void *rt_alloc(int32_t n) { return malloc(n > 0 ? (size_t)n : 1); }

static PyObject *attribute(const char *module, const char *name)
{
    PyObject *m = PyImport_ImportModule(module);
    PyObject *a = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return a;
}

int guest_entry_ready(void)
{
    run_function = attribute("_runlace.entry", "run");
    compile_function = attribute("_runlace.entry", "compile_workflow");
    seed_function = attribute("random", "seed");
    return run_function && compile_function && seed_function ? guest_encode_ready() : -1;
}

/* The Python side handles every exception itself; this is for what it cannot: no memory, or no stack, to do so. */
static int32_t fail(struct job *j)
{
    static const char memory[] = "{\"code\":\"memory-limit\",\"message\":\"the workflow ran out of memory\",\"type\":\"MemoryError\"}";
    static const char stack[] = "{\"code\":\"recursion-limit\",\"message\":\"maximum recursion depth exceeded\",\"type\":\"RecursionError\"}";
    static const char other[] = "{\"code\":\"exception\",\"message\":\"the run ended with an exception that could not be reported\"}";
    const char *text = PyErr_ExceptionMatches(PyExc_MemoryError) ? memory : PyErr_ExceptionMatches(PyExc_RecursionError) ? stack : other;
    PyErr_Clear();
    j->out = text;
    j->out_len = (int32_t)strlen(text);
    return 1;
}

/* Takes the (failed, bytes) that the Python functions return. */
static int32_t finish(struct job *j, PyObject *result)
{
    if (result == NULL)
        return fail(j);
    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != 2 || !PyBytes_Check(PyTuple_GET_ITEM(result, 1))) {
        Py_DECREF(result);
        PyErr_SetString(PyExc_SystemError, "no result");
        return fail(j);
    }
    answer = Py_NewRef(PyTuple_GET_ITEM(result, 1));
    j->out = PyBytes_AS_STRING(answer);
    j->out_len = (int32_t)PyBytes_GET_SIZE(answer);
    int32_t failed = PyTuple_GET_ITEM(result, 0) == Py_True;
    Py_DECREF(result);
    return failed;
}

EXPORT(rt_compile) int32_t rt_compile(struct job *j)
{
    PyObject *source = PyUnicode_DecodeUTF8(j->source, j->source_len, "strict");
    PyObject *result = source ? PyObject_CallOneArg(compile_function, source) : NULL;
    Py_XDECREF(source);
    return finish(j, result);
}

EXPORT(rt_run) int32_t rt_run(struct job *j)
{
    PyObject *code = NULL, *source = NULL, *inputs = NULL, *result = NULL;
    Py_SetRecursionLimit(j->recursion);
    PyObject *seed = PyLong_FromUnsignedLongLong((unsigned long long)j->seed[1] << 32 | j->seed[0]);
    PyObject *seeded = seed ? PyObject_CallOneArg(seed_function, seed) : NULL;
    Py_XDECREF(seed);
    if (seeded != NULL
        && (code = PyMarshal_ReadObjectFromString(j->code, j->code_len)) != NULL
        && (source = PyUnicode_DecodeUTF8(j->source, j->source_len, "replace")) != NULL
        && (inputs = PyUnicode_DecodeUTF8(j->inputs, j->inputs_len, "strict")) != NULL)
        result = PyObject_CallFunctionObjArgs(run_function, code, source, inputs, j->any_import ? Py_True : Py_False, NULL);
    Py_XDECREF(seeded);
    Py_XDECREF(code);
    Py_XDECREF(source);
    Py_XDECREF(inputs);
    return finish(j, result);
}
