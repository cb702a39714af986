#pragma once
#include <stdint.h>

// A listening socket and who connects to it, whose addresses of several shapes Swift cannot read.

/// Listens for TCP on one address, as inet_pton(3) has it, with an interface behind % where it is link-local. The descriptor, which closes
/// on exec and does not wait, or minus the errno; EINVAL for what is no address.
int listener_open(const char *address, uint16_t port, int backlog);
/// The port that a listening socket has; 0 where it cannot be told.
uint16_t listener_port(int listener);

/// Who connected.
struct client {
    uint8_t address[16]; // the first four octets of an IPv4 address
    int is_ipv4;
};

/// Takes the next connection: a descriptor, which closes on exec and does not wait, or minus the errno; EAGAIN where there is none.
int listener_accept(int listener, struct client *client);
