#define _GNU_SOURCE
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif

// MARK: running programs

ATTEMPT(try_execve) { ANYWHERE; return done(execve("/bin/true", (char *[]){"true", NULL}, (char *[]){NULL})); }
ATTEMPT(try_execveat) { ANYWHERE; return done(syscall(SYS_execveat, AT_FDCWD, "/bin/true", (char *[]){"true", NULL}, (char *[]){NULL}, 0)); }
ATTEMPT(try_memfd) {
    ANYWHERE;
    char octets[65536];
    int from = open("/bin/true", O_RDONLY), to = memfd_create("program", 0);
    if (to < 0) return errno;
    for (ssize_t count; (count = read(from, octets, sizeof octets)) > 0;)
        if (write(to, octets, (size_t)count) != count) return EIO;
    return done(syscall(SYS_execveat, to, "", (char *[]){"true", NULL}, (char *[]){NULL}, AT_EMPTY_PATH));
}
ATTEMPT(try_fork) {
    ANYWHERE;
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    return done(child);
}
ATTEMPT(try_clone_namespace) {
    ANYWHERE;
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    return done(child);
}
ATTEMPT(try_mmap_code) { ANYWHERE; return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0; }
ATTEMPT(try_mprotect_code) {
    ANYWHERE;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? EIO : done(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}
ATTEMPT(try_pkey_code) {
    ANYWHERE;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? EIO : done(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1));
}
ATTEMPT(try_personality) { ANYWHERE; return done(personality(READ_IMPLIES_EXEC)); }

// MARK: files

ATTEMPT(try_create_in_tmp) {
    ANYWHERE;
    char path[] = "/tmp/gatehouse-trespass.XXXXXX";
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return done(file);
}
ATTEMPT(try_write_etc) { ANYWHERE; return opened("/etc/passwd", O_WRONLY); }
ATTEMPT(try_create_in_etc) { ANYWHERE; int code = opened("/etc/gatehouse-trespass", O_WRONLY | O_CREAT); unlink("/etc/gatehouse-trespass"); return code; }
ATTEMPT(try_create_outside) { return opened(in(scene->outside, "new"), O_WRONLY | O_CREAT); }
ATTEMPT(try_write_outside) { return opened(in(scene->outside, "kept"), O_WRONLY); }
ATTEMPT(try_truncating_open) { return opened(in(scene->outside, "kept"), O_RDONLY | O_TRUNC); }
ATTEMPT(try_read_outside) { return opened(in(scene->outside, "kept"), O_RDONLY); }
ATTEMPT(try_list_outside) { return opened(scene->outside, O_RDONLY | O_DIRECTORY); }
ATTEMPT(try_symlink_out) { return opened(in(scene->data, "way-out"), O_WRONLY); }
ATTEMPT(try_dots_out) { return opened(in(scene->data, "../outside/kept"), O_WRONLY); }
ATTEMPT(try_proc_mem) { ANYWHERE; return opened("/proc/self/mem", O_RDWR); }
ATTEMPT(try_environment) { char path[64]; snprintf(path, sizeof path, "/proc/%d/cmdline", scene->neighbour); return opened(path, O_RDONLY); }
ATTEMPT(try_rename_out) { return done(rename(in(scene->data, "mine"), in(scene->outside, "mine"))); }
ATTEMPT(try_rename_in) { return done(rename(in(scene->outside, "kept"), in(scene->data, "taken"))); }
ATTEMPT(try_unlink_outside) { return done(unlink(in(scene->outside, "kept"))); }
ATTEMPT(try_rmdir_outside) { return done(unlinkat(AT_FDCWD, in(scene->outside, "empty"), AT_REMOVEDIR)); }
ATTEMPT(try_link_out) { return done(link(in(scene->data, "mine"), in(scene->outside, "linked"))); }
ATTEMPT(try_symlink) { return done(symlink("/etc/passwd", in(scene->data, "passwd"))); }
ATTEMPT(try_mkdir) { return done(mkdir(in(scene->data, "folder"), 0700)); }
ATTEMPT(try_mkdir_outside) { return done(mkdir(in(scene->outside, "folder"), 0700)); }
ATTEMPT(try_fifo) { return done(mknod(in(scene->data, "fifo"), S_IFIFO | 0600, 0)); }
ATTEMPT(try_chmod) { return done(chmod(in(scene->data, "mine"), 04755)); }
ATTEMPT(try_chown) { return done(chown(in(scene->data, "mine"), getuid(), getgid())); }
ATTEMPT(try_truncate_outside) { return done(truncate(in(scene->outside, "kept"), 0)); }
ATTEMPT(try_times) { return done(utimensat(AT_FDCWD, in(scene->data, "mine"), NULL, 0)); }
ATTEMPT(try_chdir) { return done(chdir(scene->outside)); }
ATTEMPT(try_chroot) { return done(chroot(scene->data)); }
ATTEMPT(try_mount) { return done(mount("none", scene->data, "no-such-type", 0, NULL)); }
ATTEMPT(try_fsopen) { ANYWHERE; return done(syscall(SYS_fsopen, "no-such-type", 0)); }

