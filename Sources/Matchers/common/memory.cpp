#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

/// Everything the plug-in and dlib allocate goes through these: pictures, faces and vectors do not outlive the call that made them, not
/// even as octets of freed memory.
static void *taken(size_t size, size_t alignment) {
    void *memory = nullptr;
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) memory = std::malloc(size > 0 ? size : 1);
    else if (posix_memalign(&memory, alignment, size) != 0) memory = nullptr;
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

static void returned(void *memory) noexcept {
    if (memory == nullptr) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    std::free(memory);
}

void *operator new(size_t size) { return taken(size, 1); }
void *operator new[](size_t size) { return taken(size, 1); }
void *operator new(size_t size, std::align_val_t alignment) { return taken(size, size_t(alignment)); }
void *operator new[](size_t size, std::align_val_t alignment) { return taken(size, size_t(alignment)); }
void operator delete(void *memory) noexcept { returned(memory); }
void operator delete[](void *memory) noexcept { returned(memory); }
void operator delete(void *memory, size_t) noexcept { returned(memory); }
void operator delete[](void *memory, size_t) noexcept { returned(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { returned(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { returned(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { returned(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { returned(memory); }
