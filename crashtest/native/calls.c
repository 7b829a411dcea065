/*
 * Notes what a process does to the files below one folder, for `howdah test power --file-system
 * SIMULATED`. Preloaded into the process (LD_PRELOAD), it stands before the functions of the C
 * library that change files, lets them do their work, and appends a note of each that succeeded to
 * a file. The file of notes survives a kill of the process, because the kernel has it.
 *
 * HOWDAH_CALLS_FOLDER names the folder, without symbolic links, HOWDAH_CALLS_NOTES the file.
 *
 * A note is a head of 32 bytes, little-endian: kind (4 bytes), descriptor (4), offset (8), number
 * (8), length of what follows (8); then a name relative to the folder, or the bytes written. A call
 * is noted before it returns, so notes are in the order of calls that wait for each other. A force
 * has two notes with one number: only what was noted before the first is covered, and only if there
 * is the second.
 *
 * What cannot be noted ends the process: a call that goes unseen would make the campaign judge
 * another disk than the one that was used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, CLOSE, WRITE, SIZE, FORCE, FORCED, RENAME, DELETE, MAKE_FOLDER };
enum { IS_CREATED = 1, IS_EMPTIED = 2, IS_FOLDER = 4 };

#define MAX_FILES 65536
#define MAX_NOTES (1LL << 30)

static char folder[PATH_MAX];
static size_t folder_length;
static int notes = -1;
static long long noted;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_char is_watched[MAX_FILES];

/* A file of at most a page that is mapped for shared writing: its bytes are noted as one write when
 * it is forced. The disk then has what a force has made durable; what the kernel writes back of
 * such a file by itself is not noted. */
#define MAX_PAGE 4096
#define MAX_PAGES 64
static struct page {
    dev_t device;
    ino_t inode;
    const void *address;
    size_t length;
} pages[MAX_PAGES];
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong forces;

static void give_up(const char *what)
{
    dprintf(2, "calls.c: %s\n", what);
    _exit(98);
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        give_up(name);
    }
    return found;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("HOWDAH_CALLS_FOLDER");
    const char *file = getenv("HOWDAH_CALLS_NOTES");
    if (path == NULL || file == NULL) {
        return;
    }
    folder_length = strlen(path);
    if (folder_length >= sizeof folder) {
        give_up("the folder's name is too long");
    }
    memcpy(folder, path, folder_length + 1);
    int low = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC);
    notes = low < 0 ? -1 : (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 1000);
    if (notes < 0) {
        give_up("the file of notes cannot be opened");
    }
    syscall(SYS_close, low);
}

static void note(uint32_t kind, int fd, uint64_t offset, uint64_t number, const void *bytes,
                 size_t length)
{
    struct {
        uint32_t kind, fd;
        uint64_t offset, number, length;
    } head = {kind, (uint32_t)fd, offset, number, length};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    int former = errno;
    pthread_mutex_lock(&notes_lock);
    noted += (long long)(sizeof head + length);
    if (noted > MAX_NOTES) {
        give_up("more than a gibibyte of notes: let the process run for less time");
    }
    if (syscall(SYS_writev, notes, parts, 2) != (ssize_t)(sizeof head + length)) {
        give_up("a note could not be written");
    }
    pthread_mutex_unlock(&notes_lock);
    errno = former;
}

/* Returns the part of an absolute name behind the folder's, or NULL if it lies elsewhere. */
static const char *below(const char *path)
{
    if (notes < 0 || strncmp(path, folder, folder_length) != 0) {
        return NULL;
    }
    if (path[folder_length] == '/') {
        return path + folder_length + 1;
    }
    return path[folder_length] == 0 ? path + folder_length : NULL;
}

static int name_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) {
        return 0;
    }
    path[length] = 0;
    return 1;
}

