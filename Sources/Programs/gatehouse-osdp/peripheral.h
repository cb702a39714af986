#pragma once
#include <stdint.h>

#include "card.h"
#include "feed.h"
#include "frame.h"

// The gate as a reader at somebody's panel: libosdp between a line and the gate's verdicts.

/// How the program ends itself.
enum {
    EXIT_USAGE = 2,
    EXIT_CIPHER = 65,
    EXIT_NOT_CONFINED = 66,
    EXIT_SYSTEM = 71,
    EXIT_LINE = 74,
    /// Nothing that starting again would cure: no key, above all.
    EXIT_KEY = 78,
};

enum card_class { CARD_ACCEPTED, CARD_HOLDER, CARD_REJECTED, CARD_CLASSES };

enum {
    KEY_SIZE = 16,
    CARD_QUEUE = 4,
    /// Milliseconds after which a verdict is no news any more.
    CARD_LIFE = 2000,
    /// Milliseconds for which an answer is given again to who did not get it; one that shows a card, as long as its verdict is news.
    /// libosdp's panel asks again after one second.
    ANSWER_LIFE = 3000,
    /// Milliseconds of install mode.
    INSTALL_LIFE = 600000,
};

struct settings {
    const char *line, *state, *feed, *output;
    uint32_t rate;
    uint8_t address;
    int bits, priority, installs, is_lenient;
    uint32_t serial, firmware;
    struct card cards[CARD_CLASSES];
    int has_card[CARD_CLASSES];
    long install_life; // milliseconds
};

/// What the panel last asked for, and what became of verdicts.
struct condition {
    uint8_t is_installing, is_up, is_realtime, is_locked, turns_by_driver, led, output, has_output;
    uint8_t address;
    uint32_t rate;
    uint32_t delivered;
    uint32_t stale; // verdicts that were too old, or became so before the panel asked
    uint32_t away;  // verdicts while there was no secure channel
    uint32_t full;  // verdicts that found the queue full
    uint32_t strange, missed; // datagrams that are no verdicts; verdicts that the gate could not send
    uint32_t leds, tones, texts, outputs, repeats, refused, complaints;
    uint32_t drops[FRAME_DROPS];
};

struct peripheral;

/// What the peripheral asks of the process it is in. Nothing of it waits.
struct surroundings {
    /// Sends octets over the line; how many went, or -1.
    int (*send)(const uint8_t *octets, int count);
    /// Drives the output; nothing where there is none.
    void (*drive)(int is_on);
    /// The panel has set another key, and has its answer.
    void (*keep_key)(const uint8_t key[KEY_SIZE]);
    /// The panel has set another address and speed, and has its answer.
    void (*keep_line)(uint8_t address, uint32_t rate);
};

/// - Parameter key: NULL for install mode, until a panel has set one or the time is over.
struct peripheral *peripheral_new(const struct settings *settings, const uint8_t *key, const struct surroundings *surroundings);
/// Where to read octets of the line to, and how many.
size_t peripheral_room(struct peripheral *peripheral, uint8_t **place);
/// So many were read: what is whole is answered.
void peripheral_take(struct peripheral *peripheral, size_t count);
/// A verdict, as it came.
void peripheral_hear(struct peripheral *peripheral, const uint8_t *octets, size_t count);
/// Deals with what is over by now. Called before anything that came is looked at. Milliseconds until it wants to be called again.
int peripheral_pass(struct peripheral *peripheral);
/// Install mode is over, and there is no key.
int peripheral_is_over(const struct peripheral *peripheral);
const struct condition *peripheral_condition(struct peripheral *peripheral);
int is_rate(uint32_t rate);
/// For the fuzzer: libosdp's own, and the end.
void *peripheral_context(struct peripheral *peripheral);
void peripheral_free(struct peripheral *peripheral);

/// 0, or -1 where libcrypto does not work.
int crypt_begin(void);
/// Errors that libosdp spoke of.
uint32_t crypt_complaints(void);
/// Milliseconds of CLOCK_MONOTONIC.
int64_t clock_now(void);
