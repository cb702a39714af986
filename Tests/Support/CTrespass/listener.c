// What is the gate's to do, and nothing for the process that listens on its network; and what could be made of what that process has.
#define _GNU_SOURCE
#include "attempts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static struct sockaddr_in local(unsigned port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = (in_port_t)port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

// MARK: files

ATTEMPT(try_read_trust) { return opened(in(scene->trust, "demo.json"), O_RDONLY); }
ATTEMPT(try_list_trust) { return opened(scene->trust, O_RDONLY | O_DIRECTORY); }
ATTEMPT(try_read_log) { return opened(in(scene->data, "mine"), O_RDONLY); }
ATTEMPT(try_write_log) { return opened(in(scene->data, "mine"), O_WRONLY | O_APPEND); }
ATTEMPT(try_create_data) { return opened(in(scene->data, "new"), O_WRONLY | O_CREAT); }
ATTEMPT(try_rename_data) { return done(rename(in(scene->data, "mine"), in(scene->data, "yours"))); }
ATTEMPT(try_unlink_data) { return done(unlink(in(scene->data, "mine"))); }
ATTEMPT(try_stat) { struct stat facts; return done(stat(in(scene->trust, "demo.json"), &facts)); }
ATTEMPT(try_readlink) { ANYWHERE; char path[256]; return done(readlink("/proc/self/exe", path, sizeof path)); }
ATTEMPT(try_handle) { ANYWHERE; return done(syscall(SYS_open_by_handle_at, -1, NULL, 0)); }
ATTEMPT(try_open_tree) { ANYWHERE; return done(syscall(SYS_open_tree, AT_FDCWD, "/", 0)); }
ATTEMPT(try_left_open) { return done(write(scene->sockets.file, "x", 1)); }
ATTEMPT(try_left_open_at) { return done(pwrite(scene->sockets.file, "x", 1, 0)); }
ATTEMPT(try_left_open_cut) { return done(ftruncate(scene->sockets.file, 0)); }
ATTEMPT(try_left_open_mode) { return done(fchmod(scene->sockets.file, 0666)); }
ATTEMPT(try_memory_file) { ANYWHERE; return done(memfd_create("file", 0)); }
ATTEMPT(try_pipe) { ANYWHERE; int ends[2]; return done(pipe2(ends, O_CLOEXEC)); }
ATTEMPT(try_watch) { ANYWHERE; return done(inotify_init1(IN_CLOEXEC)); }
ATTEMPT(try_loop) { ANYWHERE; return done(epoll_create1(EPOLL_CLOEXEC)); }
ATTEMPT(try_timer) { ANYWHERE; return done(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)); }

// MARK: sockets

