#define _GNU_SOURCE
#include "peripheral.h"

#include <osdp.h>
#include <stdlib.h>
#include <string.h>

#include "enforcement.h"
#include "output.h"

/// A verdict on its way to the panel. libosdp holds the event until it says that it is complete.
struct waiting {
    struct osdp_event event;
    int64_t end; // when it is no news any more
};

/// What was answered last, for a panel that did not hear it (IEC 60839-11-5, 6.6: a repeated sequence number gets the same answer).
struct answer {
    uint8_t command[FRAME_MOST], octets[FRAME_MOST + 1];
    size_t command_count, count;
    int64_t end;
};

struct peripheral {
    osdp_t *context;
    const struct settings *settings;
    struct surroundings surroundings;
    struct framer framer;
    struct condition condition;
    struct output output;
    // The packet that libosdp is to read, with its mark.
    uint8_t packet[FRAME_MOST + 1];
    size_t packet_count, packet_taken;
    struct answer answer;
    int is_challenged; // the last answer was that to a challenge
    int is_keyed;      // a key was set in this turn
    int is_answered;   // all of the answer went
    uint8_t key[KEY_SIZE];
    int64_t shown_end;   // of the verdict that this answer shows, 0 for none: also said again it is no news then
    int64_t install_end; // 0 outside install mode
    int is_over;
    struct waiting queue[CARD_QUEUE];
    unsigned first, count;
    int is_submitted; // the first of the queue
    uint64_t lost;
};

static void add(uint32_t *counter) {
    if (*counter < UINT32_MAX) (*counter)++;
}

// MARK: the line, as libosdp sees it

static int receive(void *data, uint8_t *octets, int most) {
    struct peripheral *this = data;
    size_t count = this->packet_count - this->packet_taken;
    if (most < 0) return 0;
    if (count > (size_t)most) count = (size_t)most;
    memcpy(octets, this->packet + this->packet_taken, count);
    this->packet_taken += count;
    return (int)count;
}

static int transmit(void *data, uint8_t *octets, int count) {
    struct peripheral *this = data;
    if (count <= 0 || (size_t)count > sizeof this->answer.octets) return -1;
    this->is_challenged = frame_code(octets, (size_t)count) == REPLY_CHALLENGE;
    memcpy(this->answer.octets, octets, (size_t)count);
    this->answer.count = (size_t)count;
    const int sent = this->surroundings.send(octets, count);
    this->is_answered = sent == count;
    return sent;
}

// MARK: what the panel asks for

static int take_status(struct peripheral *this, struct osdp_status_report *report) {
    memset(report->report, 0, sizeof report->report);
    switch (report->type) {
    case OSDP_STATUS_REPORT_OUTPUT:
        report->nr_entries = 1;
        report->report[0] = (uint8_t)this->output.is_on;
        return 0;
    case OSDP_STATUS_REPORT_INPUT:
    case OSDP_STATUS_REPORT_REMOTE: report->nr_entries = 1; return 0;
    case OSDP_STATUS_REPORT_LOCAL: report->nr_entries = 2; return 0;
    }
    return -1;
}

static int set_line(struct peripheral *this, struct osdp_cmd_comset *line) {
    // Of a speed that it does not have it keeps its own, and says so.
    if (!is_rate(line->baud_rate)) line->baud_rate = this->condition.rate;
    return 0;
}

static int carry_out(struct peripheral *this, struct osdp_cmd *command) {
    struct condition *condition = &this->condition;
    switch (command->id) {
    case OSDP_CMD_LED:
        add(&condition->leds);
        condition->led = command->led.temporary.control_code == 2 ? command->led.temporary.on_color : command->led.permanent.on_color;
        return 0;
    case OSDP_CMD_BUZZER: add(&condition->tones); return 0;
    // Its words may be of a person: they are not kept.
    case OSDP_CMD_TEXT: add(&condition->texts); return 0;
    case OSDP_CMD_OUTPUT:
        add(&condition->outputs);
        return output_command(&this->output, command->output.control_code, command->output.timer_count, clock_now());
    case OSDP_CMD_STATUS: return take_status(this, &command->status);
    case OSDP_CMD_COMSET: return set_line(this, &command->comset);
    case OSDP_CMD_COMSET_DONE:
        condition->address = this->framer.address = command->comset.address;
        condition->rate = command->comset.baud_rate;
        this->surroundings.keep_line(command->comset.address, command->comset.baud_rate);
        return 0;
    case OSDP_CMD_KEYSET:
        memcpy(this->key, command->keyset.data, KEY_SIZE);
        this->is_keyed = 1;
        return 0;
    default: return -1;
    }
}