// MARK: the network

static int socket_of(int family, int type, int protocol) { return done(socket(family, type | SOCK_CLOEXEC, protocol)); }
ATTEMPT(try_inet) { ANYWHERE; return socket_of(AF_INET, SOCK_STREAM, 0); }
ATTEMPT(try_inet_datagram) { ANYWHERE; return socket_of(AF_INET, SOCK_DGRAM, 0); }
ATTEMPT(try_inet6) { ANYWHERE; return socket_of(AF_INET6, SOCK_STREAM, 0); }
ATTEMPT(try_netlink) { ANYWHERE; return socket_of(AF_NETLINK, SOCK_RAW, 0); }
ATTEMPT(try_packet) { ANYWHERE; return socket_of(AF_PACKET, SOCK_RAW, 0); }
ATTEMPT(try_vsock) { ANYWHERE; return socket_of(AF_VSOCK, SOCK_STREAM, 0); }
ATTEMPT(try_crypto) { ANYWHERE; return socket_of(AF_ALG, SOCK_SEQPACKET, 0); }
ATTEMPT(try_unix_datagram) { ANYWHERE; return socket_of(AF_UNIX, SOCK_DGRAM, 0); }
ATTEMPT(try_l2cap) { ANYWHERE; return socket_of(31, SOCK_SEQPACKET, 0); }
ATTEMPT(try_socketpair) { ANYWHERE; int pair[2]; return done(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); }
ATTEMPT(try_listen) { ANYWHERE; return done(listen(0, 1)); }
ATTEMPT(try_packet_filter) {
    ANYWHERE;
    struct sock_filter all = {BPF_RET | BPF_K, 0, 0, 0xFFFF};
    struct sock_fprog program = {1, &all};
    return done(setsockopt(0, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
}

// MARK: other processes

ATTEMPT(try_kill) { return done(kill(scene->neighbour, 0)); }
ATTEMPT(try_kill_all) { ANYWHERE; return done(kill(-1, 0)); }
ATTEMPT(try_tgkill) { return done(syscall(SYS_tgkill, scene->neighbour, scene->neighbour, 0)); }
ATTEMPT(try_ptrace) { ANYWHERE; return done(ptrace(PTRACE_TRACEME, 0, NULL, NULL)); }
ATTEMPT(try_ptrace_other) { return done(ptrace(PTRACE_SEIZE, scene->neighbour, NULL, NULL)); }
ATTEMPT(try_write_memory) {
    char octet = 0;
    struct iovec here = {&octet, 0};
    return done(process_vm_writev(scene->neighbour, &here, 1, &here, 1, 0));
}
ATTEMPT(try_read_memory) {
    char octet = 0;
    struct iovec here = {&octet, 0};
    return done(process_vm_readv(scene->neighbour, &here, 1, &here, 1, 0));
}
ATTEMPT(try_pidfd_getfd) { ANYWHERE; return done(syscall(SYS_pidfd_getfd, -1, 0, 0)); }
ATTEMPT(try_priority) { return done(setpriority(PRIO_PROCESS, (id_t)scene->neighbour, 5)); }

// MARK: getting back what was given up

ATTEMPT(try_setuid) { ANYWHERE; return done(syscall(SYS_setuid, 0)); }
ATTEMPT(try_setresuid) { ANYWHERE; return done(syscall(SYS_setresuid, 0, 0, 0)); }
ATTEMPT(try_setgroups) { ANYWHERE; return done(syscall(SYS_setgroups, 0, NULL)); }
ATTEMPT(try_capset) {
    ANYWHERE;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct all[2] = {{0, 1U << CAP_SYS_ADMIN, 0}, {0, 0, 0}};
    return done(syscall(SYS_capset, &header, all));
}
ATTEMPT(try_dumpable) { ANYWHERE; return done(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }
ATTEMPT(try_keep_capabilities) { ANYWHERE; return done(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)); }
ATTEMPT(try_core_limit) { ANYWHERE; struct rlimit none = {0, 0}; return done(setrlimit(RLIMIT_CORE, &none)); }
ATTEMPT(try_unshare) { ANYWHERE; return done(unshare(CLONE_NEWUSER)); }
ATTEMPT(try_setns) { ANYWHERE; return done(setns(-1, 0)); }
ATTEMPT(try_seccomp) { ANYWHERE; return done(syscall(SYS_seccomp, 2, 0, (unsigned[]){0x7fff0000})); }
ATTEMPT(try_terminal_input) { ANYWHERE; return done(ioctl(0, TIOCSTI, "x")); }
ATTEMPT(try_x32) {
    ANYWHERE;
#ifdef __x86_64__
    return done(syscall(0x40000000 | SYS_getpid));
#else
    raise(SIGSYS);
    return 0;
#endif
}

// MARK: the kernel

ATTEMPT(try_bpf) { ANYWHERE; return done(syscall(SYS_bpf, 0, NULL, 0)); }
ATTEMPT(try_perf) { ANYWHERE; return done(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)); }
ATTEMPT(try_io_uring) { ANYWHERE; return done(syscall(SYS_io_uring_setup, 1, NULL)); }
ATTEMPT(try_userfaultfd) { ANYWHERE; return done(syscall(SYS_userfaultfd, 1)); }
ATTEMPT(try_init_module) { ANYWHERE; return done(syscall(SYS_init_module, NULL, 0, "")); }
ATTEMPT(try_finit_module) { ANYWHERE; return done(syscall(SYS_finit_module, -1, "", 0)); }
ATTEMPT(try_delete_module) { ANYWHERE; return done(syscall(SYS_delete_module, "", 0)); }
ATTEMPT(try_kexec) { ANYWHERE; return done(syscall(SYS_kexec_load, 0, 1 << 20, NULL, ~0UL)); }
ATTEMPT(try_reboot) { ANYWHERE; return done(syscall(SYS_reboot, 0, 0, 0, NULL)); }
ATTEMPT(try_settimeofday) { ANYWHERE; return done(syscall(SYS_settimeofday, (void *)1, NULL)); }
ATTEMPT(try_clock_settime) { ANYWHERE; return done(syscall(SYS_clock_settime, 12345, NULL)); }
ATTEMPT(try_hostname) { ANYWHERE; return done(syscall(SYS_sethostname, "", -1)); }
ATTEMPT(try_add_key) { ANYWHERE; return done(syscall(SYS_add_key, "user", "gatehouse-trespass", "x", 1, -1)); }
ATTEMPT(try_keyctl) { ANYWHERE; return done(syscall(SYS_keyctl, 0, -1, 0)); }
ATTEMPT(try_swapon) { ANYWHERE; return done(syscall(SYS_swapon, "/nowhere", 0)); }

static const struct trespass trespasses[] = {
    {"execve", KILLED, KILLED, false, false, false, try_execve},
    {"execveat", KILLED, KILLED, false, false, false, try_execveat},
    {"program in memory (memfd_create, execveat)", REFUSED, REFUSED, false, true, true, try_memfd},
    {"fork", REFUSED, KILLED, false, true, true, try_fork},
    {"clone into a namespace", KILLED, KILLED, false, false, false, try_clone_namespace},
    {"mmap of code", REFUSED, REFUSED, false, true, true, try_mmap_code},
    {"mprotect to code", REFUSED, REFUSED, false, true, true, try_mprotect_code},
    {"pkey_mprotect to code", REFUSED, REFUSED, false, false, false, try_pkey_code},
    {"personality READ_IMPLIES_EXEC", REFUSED, REFUSED, false, false, false, try_personality},
    {"create a file in /tmp", REFUSED, REFUSED, false, true, true, try_create_in_tmp},
    {"write /etc/passwd", REFUSED, REFUSED, false, false, true, try_write_etc},
    {"create a file in /etc", REFUSED, REFUSED, false, false, true, try_create_in_etc},
    {"create a file outside", REFUSED, REFUSED, false, true, true, try_create_outside},
    {"write a file outside", REFUSED, REFUSED, false, true, true, try_write_outside},
    {"truncate by opening", REFUSED, REFUSED, false, true, true, try_truncating_open},
    {"read a file outside", REFUSED, REFUSED, true, true, true, try_read_outside},
    {"list a folder outside", REFUSED, REFUSED, true, true, true, try_list_outside},
    {"out of the data folder by a symbolic link", REFUSED, REFUSED, false, true, true, try_symlink_out},
    {"out of the data folder by dots", REFUSED, REFUSED, false, true, true, try_dots_out},
    {"own memory as a file", REFUSED, REFUSED, true, true, true, try_proc_mem},
    {"another process's command line", REFUSED, REFUSED, true, true, true, try_environment},
    {"rename out of the data folder", REFUSED, REFUSED, false, true, true, try_rename_out},
    {"rename into the data folder", REFUSED, REFUSED, false, true, true, try_rename_in},
    {"unlink outside", REFUSED, REFUSED, false, true, true, try_unlink_outside},
    {"rmdir outside", REFUSED, REFUSED, false, true, true, try_rmdir_outside},
    {"hard link out of the data folder", REFUSED, REFUSED, false, true, true, try_link_out},
    {"symbolic link", REFUSED, REFUSED, false, true, true, try_symlink},
    {"mkdir", REFUSED, REFUSED, false, true, true, try_mkdir},
    {"mkdir outside", REFUSED, REFUSED, false, true, true, try_mkdir_outside},
    {"mkfifo", REFUSED, REFUSED, false, true, true, try_fifo},
    {"chmod", REFUSED, REFUSED, false, true, true, try_chmod},
    {"chown", REFUSED, REFUSED, false, true, true, try_chown},
    {"truncate outside", REFUSED, REFUSED, false, true, true, try_truncate_outside},
    {"change times", REFUSED, REFUSED, false, true, true, try_times},
    {"chdir", REFUSED, REFUSED, false, true, true, try_chdir},
    {"chroot", KILLED, KILLED, false, false, false, try_chroot},
    {"mount", KILLED, KILLED, false, false, false, try_mount},
    {"fsopen", KILLED, KILLED, false, false, false, try_fsopen},
    {"socket AF_INET", REFUSED, KILLED, false, true, true, try_inet},
    {"socket AF_INET of datagrams", REFUSED, KILLED, false, true, true, try_inet_datagram},
    {"socket AF_INET6", REFUSED, KILLED, false, false, false, try_inet6},
    {"socket AF_NETLINK", REFUSED, KILLED, false, true, true, try_netlink},
    {"socket AF_PACKET", REFUSED, KILLED, false, false, false, try_packet},
    {"socket AF_VSOCK", REFUSED, KILLED, false, false, false, try_vsock},
    {"socket AF_ALG", REFUSED, KILLED, false, false, false, try_crypto},
    {"socket AF_UNIX of datagrams", REFUSED, KILLED, false, true, true, try_unix_datagram},
    {"socket AF_BLUETOOTH, L2CAP", REFUSED, KILLED, false, false, false, try_l2cap},
    {"socketpair", REFUSED, KILLED, false, true, true, try_socketpair},
    {"listen", REFUSED, KILLED, false, false, false, try_listen},
    {"socket filter program", REFUSED, REFUSED, false, false, false, try_packet_filter},
    {"kill another process", REFUSED, KILLED, false, true, true, try_kill},
    {"kill all processes", REFUSED, KILLED, false, true, true, try_kill_all},
    {"tgkill another process", REFUSED, REFUSED, false, true, true, try_tgkill},
    {"ptrace", KILLED, KILLED, false, false, false, try_ptrace},
    {"ptrace another process", KILLED, KILLED, false, false, false, try_ptrace_other},
    {"process_vm_writev", KILLED, KILLED, false, false, false, try_write_memory},
    {"process_vm_readv", KILLED, KILLED, false, false, false, try_read_memory},
    {"pidfd_getfd", KILLED, KILLED, false, false, false, try_pidfd_getfd},
    {"another process's priority", REFUSED, REFUSED, false, true, true, try_priority},
    {"setuid 0", REFUSED, KILLED, false, false, true, try_setuid},
    {"setresuid 0", REFUSED, KILLED, false, false, true, try_setresuid},
    {"setgroups", REFUSED, KILLED, false, false, true, try_setgroups},
    {"capset CAP_SYS_ADMIN", REFUSED, KILLED, false, false, true, try_capset},
    {"dumpable again", REFUSED, REFUSED, false, true, true, try_dumpable},
    {"keep capabilities", REFUSED, REFUSED, false, false, true, try_keep_capabilities},
    {"setrlimit", REFUSED, REFUSED, false, true, true, try_core_limit},
    {"unshare", KILLED, KILLED, false, false, false, try_unshare},
    {"setns", KILLED, KILLED, false, false, false, try_setns},
    {"seccomp", KILLED, REFUSED, false, false, false, try_seccomp},
    {"ioctl TIOCSTI", REFUSED, REFUSED, false, false, false, try_terminal_input},
    {"call of another processor (x32)", KILLED, KILLED, false, false, false, try_x32},
    {"bpf", KILLED, KILLED, false, false, false, try_bpf},
    {"perf_event_open", KILLED, KILLED, false, false, false, try_perf},
    {"io_uring_setup", KILLED, KILLED, false, false, false, try_io_uring},
    {"userfaultfd", KILLED, KILLED, false, false, false, try_userfaultfd},
    {"init_module", KILLED, KILLED, false, false, false, try_init_module},
    {"finit_module", KILLED, KILLED, false, false, false, try_finit_module},
    {"delete_module", KILLED, KILLED, false, false, false, try_delete_module},
    {"kexec_load", KILLED, KILLED, false, false, false, try_kexec},
    {"reboot", KILLED, KILLED, false, false, false, try_reboot},
    {"settimeofday", REFUSED, REFUSED, false, false, false, try_settimeofday},
    {"clock_settime", REFUSED, REFUSED, false, false, false, try_clock_settime},
    {"sethostname", REFUSED, REFUSED, false, false, false, try_hostname},
    {"add_key", KILLED, KILLED, false, false, false, try_add_key},
    {"keyctl", KILLED, KILLED, false, false, false, try_keyctl},
    {"swapon", KILLED, KILLED, false, false, false, try_swapon},
};

enum { COUNT = sizeof trespasses / sizeof *trespasses };

int trespass_count(void) {
    return COUNT + listener_trespass_count;
}

const struct trespass *trespass_at(int index) {
    return index < COUNT ? &trespasses[index] : &listener_trespasses[index - COUNT];
}

int trespass_in_child(int (*body)(void *), void *context) {
    pid_t child = fork();
    if (child == 0) _exit(body(context));
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

int trespass_neighbour(void) {
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
}

void trespass_be_open(void) {
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

const char *trespass_terminal(void) {
    int far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (far < 0 || grantpt(far) < 0 || unlockpt(far) < 0) return NULL;
    const char *path = ptsname(far);
    return path && chmod(path, 0666) == 0 ? path : NULL;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

void trespass_remove(const char *folder) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
