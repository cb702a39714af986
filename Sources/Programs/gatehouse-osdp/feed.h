#pragma once
#include <stddef.h>
#include <stdint.h>

// Verdicts as the gate sends them: one datagram of 64 octets each, little endian (docs/osdp.md; Appliance/Feed/FeedRecord.swift).

enum { FEED_SIZE = 64 };

enum feed_outcome { FEED_ACCEPTED = 1, FEED_REJECTED = 2 };
enum feed_holder { FEED_HOLDER_UNKNOWN = 0, FEED_HOLDER_NOT_BOUND = 1, FEED_HOLDER_BOUND = 2 };

struct feed_record {
    uint8_t outcome;
    uint8_t binding; // what tied the presentation to its holder: 0 nothing, 1 device, 2 link secret, 3 wallet key
    uint8_t holder;  // whether the visitor was found to be the person in the credential
    uint8_t presentation;
    uint64_t sequence;  // of the audit record; 0 for none
    int64_t wall;       // milliseconds since 1970
    uint64_t monotonic; // nanoseconds of CLOCK_MONOTONIC
    uint64_t visit;
    uint64_t number; // of this record, counted from the gate's start, with those that did not fit
    uint64_t lost;   // how many did not fit
};

/// 0; -1 for what is no such record.
int feed_decode(const uint8_t *octets, size_t count, struct feed_record *record);

/// Binds a socket of the file system, with mode 0660, in place of one that is there. The descriptor, or minus the errno.
int feed_bind(const char *path);
/// The socket that a service manager made (sd_listen_fds(3)); -1 where there is none.
int feed_passed(void);
