#pragma once
#include <stdbool.h>

// What an intruder in the gate's process would try, or in the one that listens on its network, each as one call, and a child process to try
// it in. All are harmless where they work: what could do damage has arguments that no kernel takes.

// Of the listener's process, which has two of these descriptors where it has them; the others are left open by somebody's mistake.
struct trespass_sockets {
    int channel;        // to the gate, with an octet to be read
    int lent;           // listens; somebody has connected and sent an octet
    int other;          // the same, and not the listener's
    unsigned port;      // where `other` listens, in the order of a network's octets
    int loose;          // TCP, to nobody
    int datagrams;      // UDP
    int file;           // `kept`, to be written
};

struct trespass_scene {
    const char *data;    // the folder the gate may write
    const char *outside; // one it may not, though its mode lets everybody; with a file `kept`
    const char *trust;   // whom the gate believes: to be read by it, and by nobody else
    int neighbour;       // another process of the same user
    struct trespass_sockets sockets; // where a listener is attacked
};

enum trespass_end {
    TRESPASS_KILLED,  // ends the process with SIGSYS
    TRESPASS_REFUSED, // fails with EPERM, EACCES or EXDEV
    TRESPASS_ALLOWED, // is among what this process has to do, or not for it: nothing is tried
};

struct trespass {
    const char *name;
    enum trespass_end gate, listener;
    bool by_landlock; // of the gate, only Landlock prevents it
    bool works;       // for anybody who is not confined, so that this attempt is one
    bool works_for_root;
    int (*attempt)(const struct trespass_scene *); // 0 when it worked, otherwise the errno
};

int trespass_count(void);
/// From 0 to the count.
const struct trespass *trespass_at(int index);

/// Runs `body` in a child process, whose exit code is what it returns; the child's wait status.
int trespass_in_child(int (*body)(void *), void *context);
/// Opens what a listener has, at the descriptors it has it at, and what it should not have; the code of what failed, or 0.
int trespass_open_sockets(struct trespass_scene *scene, int channel, int lent);
/// A child that only waits to be ended.
int trespass_neighbour(void);
/// What changing the user closed is open again: the process's own files under /proc.
void trespass_be_open(void);
/// A pseudo-terminal, for everybody, whose far end stays open: its path, or NULL.
const char *trespass_terminal(void);
/// Removes a folder and what is in it.
void trespass_remove(const char *folder);