/* Makes a name absolute: its folder without symbolic links, its last part as it is. */
static const char *resolve(int at, const char *path, char *out)
{
    char joined[PATH_MAX], base[PATH_MAX], parent[PATH_MAX];
    if (notes < 0) {
        return NULL;
    }
    if (path[0] == '/') {
        base[0] = 0;
    } else if (at == AT_FDCWD) {
        if (getcwd(base, sizeof base) == NULL) {
            return NULL;
        }
    } else if (!name_of(at, base)) {
        return NULL;
    }
    if (snprintf(joined, sizeof joined, "%s%s%s", base, base[0] ? "/" : "", path) >= PATH_MAX) {
        return NULL;
    }
    char *last = strrchr(joined, '/');
    *last = 0;
    if (realpath(joined[0] ? joined : "/", parent) == NULL ||
        snprintf(out, PATH_MAX, "%s/%s", parent, last + 1) >= PATH_MAX) {
        return NULL;
    }
    return below(out);
}

static int watched(int fd)
{
    return fd >= 0 && fd < MAX_FILES && is_watched[fd];
}

static int opened(int fd, int existed, int flags)
{
    char path[PATH_MAX];
    int former = errno;
    if (fd >= 0 && notes >= 0 && name_of(fd, path)) {
        const char *name = below(path);
        if (name != NULL) {
            struct stat found;
            if (fd >= MAX_FILES || fstat(fd, &found) != 0 || (flags & O_TMPFILE) == O_TMPFILE ||
                (flags & O_DSYNC)) {
                give_up("a file was opened in a way that is not noted");
            }
            uint64_t how = (existed ? 0 : IS_CREATED) | (existed && (flags & O_TRUNC) ? IS_EMPTIED : 0) |
                           (S_ISDIR(found.st_mode) ? IS_FOLDER : 0);
            note(OPEN, fd, how, 0, name, strlen(name));
            is_watched[fd] = 1;
        }
    }
    errno = former;
    return fd;
}

static int exists(int at, const char *path, int flags)
{
    int former = errno;
    int found = !(flags & O_CREAT) || faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    errno = former;
    return found;
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                         \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    int existed = exists(AT_FDCWD, path, flags);
    return opened(REAL(open)(path, flags, mode), existed, flags);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    int existed = exists(AT_FDCWD, path, flags);
    return opened(REAL(open64)(path, flags, mode), existed, flags);
}

int openat(int at, const char *path, int flags, ...)
{
    MODE_OF(flags)
    int existed = exists(at, path, flags);
    return opened(REAL(openat)(at, path, flags, mode), existed, flags);
}

int openat64(int at, const char *path, int flags, ...)
{
    MODE_OF(flags)
    int existed = exists(at, path, flags);
    return opened(REAL(openat64)(at, path, flags, mode), existed, flags);
}

int close(int fd)
{
    if (watched(fd)) {
        is_watched[fd] = 0;
        note(CLOSE, fd, 0, 0, NULL, 0);
    }
    return REAL(close)(fd);
}

