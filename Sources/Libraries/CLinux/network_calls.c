#define _GNU_SOURCE
#include "network_calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listening(const struct addrinfo *place, int backlog) {
    int listener = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (listener < 0) return -errno;
    // Whoever starts again at once finds the connections of before still closing.
    int failed = setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0
              || (place->ai_family == AF_INET6 && setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0)
              || bind(listener, place->ai_addr, place->ai_addrlen) < 0 || listen(listener, backlog) < 0;
    if (!failed) return listener;
    int code = errno;
    close(listener);
    return -code;
}

int listener_open(const char *address, uint16_t port, int backlog) {
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(address, service, &hints, &found)) return -EINVAL;
    int listener = listening(found, backlog);
    freeaddrinfo(found);
    return listener;
}

uint16_t listener_port(int listener) {
    struct sockaddr_storage place;
    socklen_t length = sizeof place;
    if (getsockname(listener, (struct sockaddr *)&place, &length) < 0) return 0;
    if (place.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&place)->sin_port);
    return place.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&place)->sin6_port) : 0;
}

int listener_accept(int listener, struct client *client) {
    struct sockaddr_storage place;
    socklen_t length = sizeof place;
    memset(client, 0, sizeof *client);
    int connection;
    do connection = accept4(listener, (struct sockaddr *)&place, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (connection < 0 && errno == EINTR);
    if (connection < 0) return -errno;
    if (place.ss_family == AF_INET) {
        client->is_ipv4 = 1;
        memcpy(client->address, &((struct sockaddr_in *)&place)->sin_addr, 4);
    } else if (place.ss_family == AF_INET6) {
        memcpy(client->address, &((struct sockaddr_in6 *)&place)->sin6_addr, 16);
    }
    return connection;
}
