/* Build time only. The builder (wasm/freeze) calls rt_init, rt_exec for each preparation script, and rt_freeze; then it reads
 * the memory and drops these exports.
 *
 * A run gets the image copy-on-write, so a page that a run writes costs a page fault and a copy. Reference counts are
 * written by reading, so everything in the image is made immortal; and what a run allocates should lie together, so
 * the holes of both allocators are filled, with zeroes. */
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "pycore_dict.h"
#include "pycore_gc.h"
#include "pycore_interp.h"
#include "pycore_object.h"
#include "pycore_obmalloc.h"

static int failed(PyStatus status)
{
    fprintf(stderr, "guest: %s: %s\n", status.func ? status.func : "?", status.err_msg ? status.err_msg : "?");
    return -1;
}

static PyStatus configure(PyConfig *c)
{
    PyConfig_InitIsolatedConfig(c);
    c->use_hash_seed = 1;               /* fixed hashes of strings: sets keep their order from run to run */
    c->hash_seed = 0;
    c->site_import = 0;
    c->install_signal_handlers = 0;
    c->write_bytecode = 0;
    c->pathconfig_warnings = 0;
    c->parse_argv = 0;
    c->module_search_paths_set = 1;
    struct { wchar_t **at; const wchar_t *value; } strings[] = {
        {&c->program_name, L"python"}, {&c->executable, L""}, {&c->base_executable, L""},
        {&c->prefix, L"/"}, {&c->base_prefix, L"/"}, {&c->exec_prefix, L"/"}, {&c->base_exec_prefix, L"/"}, {&c->stdlib_dir, L"/lib"},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        PyStatus status = PyConfig_SetString(c, strings[i].at, strings[i].value);
        if (PyStatus_Exception(status))
            return status;
    }
    PyStatus status = PyWideStringList_Append(&c->module_search_paths, L"/lib");     /* the standard library */
    if (!PyStatus_Exception(status))
        status = PyWideStringList_Append(&c->module_search_paths, L"/guest");        /* _runlace */
    return status;
}

EXPORT(rt_init) int32_t rt_init(void)
{
    PyPreConfig pre;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&pre);
    if (PyStatus_Exception(status))
        return failed(status);
    PyConfig config;
    status = configure(&config);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return PyStatus_Exception(status) ? failed(status) : 0;
}

