// What comes over the line, and to the feed, under libFuzzer: into the framer, and on into libosdp. The input is a row of pieces, each
// after an octet that says what it is: octets as they are; a packet whose length, address and check are made right; a step of time; a
// verdict. In a secure channel the fuzzer is the panel: it has the session's keys, so that what it sends is not stopped by its code.
#include <osdp_common.h>

#include <stdlib.h>

#include "peripheral.h"

static int64_t now = 1000;

int64_t clock_now(void) { return now; }
int64_t osdp_millis_now(void) { return now; }

static int send_octets(const uint8_t *octets, int count) {
    // Read by the sanitizer, each of them.
    volatile uint8_t sum = 0;
    for (int i = 0; i < count; i++) sum ^= octets[i];
    return count;
}
static void drive(int is_on) { (void)is_on; }
static void keep_key(const uint8_t key[KEY_SIZE]) { (void)key; }
static void keep_line(uint8_t address, uint32_t rate) {
    if (address >= FRAME_BROADCAST || !is_rate(rate)) abort();
}

static void take(struct peripheral *peripheral, const uint8_t *octets, size_t count) {
    while (count > 0) {
        uint8_t *place;
        size_t room = peripheral_room(peripheral, &place);
        if (room == 0) abort();
        if (room > count) room = count;
        memcpy(place, octets, room);
        peripheral_take(peripheral, room);
        octets += room, count -= room;
    }
}

/// A packet with a body, from its control octet on; in a secure channel with its code.
static void send_packet(struct peripheral *peripheral, struct osdp_pd *device, const uint8_t *body, size_t count, int has_code) {
    uint8_t packet[300] = {0x53, 0};
    if (count > 230) count = 230;
    memcpy(packet + 4, body, count);
    packet[4] |= 0x04;
    size_t size = 4 + count;
    const size_t whole = size + (has_code ? 4 : 0) + 2;
    packet[2] = (uint8_t)whole;
    packet[3] = (uint8_t)(whole >> 8);
    if (has_code) {
        // Computed on a copy: the device's own state is what it compares with.
        struct osdp_pd copy = *device;
        osdp_compute_mac(&copy, 1, packet, (int)size);
        memcpy(packet + size, copy.sc.c_mac, 4);
        size += 4;
    }
    const uint16_t check = osdp_compute_crc16(packet, size);
    packet[size++] = (uint8_t)check;
    packet[size++] = (uint8_t)(check >> 8);
    take(peripheral, packet, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t count) {
    static const uint8_t key[KEY_SIZE] = {1, 2, 3};
    static int is_begun;
    if (!is_begun && crypt_begin() < 0) abort();
    is_begun = 1;
    if (count < 1) return 0;
    const struct settings settings = {
        .rate = 9600, .bits = 26, .cards[CARD_ACCEPTED] = {17, 4711}, .has_card[CARD_ACCEPTED] = 1, .install_life = INSTALL_LIFE,
    };
    const struct surroundings surroundings = {send_octets, drive, keep_key, keep_line};
    struct peripheral *peripheral = peripheral_new(&settings, octets[0] & 1 ? NULL : key, &surroundings);
    struct osdp_pd *device = osdp_to_pd(peripheral_context(peripheral), 0);
    // What a handshake with the right key leaves behind.
    if (octets[0] & 2) {
        SET_FLAG(device, PD_FLAG_SC_ACTIVE);
        device->sc_tstamp = now;
        device->seq_number = 0;
    }
    octets++, count--;
    while (count > 2) {
        const uint8_t kind = octets[0];
        size_t size = octets[1];
        octets += 2, count -= 2;
        if (size > count) size = count;
        switch (kind % 5) {
        case 0: take(peripheral, octets, size); break;
        case 1: send_packet(peripheral, device, octets, size, 0); break;
        case 2: send_packet(peripheral, device, octets, size, 1); break;
        case 3: now += (int64_t)size * 37; peripheral_pass(peripheral); break;
        case 4: peripheral_hear(peripheral, octets, size); break;
        }
        octets += size, count -= size;
    }
    peripheral_pass(peripheral);
    peripheral_condition(peripheral);
    peripheral_free(peripheral);
    return 0;
}
