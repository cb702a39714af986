#pragma once
#include <stdbool.h>

// What an intruder in the gate's process would try, each as one call, and a child process to try it in. All are harmless where they work:
// what could do damage has arguments that no kernel takes.

struct trespass_scene {
    const char *data;    // the folder the gate may write
    const char *outside; // one it may not, though its mode lets everybody; with a file `kept`
    int neighbour;       // another process of the same user
};

enum trespass_end {
    TRESPASS_KILLED,  // ends the process with SIGSYS
    TRESPASS_REFUSED, // fails with EPERM, EACCES or EXDEV
};

struct trespass {
    const char *name;
    enum trespass_end end;
    bool by_landlock; // only Landlock prevents it
    bool works;       // for anybody who is not confined, so that this attempt is one
    bool works_for_root;
    int (*attempt)(const struct trespass_scene *); // 0 when it worked, otherwise the errno
};

int trespass_count(void);
/// From 0 to the count.
const struct trespass *trespass_at(int index);

/// Runs `body` in a child process, whose exit code is what it returns; the child's wait status.
int trespass_in_child(int (*body)(void *), void *context);
/// A child that only waits to be ended.
int trespass_neighbour(void);
/// What changing the user closed is open again: the process's own files under /proc.
void trespass_be_open(void);
/// A pseudo-terminal, for everybody, whose far end stays open: its path, or NULL.
const char *trespass_terminal(void);
/// Removes a folder and what is in it.
void trespass_remove(const char *folder);
