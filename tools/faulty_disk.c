/* A disk that fails once, on purpose: preloaded before the C library by faulty_disk.py.
 *
 * Every call that changes what lies below FAULTY_ROOT is counted, over all processes that inherit
 * the preload. Call number FAULTY_AT fails with FAULTY_ERRNO; with FAULTY_LASTING all later ones
 * too, and the first write is cut short before, as it is when a real disk fills up. With FAULTY_KILL
 * the process is killed in its place.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What the processes share, in a file: faulty_disk.py reads it. */
struct shared {
    unsigned long count;
    char failed[256];
};

static struct shared *shared;
static const char *root;
static size_t root_length;
static unsigned long fail_at;
static int fail_errno;
static int lasting;
static int kills;

__attribute__((constructor)) static void start(void) {
    const char *state = getenv("FAULTY_STATE"), *at = getenv("FAULTY_AT"), *number = getenv("FAULTY_ERRNO");
    root = getenv("FAULTY_ROOT");
    if (!state || !root)
        return;
    int handle = open(state, O_RDWR | O_CLOEXEC);
    if (handle < 0)
        return;
    void *place = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    close(handle);
    if (place == MAP_FAILED)
        return;
    root_length = strlen(root);
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    fail_errno = number ? atoi(number) : ENOSPC;
    lasting = getenv("FAULTY_LASTING") != NULL;
    kills = getenv("FAULTY_KILL") != NULL;
    shared = place;
}

static int below(const char *path) {
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int path_of(int handle, char *out) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, out, PATH_MAX - 1);
    if (length < 0)
        return 0;
    out[length] = 0;
    return 1;
}

/* Count a call about `path`; tell whether it has to fail. */
static int fails(const char *what, const char *path) {
    if (!below(path))
        return 0;
    unsigned long number = __atomic_add_fetch(&shared->count, 1, __ATOMIC_SEQ_CST);
    if (!fail_at || (lasting ? number < fail_at : number != fail_at))
        return 0;
    if (number == fail_at)
        snprintf(shared->failed, sizeof shared->failed, "%s %s", what, path + root_length);
    if (kills)
        raise(SIGKILL);
    errno = fail_errno;
    return 1;
}

static int handle_fails(const char *what, int handle) {
    char path[PATH_MAX];
    int before = errno;
    if (!shared || !path_of(handle, path) || path[0] != '/') {
        errno = before;
        return 0;
    }
    errno = before;
    return fails(what, path);
}

static int path_fails(const char *what, int directory, const char *path) {
    char whole[2 * PATH_MAX], base[PATH_MAX];
    if (!shared || !path)
        return 0;
    if (path[0] == '/')
        return fails(what, path);
    int before = errno;
    int known = directory == AT_FDCWD ? getcwd(base, sizeof base) != NULL : path_of(directory, base);
    errno = before;
    if (!known)
        return 0;
    snprintf(whole, sizeof whole, "%s/%s", base, path);
    return fails(what, whole);
}

/* The next function of this name, which is the C library's. */
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define ON_HANDLE(type, name, parameters, arguments, handle) \
    type name parameters { \
        NEXT(name); \
        return handle_fails(#name, handle) ? -1 : next arguments; \
    }
#define ON_PATH(name, parameters, arguments, directory, path) \
    int name parameters { \
        NEXT(name); \
        return path_fails(#name, directory, path) ? -1 : next arguments; \
    }

ssize_t write(int handle, const void *data, size_t size) {
    NEXT(write);
    if (!handle_fails("write", handle))
        return next(handle, data, size);
    if (lasting && shared->count == fail_at && size > 1)
        return next(handle, data, size / 2);
    return -1;
}

ON_HANDLE(ssize_t, pwrite, (int h, const void *d, size_t n, off_t at), (h, d, n, at), h)
ON_HANDLE(ssize_t, pwrite64, (int h, const void *d, size_t n, off64_t at), (h, d, n, at), h)
ON_HANDLE(ssize_t, writev, (int h, const struct iovec *v, int n), (h, v, n), h)
ON_HANDLE(ssize_t, sendfile, (int h, int from, off_t *at, size_t n), (h, from, at, n), h)
ON_HANDLE(ssize_t, sendfile64, (int h, int from, off64_t *at, size_t n), (h, from, at, n), h)
ON_HANDLE(ssize_t, copy_file_range, (int from, off64_t *a, int h, off64_t *b, size_t n, unsigned f),
          (from, a, h, b, n, f), h)
ON_HANDLE(int, fsync, (int h), (h), h)
ON_HANDLE(int, fdatasync, (int h), (h), h)
ON_HANDLE(int, ftruncate, (int h, off_t n), (h, n), h)
ON_HANDLE(int, ftruncate64, (int h, off64_t n), (h, n), h)

ON_PATH(rename, (const char *a, const char *b), (a, b), AT_FDCWD, b)
ON_PATH(renameat, (int da, const char *a, int db, const char *b), (da, a, db, b), db, b)
ON_PATH(link, (const char *a, const char *b), (a, b), AT_FDCWD, b)
ON_PATH(linkat, (int da, const char *a, int db, const char *b, int f), (da, a, db, b, f), db, b)
ON_PATH(symlink, (const char *a, const char *b), (a, b), AT_FDCWD, b)
ON_PATH(mkdir, (const char *a, mode_t m), (a, m), AT_FDCWD, a)
ON_PATH(mkdirat, (int d, const char *a, mode_t m), (d, a, m), d, a)

/* Opening counts only where it may make a file. */
#define MAKES(flags) (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE)
#define OPENING(name, head, directory, arguments) \
    int name head { \
        NEXT(name); \
        mode_t mode = 0; \
        if (MAKES(flags)) { \
            va_list more; \
            va_start(more, flags); \
            mode = va_arg(more, mode_t); \
            va_end(more); \
            if (path_fails("open", directory, path)) \
                return -1; \
        } \
        return next arguments; \
    }

OPENING(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPENING(openat, (int place, const char *path, int flags, ...), place, (place, path, flags, mode))
OPENING(openat64, (int place, const char *path, int flags, ...), place, (place, path, flags, mode))
