#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

static const char usage[] =
    "gatehouse-osdp: the gate as a reader at an access-control panel (OSDP, IEC 60839-11-5), on an RS-485 line.\n"
    "\n"
    "  --line PATH                the serial line, /dev/ttyAMA1\n"
    "  --state FOLDER             where the key, and what the panel sets of the line, are kept\n"
    "  --feed PATH                the socket that `gatehouse run --feed PATH` sends verdicts to; not needed where systemd passes one\n"
    "  --card CLASS=FACILITY:NUMBER\n"
    "                             the card that the panel sees for a class of verdicts: `accepted`, and where it is to differ `holder`\n"
    "                             (accepted, and found to be the person in the credential) and `rejected` (otherwise not shown)\n"
    "  --bits 26|34               of a card (26)\n"
    "  --address NUMBER           0 to 126, until a panel sets another (0)\n"
    "  --rate NUMBER              9600, 19200, 38400, 57600, 115200 or 230400 baud, until a panel sets another (9600)\n"
    "  --install                  for ten minutes, the panel that is there may set the key; the key of before is not used meanwhile\n"
    "  --install-time SECONDS     less than these ten minutes\n"
    "  --serial NUMBER            what the device says it is, 0x and up to eight hexadecimal digits\n"
    "  --firmware NUMBER          likewise, six\n"
    "  --output PATH              a file of the kernel's that takes 1 and 0: the relay that the panel may drive\n"
    "  --priority NUMBER          of SCHED_FIFO, 1 to 99; 0 asks for none (10)\n"
    "  --confine required|as-possible\n"
    "\n"
    "Exit codes: 0 good, 2 unusable options, 65 libcrypto fails, 66 not confined, 71 system, 74 the line is gone, 78 no key.\n";

enum word_of {
    OPTION_LINE = 256, OPTION_STATE, OPTION_FEED, OPTION_CARD, OPTION_BITS, OPTION_ADDRESS, OPTION_RATE, OPTION_INSTALL,
    OPTION_INSTALL_TIME, OPTION_SERIAL, OPTION_FIRMWARE, OPTION_OUTPUT, OPTION_PRIORITY, OPTION_CONFINE, OPTION_HELP,
};

static const struct option names[] = {
    {"line", 1, 0, OPTION_LINE}, {"state", 1, 0, OPTION_STATE}, {"feed", 1, 0, OPTION_FEED}, {"card", 1, 0, OPTION_CARD},
    {"bits", 1, 0, OPTION_BITS}, {"address", 1, 0, OPTION_ADDRESS}, {"rate", 1, 0, OPTION_RATE}, {"install", 0, 0, OPTION_INSTALL},
    {"install-time", 1, 0, OPTION_INSTALL_TIME}, {"serial", 1, 0, OPTION_SERIAL}, {"firmware", 1, 0, OPTION_FIRMWARE},
    {"output", 1, 0, OPTION_OUTPUT}, {"priority", 1, 0, OPTION_PRIORITY}, {"confine", 1, 0, OPTION_CONFINE}, {"help", 0, 0, OPTION_HELP},
    {0, 0, 0, 0},
};

static _Noreturn void refuse(const char *option, const char *why) {
    say("gatehouse-osdp: %s: %s; --help says more", option, why);
    exit(EXIT_USAGE);
}

static unsigned long number(const char *option, const char *text, unsigned long least, unsigned long most) {
    char *end = NULL;
    errno = 0;
    const unsigned long value = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 0) : 0;
    if (!end || *end || errno || value < least || value > most) refuse(option, "not a number that it takes");
    return value;
}

static void take_card(struct settings *settings, const char *text) {
    static const char *const classes[CARD_CLASSES] = {"accepted", "holder", "rejected"};
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    if (!colon || colon == equals + 1 || (size_t)(colon - equals) > 6) refuse("--card", "use CLASS=FACILITY:NUMBER");
    char facility[8] = "";
    memcpy(facility, equals + 1, (size_t)(colon - equals - 1));
    for (int class = 0; class < CARD_CLASSES; class++) {
        if (strlen(classes[class]) != (size_t)(equals - text) || strncmp(text, classes[class], (size_t)(equals - text)) != 0) continue;
        settings->cards[class].facility = (uint16_t)number("--card", facility, 0, UINT16_MAX);
        settings->cards[class].number = (uint16_t)number("--card", colon + 1, 0, UINT16_MAX);
        settings->has_card[class] = 1;
        return;
    }
    refuse("--card", "accepted, holder or rejected");
}

static void take_confinement(struct settings *settings, const char *text) {
    settings->is_lenient = strcmp(text, "as-possible") == 0;
    if (!settings->is_lenient && strcmp(text, "required") != 0) refuse("--confine", "required or as-possible");
}

static void take(struct settings *settings, int option, const char *text) {
    switch (option) {
    case OPTION_LINE: settings->line = text; break;
    case OPTION_STATE: settings->state = text; break;
    case OPTION_FEED: settings->feed = text; break;
    case OPTION_CARD: take_card(settings, text); break;
    case OPTION_BITS: settings->bits = (int)number("--bits", text, 26, 34); break;
    case OPTION_ADDRESS: settings->address = (uint8_t)number("--address", text, 0, 126); break;
    case OPTION_RATE: settings->rate = (uint32_t)number("--rate", text, 9600, 230400); break;
    case OPTION_INSTALL: settings->installs = 1; break;
    case OPTION_INSTALL_TIME: settings->install_life = (long)number("--install-time", text, 1, INSTALL_LIFE / 1000) * 1000; break;
    case OPTION_SERIAL: settings->serial = (uint32_t)number("--serial", text, 0, UINT32_MAX); break;
    case OPTION_FIRMWARE: settings->firmware = (uint32_t)number("--firmware", text, 0, 0xFFFFFF); break;
    case OPTION_OUTPUT: settings->output = text; break;
    case OPTION_PRIORITY: settings->priority = (int)number("--priority", text, 0, 99); break;
    case OPTION_CONFINE: take_confinement(settings, text); break;
    case OPTION_HELP: fputs(usage, stdout); exit(0);
    default: exit(EXIT_USAGE);
    }
}

void options_read(struct settings *settings, int count, char **arguments) {
    uint8_t octets[CARD_MOST_OCTETS];
    *settings = (struct settings){.rate = 9600, .bits = 26, .priority = 10, .install_life = INSTALL_LIFE};
    for (int option; (option = getopt_long(count, arguments, "", names, NULL)) != -1;) take(settings, option, optarg);
    if (optind < count) refuse(arguments[optind], "no option");
    if (!settings->line) refuse("--line", "it is needed");
    if (!settings->state) refuse("--state", "it is needed");
    if (!is_rate(settings->rate)) refuse("--rate", "no speed of OSDP's");
    if (settings->bits != 26 && settings->bits != 34) refuse("--bits", "26 or 34");
    if (!settings->has_card[CARD_ACCEPTED]) refuse("--card", "accepted=FACILITY:NUMBER is needed: otherwise there is nothing to show");
    for (int class = 0; class < CARD_CLASSES; class++)
        if (settings->has_card[class] && !card_bits(settings->cards[class], settings->bits, octets))
            refuse("--card", "its facility needs 34 bits");
}
