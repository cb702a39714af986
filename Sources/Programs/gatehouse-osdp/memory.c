#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 };

/// How many octets, at most `MOST`; minus the errno.
static int read_file(int folder, const char *name, char text[MOST + 1], mode_t *mode) {
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return -errno;
    struct stat facts;
    ssize_t count = fstat(file, &facts);
    if (count == 0 && !S_ISREG(facts.st_mode)) {
        close(file);
        return -EINVAL;
    }
    if (count == 0) count = read(file, text, MOST);
    const int code = errno;
    close(file);
    if (count < 0) return -code;
    text[count] = 0;
    *mode = facts.st_mode & 07777;
    return (int)count;
}

static int write_file(int folder, const char *name, const char *text) {
    char other[MOST];
    snprintf(other, sizeof other, "%s.new", name);
    unlinkat(folder, other, 0);
    const int file = openat(folder, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return errno;
    const size_t count = strlen(text);
    int code = write(file, text, count) == (ssize_t)count ? 0 : errno ? errno : EIO;
    if (!code && fsync(file) < 0) code = errno;
    close(file);
    if (!code && renameat(folder, other, folder, name) < 0) code = errno;
    if (!code && fsync(folder) < 0) code = errno;
    if (code) unlinkat(folder, other, 0);
    return code;
}

// MARK: the key

static int digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

enum key_state key_read(int folder, uint8_t key[KEY_SIZE]) {
    char text[MOST + 1];
    mode_t mode = 0;
    const int count = read_file(folder, "key", text, &mode);
    enum key_state state = KEY_THERE;
    if (count < 0) return count == -ENOENT ? KEY_MISSING : KEY_UNREADABLE;
    if (mode & 077) state = KEY_OPEN;
    else if (count != 2 * KEY_SIZE + 1 || text[2 * KEY_SIZE] != '\n') state = KEY_DAMAGED;
    for (int i = 0; i < KEY_SIZE && state == KEY_THERE; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) state = KEY_DAMAGED;
        else key[i] = (uint8_t)(high << 4 | low);
    }
    explicit_bzero(text, sizeof text);
    if (state != KEY_THERE) explicit_bzero(key, KEY_SIZE);
    return state;
}

const char *key_sentence(enum key_state state) {
    switch (state) {
    case KEY_THERE: return "there is a key";
    case KEY_MISSING: return "there is no key (key-missing): set one from the panel while --install runs";
    case KEY_UNREADABLE: return "the key cannot be read (key-unreadable)";
    case KEY_OPEN: return "others may read the key (key-open): set another, and chmod 600 the file";
    case KEY_DAMAGED: return "the key's file is damaged (key-damaged): set one from the panel while --install runs";
    }
    return "";
}

int key_write(int folder, const uint8_t key[KEY_SIZE]) {
    char text[2 * KEY_SIZE + 2];
    for (int i = 0; i < KEY_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", key[i]);
    text[2 * KEY_SIZE] = '\n';
    text[2 * KEY_SIZE + 1] = 0;
    const int code = write_file(folder, "key", text);
    explicit_bzero(text, sizeof text);
    return code;
}

// MARK: the line

int line_read(int folder, uint8_t *address, uint32_t *rate) {
    char text[MOST + 1], again[MOST];
    mode_t mode = 0;
    unsigned number = 0, speed = 0;
    const int count = read_file(folder, "line", text, &mode);
    if (count < 0) return count == -ENOENT ? 1 : -1;
    if (sscanf(text, "address %3u rate %6u", &number, &speed) != 2 || number >= FRAME_BROADCAST || !is_rate(speed)) return -1;
    snprintf(again, sizeof again, "address %u rate %u\n", number, speed);
    if (strcmp(text, again) != 0) return -1;
    *address = (uint8_t)number;
    *rate = speed;
    return 0;
}

int line_keep(int folder, uint8_t address, uint32_t rate) {
    char text[MOST];
    snprintf(text, sizeof text, "address %u rate %u\n", address, rate);
    return write_file(folder, "line", text);
}
