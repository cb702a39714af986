#include <algorithm>
#include <cstddef>
#include <cstring>

// What Debian's static libraries expect of the object they are linked into, so that the plug-in needs no library but the C library.

/// libdlib.a is built for programs: it takes this variable of the C library to lie within the same object, which in a shared object it does
/// not. Here it does. 0, the process may have threads, is always a true answer.
extern "C" char __libc_single_threaded;
char __libc_single_threaded = 0;

/// The one thing that LAPACK in libopenblas.a takes from Fortran's library: `result` is both texts, cut or filled up with spaces.
extern "C" void _gfortran_concat_string(size_t length, char *result, size_t firstLength, const char *first, size_t secondLength, const char *second) {
    const size_t fromFirst = std::min(length, firstLength);
    const size_t fromSecond = std::min(length - fromFirst, secondLength);
    std::memcpy(result, first, fromFirst);
    std::memcpy(result + fromFirst, second, fromSecond);
    std::memset(result + fromFirst + fromSecond, ' ', length - fromFirst - fromSecond);
}
