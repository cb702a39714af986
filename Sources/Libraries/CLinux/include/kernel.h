#pragma once
// What the kernel and BlueZ's headers declare and Swift's import of the C library leaves out.
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <linux/fb.h>
#include <linux/rfkill.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
