/* Numbers that keep their value. JSON has decimals of any length, Python has floats: one that a float says exactly becomes that float,
 * any other an exact_float, which is a float to all code and remembers how it was written. So a number that a workflow passes on arrives
 * as it came, and one that it computes with is a plain float. */
#include "guest.h"
#include <math.h>
#include <string.h>

typedef struct {
    PyFloatObject nearest;
    PyObject *text;
} exact;

/* The value of a number's text: 0.digits * 10^point. */
struct decimal {
    int negative;
    Py_ssize_t count;        /* of digits, without zeros at either end; the first 17 are kept, which is as many as a float has */
    int64_t point;
    char digits[17];
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads a JSON number, and returns where it ends: at text + length if it is one and nothing else. */
static const char *read_decimal(const char *p, struct decimal *d)
{
    Py_ssize_t seen = 0;     /* from the first digit that is not zero on */
    int fraction = 0;
    memset(d, 0, sizeof *d);
    d->negative = *p == '-';
    p += d->negative;
    if (!is_digit(*p))
        return p;
    if (*p == '0' && is_digit(p[1]))
        return p + 1;
    for (;; p++) {
        if (*p == '.' && !fraction && is_digit(p[1])) {
            fraction = 1;
            continue;
        }
        if (!is_digit(*p))
            break;
        if (seen == 0 && *p == '0') {
            d->point -= fraction;
            continue;
        }
        if (seen < (Py_ssize_t)sizeof d->digits)
            d->digits[seen] = *p;
        seen++;
        d->point += !fraction;
        if (*p != '0')
            d->count = seen;
    }
    if (d->count < (Py_ssize_t)sizeof d->digits)
        memset(d->digits + d->count, 0, sizeof d->digits - (size_t)d->count);
    const char *e = p;
    if (*e == 'e' || *e == 'E') {
        int64_t power = 0;
        int down = *++e == '-';
        e += down || *e == '+';
        if (is_digit(*e)) {
            for (; is_digit(*e); e++)
                power = power < 1000000000000 ? 10 * power + (*e - '0') : power;
            d->point += down ? -power : power;
            p = e;
        }
    }
    return p;
}

/* Whether a float says exactly what the text says: the shortest text that means this float is the same number. */
static int same(const struct decimal *want, double nearest)
{
    struct decimal got;
    if (want->count == 0 || (want->count <= 15 && want->point > -300 && want->point < 300))
        return 1;            /* as many digits as every float keeps */
    if (want->count > (Py_ssize_t)sizeof want->digits || !isfinite(nearest))
        return 0;
    char *s = PyOS_double_to_string(nearest, 'r', 0, 0, NULL);
    if (s == NULL)
        return -1;
    read_decimal(s, &got);
    PyMem_Free(s);
    return got.count == want->count && got.point == want->point && got.negative == want->negative
        && memcmp(got.digits, want->digits, sizeof got.digits) == 0;
}

/* number(text): the value of a JSON number. An integer of more digits than Python reads is an exact_float as well. */
PyObject *guest_number(PyObject *self, PyObject *text)
{
    (void)self;
    struct decimal d;
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) {
        PyErr_SetString(PyExc_TypeError, "a number is read from text in ASCII");
        return NULL;
    }
    const char *s = PyUnicode_DATA(text);
    if (read_decimal(s, &d) != s + PyUnicode_GET_LENGTH(text)) {
        PyErr_SetString(PyExc_ValueError, "not a number of JSON");
        return NULL;
    }
    if (strpbrk(s, ".eE") == NULL) {
        PyObject *whole = PyLong_FromString(s, NULL, 10);
        if (whole != NULL || !PyErr_ExceptionMatches(PyExc_ValueError))
            return whole;
        PyErr_Clear();
        d.count = PyUnicode_GET_LENGTH(text);
    }
    double nearest = PyOS_string_to_double(s, NULL, NULL);
    if (nearest == -1.0 && PyErr_Occurred())
        return NULL;
    int plain = same(&d, nearest);
    if (plain != 0)
        return plain < 0 ? NULL : PyFloat_FromDouble(nearest);
    exact *x = PyObject_New(exact, &guest_exact_type);
    if (x != NULL) {
        x->nearest.ob_fval = nearest;
        x->text = Py_NewRef(text);
    }
    return (PyObject *)x;
}

PyObject *guest_exact_text(PyObject *x) { return ((exact *)x)->text; }

static void dealloc(PyObject *self)
{
    Py_DECREF(((exact *)self)->text);
    PyObject_Free(self);
}

static PyObject *repr(PyObject *self) { return Py_NewRef(((exact *)self)->text); }

/* What makes another number of one makes a float: exact_float(x), as the module statistics writes it. */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type;
    return PyFloat_Type.tp_new(&PyFloat_Type, args, kwargs);
}

static PyObject *itself(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return Py_NewRef(self);
}

static PyMethodDef methods[] = {
    {"__copy__", itself, METH_NOARGS, NULL},
    {"__deepcopy__", itself, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject guest_exact_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "runlace_types.exact_float",
    .tp_doc = "A float that remembers the digits of the number that it was read from; str(x) has them all.",
    .tp_basicsize = sizeof(exact),
    .tp_base = &PyFloat_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = make,
    .tp_dealloc = dealloc,
    .tp_repr = repr,
    .tp_str = repr,
    .tp_methods = methods,
};
