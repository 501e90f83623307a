/* The guest's C side, in six files:
 *
 *   entry.c   what the host calls: compile a workflow, run a workflow
 *   host.c    what Python calls: the module _host, with the host functions and the JSON encoder
 *   encode.c  the JSON encoder
 *   number.c  numbers read from JSON, with every digit
 *   where.c   which line of Python is running, for a host that has stopped the guest
 *   freeze.c  build time only: start the interpreter, make its heap fit to be an image
 *
 * config.c lists the built-in modules. The host's side of the contract is in packages hostfuncs and runtime.
 */
#ifndef RUNLACE_GUEST_H
#define RUNLACE_GUEST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

/* Status of a host function that did not do what was asked; see package hostfuncs. */
enum { HOST_FAULT = -1, HOST_TOO_LARGE = -2, HOST_NOTHING = -3, HOST_MALFORMED = -4 };

/* A job is what the host writes to the start of the buffer before it calls rt_compile or rt_run. */
struct job {
    const char *code;   int32_t code_len;    /* marshalled code object (rt_run) */
    const char *source; int32_t source_len;  /* UTF-8 text of the workflow */
    const char *inputs; int32_t inputs_len;  /* JSON object (rt_run) */
    uint32_t seed[2];                        /* for the module random, low word first (rt_run) */
    int32_t recursion;                       /* Python's recursion limit (rt_run) */
    const char *out;    int32_t out_len;     /* the answer, written by the guest */
    int32_t any_import;                      /* 1: not a workflow but code of the host's own, which may import all that is loaded (rt_run) */
    int32_t reserved[4];
};
_Static_assert(sizeof(struct job) == 64, "the host knows the layout of struct job");

PyMODINIT_FUNC PyInit__host(void);

/* Encodes value as JSON. On failure it returns NULL with an exception set. When the value is not JSON that exception is
 * an instance of error, called with (path, value, reason): the keys and indices that lead to the offending value, outermost
 * first, the value itself, and one of "type", "key", "number", "digits", "text", "cycle". */
PyObject *guest_encode(PyObject *value, PyObject *error);

/* number(text), and the type of those of its results that are no plain float: a subclass of float that nothing can be derived from. */
PyObject *guest_number(PyObject *self, PyObject *text);
extern PyTypeObject guest_exact_type;
PyObject *guest_exact_text(PyObject *x);    /* borrowed */

/* Look up what the encoder and entry.c need, once, before the freeze. */
int guest_encode_ready(void);
int guest_entry_ready(void);

#endif
