#pragma once
#include <stddef.h>
#include <stdint.h>

// Starting programs, and descriptors that travel over a socket (unix(7), SCM_RIGHTS), whose macros Swift cannot read.

/// Sends one message, and a descriptor with it unless that is -1. Never waits. 0, or the errno.
int channel_send(int channel, const void *octets, size_t count, int descriptor);
/// Receives one message of at most `count` octets, and the descriptor that came with it, which closes on exec, or -1. Never waits. How many
/// octets it has, 0 at the end, or minus the errno; EMSGSIZE for a message that is longer or brings more than one descriptor, which are
/// closed.
long channel_receive(int channel, void *octets, size_t count, int *descriptor);

/// What a started program gets. Every descriptor that is not named here is closed in it.
struct program {
    const char *path;
    /// Both end with NULL.
    char *const *arguments;
    char *const *environment;
    /// Becomes descriptor 3; -1 for none.
    int channel;
    /// Becomes descriptor 4; -1 for none. It is not 3 and none of the standard ones, and there is a channel beside it.
    int listener;
    /// Becomes descriptor 1; -1 for /dev/null. Descriptor 0 is /dev/null.
    int output;
    /// Becomes descriptor 2, this process's own one too; -1 for /dev/null.
    int errors;
    /// 0 to let through what ends a program politely (SIGTERM, SIGINT, SIGHUP), otherwise it is blocked: who started it ends it.
    int holds_on;
};

/// Starts it, in a process group of its own, with all signals as they are by default. 0, or the errno.
int program_start(const struct program *program, int32_t *process);

/// Becomes the program that `arguments` begins with. Only returns when that fails: the errno.
int program_become(char *const *arguments, char *const *environment);

/// Sends this signal when the process that started this one is gone. 0, or the errno.
int process_follow_parent(int signal);

/// Blocks SIGTERM, SIGINT, SIGHUP and SIGPIPE, and makes SIGCHLD and SIGUSR1 something to read: a descriptor, or minus the errno.
int signals_open(void);
/// Takes everything there is to read.
void signals_drain(int signals);
/// A pipe whose ends close on exec: what to read first. 0, or the errno.
int pipe_open(int ends[2]);