/* Runs source, which ends with a zero byte, in a module of its own. */
EXPORT(rt_exec) int32_t rt_exec(const char *source)
{
    PyObject *names = PyDict_New();
    PyObject *builtins = PyEval_GetBuiltins();
    if (names == NULL || PyDict_SetItemString(names, "__builtins__", builtins) < 0)
        return -1;
    PyObject *result = PyRun_String(source, Py_file_input, names, names);
    if (result == NULL)
        PyErr_Print();
    PyDict_Clear(names);
    Py_DECREF(names);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Removes functions of sys that change what is the host's to set, or that would run code between the workflow's lines. They
 * are in two places: the module, and the copy of its names that importing it again starts from. */
static int remove_functions(void)
{
    static const char *const names[] = {
        "setrecursionlimit", "settrace", "setprofile", "_settraceallthreads", "_setprofileallthreads", "setswitchinterval",
    };
    PyObject *sys = PyImport_ImportModule("sys");
    PyObject *copies[] = {sys ? PyModule_GetDict(sys) : NULL, PyInterpreterState_Get()->sysdict_copy};
    for (size_t c = 0; c < 2; c++) {
        for (size_t i = 0; copies[c] != NULL && i < sizeof names / sizeof *names; i++) {
            if (PyDict_DelItemString(copies[c], names[i]) < 0) {
                Py_XDECREF(sys);
                return -1;
            }
        }
    }
    Py_XDECREF(sys);
    return sys && copies[1] ? 0 : -1;
}

/* A set of objects, and those of it that are still to be looked into. Both lie outside the Python heap. */
static struct {
    PyObject **slot, **todo;
    size_t size, used, todo_len, todo_cap;
} seen;

static size_t slot_of(PyObject *op)
{
    size_t h = ((uintptr_t)op >> 3) * 2654435761u & (seen.size - 1);
    while (seen.slot[h] != NULL && seen.slot[h] != op)
        h = (h + 1) & (seen.size - 1);
    return h;
}

static void *need(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void grow(void)
{
    PyObject **old = seen.slot;
    size_t n = seen.size;
    seen.size = n ? 2 * n : 1 << 18;
    seen.slot = need(calloc(seen.size, sizeof *seen.slot));
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            seen.slot[slot_of(old[i])] = old[i];
    if (old != NULL)
        memset(old, 0, n * sizeof *old);    /* freed memory of the image should be zero */
    free(old);
}

static void add(PyObject *op)
{
    if (op == NULL)
        return;
    if (seen.used * 2 >= seen.size)
        grow();
    size_t h = slot_of(op);
    if (seen.slot[h] != NULL)
        return;
    seen.slot[h] = op;
    seen.used++;
    if (seen.todo_len == seen.todo_cap) {
        seen.todo_cap = seen.todo_cap ? 2 * seen.todo_cap : 1 << 16;
        seen.todo = need(realloc(seen.todo, seen.todo_cap * sizeof *seen.todo));
    }
    seen.todo[seen.todo_len++] = op;
}

static int visit(PyObject *op, void *arg)
{
    (void)arg;
    add(op);
    return 0;
}

static void add_code(PyCodeObject *c)
{
    PyObject *parts[] = {c->co_consts, c->co_names, c->co_exceptiontable, c->co_localsplusnames, c->co_localspluskinds,
                         c->co_filename, c->co_name, c->co_qualname, c->co_linetable, c->co_weakreflist};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add(parts[i]);
}

static void add_type(PyTypeObject *t)
{
    add(t->tp_dict), add(t->tp_mro), add(t->tp_bases), add(t->tp_cache);
    if (t->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyHeapTypeObject *h = (PyHeapTypeObject *)t;
        add(h->ht_name), add(h->ht_qualname), add(h->ht_slots), add(h->ht_module);
        if (h->ht_cached_keys != NULL) {    /* the layout that instances share */
            PyDictUnicodeEntry *e = DK_UNICODE_ENTRIES(h->ht_cached_keys);
            for (Py_ssize_t i = 0; i < h->ht_cached_keys->dk_nentries; i++)
                add(e[i].me_key);
        }
    }
}

/* Adds what op refers to: what the garbage collector would visit, and what it leaves out. */
static void look_into(PyObject *op)
{
    add((PyObject *)Py_TYPE(op));
    if (PyCode_Check(op)) {
        add_code((PyCodeObject *)op);
        return;
    }
    if (PyDict_Check(op)) {
        Py_ssize_t pos = 0;
        PyObject *k, *v;
        while (PyDict_Next(op, &pos, &k, &v))
            add(k), add(v);
    }
    if (PyFunction_Check(op)) {
        PyFunctionObject *f = (PyFunctionObject *)op;
        add(f->func_code), add(f->func_name), add(f->func_qualname), add(f->func_doc), add(f->func_module);
    }
    if (PyType_Check(op)) {
        add_type((PyTypeObject *)op);
        if (!(((PyTypeObject *)op)->tp_flags & Py_TPFLAGS_HEAPTYPE))
            return;
    }
    if (PyObject_IS_GC(op) && Py_TYPE(op)->tp_traverse != NULL)
        Py_TYPE(op)->tp_traverse(op, visit, NULL);
}

static int immortalise(void)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *all = gc ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
    Py_XDECREF(gc);
    if (all == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++)
        add(PyList_GET_ITEM(all, i));
    add(PyImport_GetModuleDict());
    while (seen.todo_len > 0)
        look_into(seen.todo[--seen.todo_len]);
    size_t made = 0;
    for (size_t i = 0; i < seen.size; i++) {
        PyObject *op = seen.slot[i];
        if (op == NULL || op == all || _Py_IsImmortal(op))
            continue;
        if (PyUnicode_Check(op))
            (void)PyObject_Hash(op);        /* kept in the object: now, not in each run */
        op->ob_refcnt = _Py_IMMORTAL_REFCNT;
        made++;
    }
    fprintf(stderr, "guest: %zu objects, %zu made immortal\n", seen.used, made);
    memset(seen.slot, 0, seen.size * sizeof *seen.slot);
    memset(seen.todo, 0, seen.todo_cap * sizeof *seen.todo);
    free(seen.slot);
    free(seen.todo);
    Py_DECREF(all);
    return 0;
}

/* Fills the holes of pymalloc: takes blocks of each size until one is the first of its pool. */
static size_t fill_pools(void)
{
    size_t filled = 0;
    for (size_t size = ALIGNMENT; size <= SMALL_REQUEST_THRESHOLD; size += ALIGNMENT) {
        for (;;) {
            uintptr_t p = (uintptr_t)PyObject_Malloc(size);
            if (p == 0 || p % POOL_SIZE == POOL_OVERHEAD)
                break;
            memset((void *)p, 0, size);
            filled += size;
        }
    }
    return filled;
}

/* Fills the holes of malloc: takes every free chunk, large ones first, until a request is served from the top. */
static size_t fill_chunks(void)
{
    size_t filled = 0;
    char *top = need(malloc(8 << 20));
    free(top);
    for (size_t size = 4 << 20; size >= 16; size = size > 256 ? size / 2 : size - 8) {
        for (;;) {
            char *p = need(malloc(size - 4));
            if (p >= top) {
                free(p);
                break;
            }
            memset(p, 0, size - 4);
            filled += size;
        }
    }
    /* What earlier allocations left behind in the top is not part of the image. */
    char *end = (char *)(__builtin_wasm_memory_size(0) * 65536);
    if (end - top > 4 * 65536)
        memset(top + 2 * 65536, 0, (size_t)(end - top - 3 * 65536));
    return filled;
}

extern char __stack_low;    /* from the linker: the stack lies at the bottom of memory */

__attribute__((noinline)) static void clear_stack(void)
{
    char here;
    char *below = (char *)(((uintptr_t)&here - 4096) & ~(uintptr_t)15);
    memset(&__stack_low, 0, (size_t)(below - &__stack_low));
}

EXPORT(rt_freeze) int32_t rt_freeze(void)
{
    if (guest_entry_ready() < 0 || remove_functions() < 0)
        goto error;
    PyGC_Collect();
    PyGC_Collect();
    if (immortalise() < 0)
        goto error;
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *frozen = gc ? PyObject_CallMethod(gc, "freeze", NULL) : NULL;
    Py_XDECREF(gc);
    if (frozen == NULL)
        goto error;
    Py_DECREF(frozen);
    size_t pools = fill_pools(), chunks = fill_chunks();
    fprintf(stderr, "guest: %zu KiB of holes filled\n", (pools + chunks) / 1024);
    fflush(stderr);
    clear_stack();
    return 0;
error:
    PyErr_Print();
    return -1;
}
