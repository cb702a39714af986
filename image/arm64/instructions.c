/*
 * How many instructions an emulated program runs: a plug-in for QEMU's user emulation, which prints on its standard error how many there
 * were since the program asked the kernel for its parent's number, each time it asks again. A block that has begun counts as all its
 * instructions.
 *
 *   cc -shared -fPIC -O2 instructions.c -o instructions.so
 *   qemu-aarch64 -d plugin -plugin ./instructions.so program
 *
 * QEMU's header of this interface, version 1, is in no package of Debian's: what is used of it is declared here.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *number, uint64_t more);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(
    qemu_plugin_id_t, unsigned vcpu, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, qemu_plugin_vcpu_syscall_cb_t);
void qemu_plugin_outs(const char *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { GETPPID = 173 }; /* of arm64 */
static uint64_t instructions, last;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &instructions, qemu_plugin_tb_n_insns(block));
}

static void called(
    qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
    uint64_t h) {
    (void)id, (void)vcpu, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (number != GETPPID) return;
    char line[64];
    snprintf(line, sizeof line, "instructions %" PRIu64 "\n", instructions - last);
    qemu_plugin_outs(line);
    last = instructions;
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *emulator, int count, char **words) {
    (void)emulator, (void)count, (void)words;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
