/* rt_where: which Python code is running. It allocates nothing and runs no Python code, so the host may call it while the
 * guest waits inside a host function, or after a trap. */
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "guest.h"
#include "pycore_frame.h"
#include "pycore_pystate.h"

#define MAX_FRAMES 4000   /* looked at */
#define MAX_LINES 24      /* written */

struct text { char *buf; int32_t cap, len; };

static void put_char(struct text *t, char c)
{
    if (t->len < t->cap)
        t->buf[t->len++] = c;
}

static void put_str(struct text *t, PyObject *s)
{
    if (s == NULL || !PyUnicode_Check(s))
        return;
    Py_ssize_t n = PyUnicode_GET_LENGTH(s);
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(s, i);
        put_char(t, c >= 0x20 && c < 0x7f ? (char)c : '?');
    }
}

static void put_number(struct text *t, int n)
{
    char digits[12];
    int k = 0;
    unsigned v = n < 0 ? 0 : (unsigned)n;
    do
        digits[k++] = (char)('0' + v % 10);
    while (v /= 10);
    while (k > 0)
        put_char(t, digits[--k]);
}

static int is_workflow(PyCodeObject *code)
{
    return PyUnicode_Check(code->co_filename) && PyUnicode_CompareWithASCIIString(code->co_filename, "workflow.py") == 0;
}

/* Writes the workflow's frames, newest first, as "workflow.py:line function\n". */
__attribute__((noinline)) static int32_t where(char *buf, int32_t cap)
{
    struct text t = {buf, cap, 0};
    PyThreadState *thread = _PyThreadState_GET();
    if (thread == NULL)     /* a function that waits or reads has let go of it */
        thread = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    if (thread == NULL)
        return 0;
    int looked = 0, lines = 0;
    for (_PyInterpreterFrame *f = thread->current_frame; f != NULL && looked < MAX_FRAMES && lines < MAX_LINES; f = f->previous, looked++) {
        if (f->owner == FRAME_OWNED_BY_CSTACK || f->f_executable == NULL || !PyCode_Check(f->f_executable))
            continue;
        PyCodeObject *code = (PyCodeObject *)f->f_executable;
        if (!is_workflow(code))
            continue;
        int32_t start = t.len;
        put_str(&t, code->co_filename);
        put_char(&t, ':');
        put_number(&t, PyUnstable_InterpreterFrame_GetLine(f));
        put_char(&t, ' ');
        put_str(&t, code->co_qualname);
        put_char(&t, '\n');
        if (t.len == t.cap) {   /* no half lines */
            t.len = start;
            break;
        }
        lines++;
    }
    return t.len;
}

/* The interrupted function may keep up to 128 bytes below the stack pointer without moving it (LLVM's red zone, for functions
 * that call nothing: the fuel pass adds calls to them afterwards). Step over them first. */
EXPORT(rt_where) int32_t rt_where(char *buf, int32_t cap)
{
    volatile char *red_zone = __builtin_alloca(256);
    __asm__ volatile("" : : "r"(red_zone));
    return where(buf, cap);
}
