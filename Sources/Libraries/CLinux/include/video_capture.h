#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A camera of the kernel's (V4L2, single-planar capture, mapped buffers): one request a function. Each gives 0, or errno.

enum {
    VIDEO_PIXELS_MJPEG = 0x47504A4D,  // "MJPG"
    VIDEO_PIXELS_JPEG = 0x4745504A,   // "JPEG"
    VIDEO_PIXELS_YUYV = 0x56595559,   // "YUYV"
};

/// Pixels, and octets of a line and of the largest picture.
struct video_format {
    uint32_t pixels;
    uint32_t width;
    uint32_t height;
    uint32_t stride;
    uint32_t octets;
};

/// A filled buffer. `captured` is in nanoseconds of the monotonic clock, 0 where the driver counts otherwise.
struct video_frame {
    uint32_t index;
    uint32_t octets;
    uint32_t sequence;
    bool is_damaged;
    uint64_t captured;
};

/// Whether pictures can be taken of the device, through mapped buffers. ENOTTY where the device knows nothing of video.
int video_can_capture(int camera, bool *can);
/// The pixels of the camera's format number `index`; EINVAL past the last.
int video_pixels_at(int camera, uint32_t index, uint32_t *pixels);
/// Sets pixels, width and height, and tells what the driver made of them.
int video_set_format(int camera, struct video_format *format);
/// Pictures a second, as near as the driver has them.
int video_set_rate(int camera, uint32_t rate);
/// Asks for buffers and tells how many there are; 0 gives all back.
int video_request_buffers(int camera, uint32_t *count);
/// Maps a buffer.
int video_map(int camera, uint32_t index, void **start, size_t *octets);
int video_unmap(void *start, size_t octets);
/// Gives a buffer to the driver to be filled.
int video_queue(int camera, uint32_t index);
/// Takes the oldest filled buffer; EAGAIN where there is none.
int video_dequeue(int camera, struct video_frame *frame);
int video_begin(int camera);
int video_end(int camera);

/// The numbers of all these requests, for a list of what may be asked; 0 past the last.
uint32_t video_request(uint32_t index);