static ssize_t wrote(int fd, const void *bytes, ssize_t done, off64_t offset)
{
    if (done > 0 && watched(fd)) {
        note(WRITE, fd, (uint64_t)offset, 0, bytes, (size_t)done);
    }
    return done;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    ssize_t done = REAL(write)(fd, bytes, length);
    if (done > 0 && watched(fd)) {
        wrote(fd, bytes, done, lseek64(fd, 0, SEEK_CUR) - done);
    }
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    return wrote(fd, bytes, REAL(pwrite)(fd, bytes, length, offset), offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
    return wrote(fd, bytes, REAL(pwrite64)(fd, bytes, length, offset), offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t done = REAL(writev)(fd, parts, count);
    if (done > 0 && watched(fd)) {
        off64_t at = lseek64(fd, 0, SEEK_CUR) - done;
        ssize_t left = done;
        for (int i = 0; i < count && left > 0; i++) {
            ssize_t part = left < (ssize_t)parts[i].iov_len ? left : (ssize_t)parts[i].iov_len;
            wrote(fd, parts[i].iov_base, part, at);
            at += part;
            left -= part;
        }
    }
    return done;
}

static int sized(int fd, int result, off64_t length)
{
    if (result == 0 && watched(fd)) {
        note(SIZE, fd, (uint64_t)length, 0, NULL, 0);
    }
    return result;
}

int ftruncate(int fd, off_t length)
{
    return sized(fd, REAL(ftruncate)(fd, length), length);
}

int ftruncate64(int fd, off64_t length)
{
    return sized(fd, REAL(ftruncate64)(fd, length), length);
}

/* Returns the page of the file of a descriptor, or a free one; NULL if there is neither. */
static struct page *page_of(const struct stat *file)
{
    struct page *free = NULL;
    for (int i = 0; i < MAX_PAGES; i++) {
        if (pages[i].address == NULL) {
            free = free == NULL ? &pages[i] : free;
        } else if (pages[i].device == file->st_dev && pages[i].inode == file->st_ino) {
            return &pages[i];
        }
    }
    return free;
}

static void note_page(int fd)
{
    struct stat file;
    int former = errno;
    pthread_mutex_lock(&pages_lock);
    struct page *page = fstat(fd, &file) == 0 ? page_of(&file) : NULL;
    if (page != NULL && page->address != NULL) {
        note(WRITE, fd, 0, 0, page->address, page->length);
    }
    pthread_mutex_unlock(&pages_lock);
    errno = former;
}

static int force(int fd, int (*function)(int))
{
    if (!watched(fd)) {
        return function(fd);
    }
    note_page(fd);
    uint64_t number = ++forces;
    note(FORCE, fd, 0, number, NULL, 0);
    int result = function(fd);
    if (result == 0) {
        note(FORCED, fd, 0, number, NULL, 0);
    }
    return result;
}

int fsync(int fd)
{
    return force(fd, REAL(fsync));
}

int fdatasync(int fd)
{
    return force(fd, REAL(fdatasync));
}

static int renamed(int result, const char *from, const char *to)
{
    if (result == 0 && (from != NULL || to != NULL)) {
        char both[2 * PATH_MAX];
        if (from == NULL || to == NULL) {
            give_up("a file was moved over the folder's edge");
        }
        size_t first = strlen(from) + 1, second = strlen(to);
        memcpy(both, from, first);
        memcpy(both + first, to, second);
        note(RENAME, -1, 0, 0, both, first + second);
    }
    return result;
}

int rename(const char *from, const char *to)
{
    char one[PATH_MAX], two[PATH_MAX];
    const char *below_from = resolve(AT_FDCWD, from, one), *below_to = resolve(AT_FDCWD, to, two);
    return renamed(REAL(rename)(from, to), below_from, below_to);
}

int renameat(int at_from, const char *from, int at_to, const char *to)
{
    char one[PATH_MAX], two[PATH_MAX];
    const char *below_from = resolve(at_from, from, one), *below_to = resolve(at_to, to, two);
    return renamed(REAL(renameat)(at_from, from, at_to, to), below_from, below_to);
}

static int named(uint32_t kind, int result, const char *name)
{
    if (result == 0 && name != NULL) {
        note(kind, -1, 0, 0, name, strlen(name));
    }
    return result;
}

int unlink(const char *path)
{
    char out[PATH_MAX];
    const char *name = resolve(AT_FDCWD, path, out);
    return named(DELETE, REAL(unlink)(path), name);
}

int unlinkat(int at, const char *path, int flags)
{
    char out[PATH_MAX];
    const char *name = resolve(at, path, out);
    return named(DELETE, REAL(unlinkat)(at, path, flags), name);
}

int rmdir(const char *path)
{
    char out[PATH_MAX];
    const char *name = resolve(AT_FDCWD, path, out);
    return named(DELETE, REAL(rmdir)(path), name);
}

int remove(const char *path)
{
    char out[PATH_MAX];
    const char *name = resolve(AT_FDCWD, path, out);
    return named(DELETE, REAL(remove)(path), name);
}

int mkdir(const char *path, mode_t mode)
{
    char out[PATH_MAX];
    const char *name = resolve(AT_FDCWD, path, out);
    return named(MAKE_FOLDER, REAL(mkdir)(path, mode), name);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    char out[PATH_MAX];
    const char *name = resolve(at, path, out);
    return named(MAKE_FOLDER, REAL(mkdirat)(at, path, mode), name);
}

/* ---- what is not noted, and so refused */

static void refuse(int fd, const char *what)
{
    if (watched(fd)) {
        give_up(what);
    }
}

static void mapped(const void *address, size_t length, int fd, off_t offset)
{
    struct stat file;
    pthread_mutex_lock(&pages_lock);
    struct page *page =
        length <= MAX_PAGE && offset == 0 && fstat(fd, &file) == 0 ? page_of(&file) : NULL;
    if (page == NULL) {
        give_up("more of a file was mapped for shared writing than a page, which is not noted");
    }
    *page = (struct page){file.st_dev, file.st_ino, address, length};
    pthread_mutex_unlock(&pages_lock);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *made = (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
    if (made != MAP_FAILED && (protection & PROT_WRITE) && (flags & MAP_TYPE) != MAP_PRIVATE &&
        watched(fd)) {
        int former = errno;
        mapped(made, length, fd, offset);
        errno = former;
    }
    return made;
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
    return mmap(address, length, protection, flags, fd, offset);
}

int munmap(void *address, size_t length)
{
    pthread_mutex_lock(&pages_lock);
    for (int i = 0; i < MAX_PAGES; i++) {
        if (pages[i].address == address) {
            pages[i] = (struct page){0};
        }
    }
    pthread_mutex_unlock(&pages_lock);
    return (int)syscall(SYS_munmap, address, length);
}

static void refuse_name(int at, const char *path, const char *what)
{
    char out[PATH_MAX];
    if (resolve(at, path, out) != NULL) {
        give_up(what);
    }
}

int link(const char *from, const char *to)
{
    refuse_name(AT_FDCWD, to, "link is not noted");
    return REAL(link)(from, to);
}

int linkat(int at_from, const char *from, int at_to, const char *to, int flags)
{
    refuse_name(at_to, to, "linkat is not noted");
    return REAL(linkat)(at_from, from, at_to, to, flags);
}

int symlink(const char *target, const char *path)
{
    refuse_name(AT_FDCWD, path, "symlink is not noted");
    return REAL(symlink)(target, path);
}

int symlinkat(const char *target, int at, const char *path)
{
    refuse_name(at, path, "symlinkat is not noted");
    return REAL(symlinkat)(target, at, path);
}

int renameat2(int at_from, const char *from, int at_to, const char *to, unsigned int flags)
{
    refuse_name(at_from, from, "renameat2 is not noted");
    refuse_name(at_to, to, "renameat2 is not noted");
    return REAL(renameat2)(at_from, from, at_to, to, flags);
}

int truncate(const char *path, off_t length)
{
    refuse_name(AT_FDCWD, path, "truncate is not noted");
    return REAL(truncate)(path, length);
}

int truncate64(const char *path, off64_t length)
{
    refuse_name(AT_FDCWD, path, "truncate64 is not noted");
    return REAL(truncate64)(path, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
    refuse(fd, "fallocate is not noted");
    return REAL(fallocate)(fd, mode, offset, length);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length)
{
    refuse(fd, "fallocate is not noted");
    return REAL(fallocate64)(fd, mode, offset, length);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    refuse(fd, "pwritev is not noted");
    return REAL(pwritev)(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    refuse(fd, "pwritev is not noted");
    return REAL(pwritev64)(fd, parts, count, offset);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
    refuse(out, "sendfile is not noted");
    return syscall(SYS_sendfile, out, in, offset, count);
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t count)
{
    return sendfile(out, in, offset, count);
}

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length,
                        unsigned int flags)
{
    refuse(out, "copy_file_range is not noted");
    return syscall(SYS_copy_file_range, in, in_offset, out, out_offset, length, flags);
}

int dup2(int from, int to)
{
    refuse(from, "dup2 is not noted");
    refuse(to, "dup2 is not noted");
    return REAL(dup2)(from, to);
}