/// libosdp keeps commands in octets, at places that are not aligned for them.
static int take_command(void *data, struct osdp_cmd *place) {
    struct osdp_cmd command;
    memcpy(&command, place, sizeof command);
    const int code = carry_out(data, &command);
    memcpy(place, &command, sizeof command);
    explicit_bzero(&command, sizeof command);
    return code;
}

// MARK: verdicts

static void leave(struct peripheral *this) {
    this->first = (this->first + 1) % CARD_QUEUE;
    this->count--;
    this->is_submitted = 0;
}

// The truth about what was delivered.
static void complete(void *data, const struct osdp_event *event, enum osdp_completion_status status) {
    struct peripheral *this = data;
    if (!event || this->count == 0 || event != &this->queue[this->first].event) return;
    if (status == OSDP_COMPLETION_OK) {
        add(&this->condition.delivered);
        this->shown_end = this->queue[this->first].end;
    } else {
        add(&this->condition.stale);
    }
    leave(this);
}

static void forget(struct peripheral *this, uint32_t *counter) {
    if (this->is_submitted) osdp_pd_flush_events(this->context);
    while (this->count > 0) {
        add(counter);
        leave(this);
    }
}

static int is_secure(const struct peripheral *this) {
    uint8_t mask = 0;
    osdp_get_sc_status_mask(this->context, &mask);
    // Under the key of install mode, which everybody knows, no card is shown.
    return mask & 1 && this->install_end == 0;
}

/// Submits what is news, and drops what is not: before each packet is answered, however late the process is.
static void offer(struct peripheral *this, int64_t now) {
    this->condition.is_up = (uint8_t)is_secure(this);
    if (!this->condition.is_up) return forget(this, &this->condition.away);
    while (this->count > 0 && now >= this->queue[this->first].end) {
        if (this->is_submitted) {
            // Completes it.
            osdp_pd_flush_events(this->context);
        } else {
            add(&this->condition.stale);
            leave(this);
        }
    }
    if (this->count == 0 || this->is_submitted) return;
    if (osdp_pd_submit_event(this->context, &this->queue[this->first].event) == 0) this->is_submitted = 1;
}

static int class_of(const struct peripheral *this, const struct feed_record *record) {
    if (record->outcome == FEED_REJECTED) return this->settings->has_card[CARD_REJECTED] ? CARD_REJECTED : -1;
    return record->holder == FEED_HOLDER_BOUND && this->settings->has_card[CARD_HOLDER] ? CARD_HOLDER : CARD_ACCEPTED;
}

void peripheral_hear(struct peripheral *this, const uint8_t *octets, size_t count) {
    struct feed_record record;
    if (feed_decode(octets, count, &record) < 0) return add(&this->condition.strange);
    this->condition.missed = record.lost > UINT32_MAX ? UINT32_MAX : (uint32_t)record.lost;
    const int class = class_of(this, &record);
    if (class < 0) return;
    const int64_t now = clock_now(), made = (int64_t)(record.monotonic / 1000000);
    // One of the future is of no clock of this board's.
    if (made > now + 100 || now - made >= CARD_LIFE) return add(&this->condition.stale);
    if (!is_secure(this)) return add(&this->condition.away);
    if (this->count == CARD_QUEUE) return add(&this->condition.full);
    struct waiting *waiting = &this->queue[(this->first + this->count) % CARD_QUEUE];
    memset(waiting, 0, sizeof *waiting);
    waiting->end = made + CARD_LIFE;
    waiting->event.type = OSDP_EVENT_CARDREAD;
    waiting->event.cardread.format = OSDP_CARD_FMT_RAW_WIEGAND;
    waiting->event.cardread.length = this->settings->bits;
    card_bits(this->settings->cards[class], this->settings->bits, waiting->event.cardread.data);
    this->count++;
    offer(this, now);
}

// MARK: packets

/// The panel has its answer, and the next thing it says is by the new key: what is kept is kept now.
static void take_key(struct peripheral *this) {
    this->surroundings.keep_key(this->key);
    if (this->install_end == 0) return;
    this->install_end = 0;
    this->condition.is_installing = 0;
    enforce_secure(this->context);
}

static void answer(struct peripheral *this, const struct frame *frame, int64_t now) {
    const int command = frame_code(frame->octets, frame->count);
    struct answer *last = &this->answer;
    if (frame_sequence(frame) != 0 && last->count > 0 && now < last->end && frame->count == last->command_count
        && memcmp(frame->octets, last->command, frame->count) == 0) {
        add(&this->condition.repeats);
        this->surroundings.send(last->octets, (int)last->count);
        return;
    }
    // libosdp takes this without a challenge too, and compares it with what it gets by a key of zeros: whoever knows that has a channel.
    if (command == COMMAND_SCRYPT && !this->is_challenged) return add(&this->condition.refused);
    this->is_challenged = 0;
    this->packet_count = this->packet_taken = 0;
    if (frame->mark) this->packet[this->packet_count++] = 0xFF;
    memcpy(this->packet + this->packet_count, frame->octets, frame->count);
    this->packet_count += frame->count;
    last->count = 0;
    this->is_answered = 0;
    this->shown_end = 0;
    offer(this, now);
    osdp_pd_refresh(this->context);
    this->packet_count = this->packet_taken = 0;
    memcpy(last->command, frame->octets, frame->count);
    last->command_count = frame->count;
    last->end = now + ANSWER_LIFE;
    if (this->shown_end != 0 && this->shown_end < last->end) last->end = this->shown_end;
    if (this->is_keyed && this->is_answered) take_key(this);
    this->is_keyed = 0;
    explicit_bzero(this->key, KEY_SIZE);
    offer(this, now);
}