ATTEMPT(try_connect) { struct sockaddr_in to = local(scene->sockets.port); return done(connect(scene->sockets.loose, (void *)&to, sizeof to)); }
ATTEMPT(try_bind) { struct sockaddr_in at = local(0); return done(bind(scene->sockets.loose, (void *)&at, sizeof at)); }
ATTEMPT(try_listen_elsewhere) { return done(listen(scene->sockets.loose, 1)); }
ATTEMPT(try_accept_other) { return done(accept4(scene->sockets.other, NULL, NULL, SOCK_CLOEXEC)); }
ATTEMPT(try_send_to) { struct sockaddr_in to = local(htons(9)); return done(sendto(scene->sockets.datagrams, "x", 1, 0, (void *)&to, sizeof to)); }
ATTEMPT(try_send_message) { struct msghdr none = {0}; return done(sendmsg(scene->sockets.channel, &none, MSG_DONTWAIT)); }
ATTEMPT(try_send_messages) { struct mmsghdr none = {0}; return done(sendmmsg(scene->sockets.channel, &none, 1, MSG_DONTWAIT)); }
ATTEMPT(try_pass_socket) {
    char room[CMSG_SPACE(sizeof(int))] = {0}, octet = 'x';
    struct iovec part = {&octet, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
    *passed = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(passed), &scene->sockets.lent, sizeof(int));
    return done(sendmsg(scene->sockets.channel, &message, MSG_DONTWAIT));
}
ATTEMPT(try_take_message) {
    char octet;
    struct iovec part = {&octet, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return done(recvmsg(scene->sockets.channel, &message, MSG_DONTWAIT));
}
ATTEMPT(try_take_messages) {
    char octet;
    struct iovec part = {&octet, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return done(recvmmsg(scene->sockets.channel, &message, 1, MSG_DONTWAIT, NULL));
}
// The socket is the keeper's, and every listener's after this one.
ATTEMPT(try_end_lent) { return done(shutdown(scene->sockets.lent, SHUT_RD)); }
ATTEMPT(try_end_lent_whole) { return done(shutdown(scene->sockets.lent, SHUT_RDWR)); }
ATTEMPT(try_let_lent_wait) { return done(fcntl(scene->sockets.lent, F_SETFL, 0)); }
ATTEMPT(try_option) { int on = 1; return done(setsockopt(scene->sockets.lent, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on)); }
ATTEMPT(try_copy) { return done(dup(scene->sockets.lent)); }

// MARK: processes

ATTEMPT(try_outlive) { ANYWHERE; return done(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }
ATTEMPT(try_tkill) { return done(syscall(SYS_tkill, scene->neighbour, 0)); }
ATTEMPT(try_queue) {
    siginfo_t said = {.si_code = SI_QUEUE};
    return done(syscall(SYS_rt_sigqueueinfo, scene->neighbour, 0, &said));
}
ATTEMPT(try_kill_parent) { ANYWHERE; return done(kill(getppid(), 0)); }
ATTEMPT(try_pidfd) { return done(syscall(SYS_pidfd_open, scene->neighbour, 0)); }
ATTEMPT(try_limits) { struct rlimit files; return done(prlimit(scene->neighbour, RLIMIT_NOFILE, NULL, &files)); }
ATTEMPT(try_processors) {
    cpu_set_t all;
    memset(&all, 0xFF, sizeof all);
    return done(sched_setaffinity(scene->neighbour, sizeof all, &all));
}
ATTEMPT(try_compare) { return done(syscall(SYS_kcmp, getpid(), scene->neighbour, 0, 0, 0)); }
static void *idle(void *nothing) { return nothing; }
ATTEMPT(try_thread) {
    ANYWHERE;
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    return pthread_create(&thread, &small, idle, NULL);
}

const struct trespass listener_trespasses[] = {
    {"read a file of the trust folder", ALLOWED, REFUSED, false, true, true, try_read_trust},
    {"list the trust folder", ALLOWED, REFUSED, false, true, true, try_list_trust},
    {"read a file of the data folder", ALLOWED, REFUSED, false, true, true, try_read_log},
    {"write a file of the data folder", ALLOWED, REFUSED, false, true, true, try_write_log},
    {"create a file in the data folder", ALLOWED, REFUSED, false, true, true, try_create_data},
    {"rename in the data folder", ALLOWED, REFUSED, false, true, true, try_rename_data},
    {"unlink in the data folder", ALLOWED, REFUSED, false, true, true, try_unlink_data},
    {"a file's size", ALLOWED, REFUSED, false, true, true, try_stat},
    {"a symbolic link's text", ALLOWED, REFUSED, false, true, true, try_readlink},
    {"open_by_handle_at", ALLOWED, KILLED, false, false, false, try_handle},
    {"open_tree", ALLOWED, KILLED, false, true, true, try_open_tree},
    {"write a file that was left open", ALLOWED, REFUSED, false, true, true, try_left_open},
    {"write it in a place", ALLOWED, REFUSED, false, true, true, try_left_open_at},
    {"truncate it", ALLOWED, REFUSED, false, true, true, try_left_open_cut},
    {"change its mode", ALLOWED, REFUSED, false, true, true, try_left_open_mode},
    {"a file in memory", ALLOWED, REFUSED, false, true, true, try_memory_file},
    {"pipe", ALLOWED, REFUSED, false, true, true, try_pipe},
    {"watch files", ALLOWED, REFUSED, false, true, true, try_watch},
    {"another loop", ALLOWED, REFUSED, false, true, true, try_loop},
    {"another timer", ALLOWED, REFUSED, false, true, true, try_timer},
    {"connect", ALLOWED, KILLED, false, true, true, try_connect},
    {"bind", ALLOWED, KILLED, false, true, true, try_bind},
    {"listen elsewhere", ALLOWED, KILLED, false, true, true, try_listen_elsewhere},
    {"accept from another socket", ALLOWED, REFUSED, false, true, true, try_accept_other},
    {"send to an address", ALLOWED, REFUSED, false, true, true, try_send_to},
    {"sendmsg", ALLOWED, KILLED, false, true, true, try_send_message},
    {"sendmmsg", ALLOWED, KILLED, false, true, true, try_send_messages},
    {"pass the socket on", ALLOWED, KILLED, false, true, true, try_pass_socket},
    {"recvmsg", ALLOWED, KILLED, false, true, true, try_take_message},
    {"recvmmsg", ALLOWED, KILLED, false, true, true, try_take_messages},
    {"end the lent socket", ALLOWED, REFUSED, false, true, true, try_end_lent},
    {"end it in both directions", ALLOWED, REFUSED, false, true, true, try_end_lent_whole},
    {"let it wait", ALLOWED, REFUSED, false, true, true, try_let_lent_wait},
    {"set an option of it", ALLOWED, REFUSED, false, true, true, try_option},
    {"copy a descriptor", ALLOWED, REFUSED, false, true, true, try_copy},
    {"outlive its keeper", ALLOWED, REFUSED, false, true, true, try_outlive},
    {"tkill another process", ALLOWED, KILLED, false, true, true, try_tkill},
    {"queue a signal for another process", ALLOWED, KILLED, false, true, true, try_queue},
    {"kill its keeper", ALLOWED, KILLED, false, true, true, try_kill_parent},
    {"a descriptor of another process", ALLOWED, REFUSED, false, true, true, try_pidfd},
    {"another process's limits", ALLOWED, REFUSED, false, true, true, try_limits},
    {"another process's processors", ALLOWED, REFUSED, false, true, true, try_processors},
    {"kcmp", ALLOWED, KILLED, false, false, false, try_compare},
    {"a thread", ALLOWED, KILLED, false, true, true, try_thread},
};
const int listener_trespass_count = sizeof listener_trespasses / sizeof *listener_trespasses;

// MARK: what a listener has

// Beyond the two descriptors that are a listener's.
static int apart(int descriptor) {
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
    if (descriptor >= 0) close(descriptor);
    return moved;
}

// Listens, and has somebody who waits to be taken.
static int visited(unsigned *port) {
    struct sockaddr_in at = local(0);
    socklen_t length = sizeof at;
    int found = apart(socket(AF_INET, SOCK_STREAM, 0)), visitor = apart(socket(AF_INET, SOCK_STREAM, 0));
    if (found < 0 || visitor < 0 || bind(found, (void *)&at, sizeof at) < 0 || listen(found, 4) < 0) return -1;
    if (getsockname(found, (void *)&at, &length) < 0 || connect(visitor, (void *)&at, sizeof at) < 0) return -1;
    *port = at.sin_port;
    return send(visitor, "x", 1, MSG_NOSIGNAL) == 1 && fcntl(found, F_SETFL, O_NONBLOCK) == 0 ? found : -1;
}

int trespass_open_sockets(struct trespass_scene *scene, int channel, int lent) {
    struct trespass_sockets *sockets = &scene->sockets;
    int ends[2];
    unsigned port;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0) return errno;
    int here = apart(ends[0]), there = apart(ends[1]), socket_of_keeper = visited(&port);
    sockets->other = visited(&sockets->port);
    sockets->loose = apart(socket(AF_INET, SOCK_STREAM, 0));
    sockets->datagrams = apart(socket(AF_INET, SOCK_DGRAM, 0));
    sockets->file = apart(open(in(scene->outside, "kept"), O_WRONLY));
    if (here < 0 || there < 0 || socket_of_keeper < 0 || sockets->other < 0 || sockets->loose < 0 || sockets->datagrams < 0) return EBADF;
    if (sockets->file < 0 || send(there, "x", 1, 0) != 1) return EBADF;
    sockets->channel = dup2(here, channel);
    sockets->lent = dup2(socket_of_keeper, lent);
    return sockets->channel == channel && sockets->lent == lent ? 0 : EBADF;
}