size_t peripheral_room(struct peripheral *this, uint8_t **place) {
    return framer_room(&this->framer, place);
}

void peripheral_take(struct peripheral *this, size_t count) {
    struct frame frame;
    const int64_t now = clock_now();
    framer_take(&this->framer, count, now);
    while (framer_next(&this->framer, &frame)) answer(this, &frame, now);
}

// MARK: time

static int until(int64_t end, int64_t now, int wait) {
    const int64_t left = end > now ? end - now : 0;
    return left < wait ? (int)left : wait;
}

int peripheral_pass(struct peripheral *this) {
    const int64_t now = clock_now();
    int wait = 1000;
    if (this->install_end != 0) {
        this->is_over = now >= this->install_end;
        wait = until(this->install_end, now, wait);
    }
    if (output_pass(&this->output, now)) wait = until(this->output.end, now, wait);
    offer(this, now);
    if (this->count > 0) wait = until(this->queue[this->first].end, now, wait);
    // So that it sees the end of a session in which nobody speaks.
    osdp_pd_refresh(this->context);
    return wait;
}

int peripheral_is_over(const struct peripheral *this) {
    return this->is_over;
}

const struct condition *peripheral_condition(struct peripheral *this) {
    this->condition.complaints = crypt_complaints();
    this->condition.output = (uint8_t)this->output.is_on;
    memcpy(this->condition.drops, this->framer.drops, sizeof this->condition.drops);
    return &this->condition;
}

// MARK: beginning

int is_rate(uint32_t rate) {
    return rate == 9600 || rate == 19200 || rate == 38400 || rate == 57600 || rate == 115200 || rate == 230400;
}

static void set_up(struct peripheral *this, const uint8_t *key) {
    static const struct osdp_pd_cap capabilities[] = {
        {OSDP_PD_CAP_CONTACT_STATUS_MONITORING, 1, 1}, {OSDP_PD_CAP_OUTPUT_CONTROL, 1, 1}, {OSDP_PD_CAP_CARD_DATA_FORMAT, 1, 0},
        {OSDP_PD_CAP_READER_LED_CONTROL, 4, 1}, {OSDP_PD_CAP_READER_AUDIBLE_OUTPUT, 2, 1}, {OSDP_PD_CAP_READER_TEXT_OUTPUT, 1, 1},
        {OSDP_PD_CAP_READERS, 1, 1}, {(uint8_t)-1, 0, 0},
    };
    const osdp_pd_info_t info = {
        .name = "gate", .baud_rate = (int)this->condition.rate, .address = this->condition.address,
        .flags = key ? OSDP_FLAG_ENFORCE_SECURE : OSDP_FLAG_INSTALL_MODE,
        .id = {.version = 1, .model = 1, .serial_number = this->settings->serial, .firmware_version = this->settings->firmware},
        .cap = capabilities, .channel = {.data = this, .id = 1, .recv = receive, .send = transmit}, .scbk = key,
    };
    this->context = osdp_pd_setup(&info);
    if (!this->context) _Exit(EXIT_SYSTEM);
    osdp_pd_set_command_callback(this->context, take_command, this);
    osdp_pd_set_event_completion_callback(this->context, complete, this);
    this->is_challenged = 0;
    this->answer.count = 0;
}

struct peripheral *peripheral_new(const struct settings *settings, const uint8_t *key, const struct surroundings *surroundings) {
    struct peripheral *this = calloc(1, sizeof *this);
    if (!this) _Exit(EXIT_SYSTEM);
    this->settings = settings;
    this->surroundings = *surroundings;
    this->condition.address = settings->address;
    this->condition.rate = settings->rate;
    this->condition.is_installing = key == NULL;
    this->output.drive = surroundings->drive;
    framer_begin(&this->framer, settings->address);
    if (!key) this->install_end = clock_now() + settings->install_life;
    set_up(this, key);
    return this;
}

void *peripheral_context(struct peripheral *this) {
    return this->context;
}

void peripheral_free(struct peripheral *this) {
    osdp_pd_teardown(this->context);
    free(this);
}
