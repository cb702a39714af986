#include "video_capture.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

_Static_assert(VIDEO_PIXELS_MJPEG == V4L2_PIX_FMT_MJPEG, "as the kernel spells it");
_Static_assert(VIDEO_PIXELS_JPEG == V4L2_PIX_FMT_JPEG, "as the kernel spells it");
_Static_assert(VIDEO_PIXELS_YUYV == V4L2_PIX_FMT_YUYV, "as the kernel spells it");

static int request(int camera, unsigned long number, void *argument) {
    while (ioctl(camera, number, argument) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

static struct v4l2_buffer buffer_at(uint32_t index) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.index = index;
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    return buffer;
}

int video_can_capture(int camera, bool *can) {
    struct v4l2_capability found;
    memset(&found, 0, sizeof found);
    int code = request(camera, VIDIOC_QUERYCAP, &found);
    if (code) return code;
    // What this node can, not what all nodes of the device can together.
    uint32_t capabilities = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : found.capabilities;
    *can = (capabilities & V4L2_CAP_VIDEO_CAPTURE) && (capabilities & V4L2_CAP_STREAMING);
    return 0;
}

int video_pixels_at(int camera, uint32_t index, uint32_t *pixels) {
    struct v4l2_fmtdesc found;
    memset(&found, 0, sizeof found);
    found.index = index;
    found.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    int code = request(camera, VIDIOC_ENUM_FMT, &found);
    if (!code) *pixels = found.pixelformat;
    return code;
}

int video_set_format(int camera, struct video_format *format) {
    struct v4l2_format wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.fmt.pix.pixelformat = format->pixels;
    wanted.fmt.pix.width = format->width;
    wanted.fmt.pix.height = format->height;
    wanted.fmt.pix.field = V4L2_FIELD_ANY;
    int code = request(camera, VIDIOC_S_FMT, &wanted);
    if (code) return code;
    format->pixels = wanted.fmt.pix.pixelformat;
    format->width = wanted.fmt.pix.width;
    format->height = wanted.fmt.pix.height;
    format->stride = wanted.fmt.pix.bytesperline;
    format->octets = wanted.fmt.pix.sizeimage;
    return 0;
}

int video_set_rate(int camera, uint32_t rate) {
    struct v4l2_streamparm wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.parm.capture.timeperframe.numerator = 1;
    wanted.parm.capture.timeperframe.denominator = rate;
    return request(camera, VIDIOC_S_PARM, &wanted);
}

int video_request_buffers(int camera, uint32_t *count) {
    struct v4l2_requestbuffers wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.count = *count;
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.memory = V4L2_MEMORY_MMAP;
    int code = request(camera, VIDIOC_REQBUFS, &wanted);
    if (!code) *count = wanted.count;
    return code;
}

int video_map(int camera, uint32_t index, void **start, size_t *octets) {
    struct v4l2_buffer buffer = buffer_at(index);
    int code = request(camera, VIDIOC_QUERYBUF, &buffer);
    if (code) return code;
    // Writable, so that it can be wiped.
    void *mapped = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera, buffer.m.offset);
    if (mapped == MAP_FAILED) return errno;
    *start = mapped;
    *octets = buffer.length;
    return 0;
}

int video_unmap(void *start, size_t octets) {
    return munmap(start, octets) < 0 ? errno : 0;
}

int video_queue(int camera, uint32_t index) {
    struct v4l2_buffer buffer = buffer_at(index);
    return request(camera, VIDIOC_QBUF, &buffer);
}

int video_dequeue(int camera, struct video_frame *frame) {
    struct v4l2_buffer buffer = buffer_at(0);
    int code = request(camera, VIDIOC_DQBUF, &buffer);
    if (code) return code;
    frame->index = buffer.index;
    frame->octets = buffer.bytesused;
    frame->sequence = buffer.sequence;
    frame->is_damaged = buffer.flags & V4L2_BUF_FLAG_ERROR;
    bool is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    frame->captured = is_monotonic ? (uint64_t)buffer.timestamp.tv_sec * 1000000000u + (uint64_t)buffer.timestamp.tv_usec * 1000u : 0;
    return 0;
}

int video_begin(int camera) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return request(camera, VIDIOC_STREAMON, &type);
}

int video_end(int camera) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return request(camera, VIDIOC_STREAMOFF, &type);
}

uint32_t video_request(uint32_t index) {
    static const uint32_t numbers[] = {
        VIDIOC_QUERYCAP, VIDIOC_ENUM_FMT, VIDIOC_S_FMT, VIDIOC_S_PARM, VIDIOC_REQBUFS,
        VIDIOC_QUERYBUF, VIDIOC_QBUF, VIDIOC_DQBUF, VIDIOC_STREAMON, VIDIOC_STREAMOFF,
    };
    return index < sizeof numbers / sizeof *numbers ? numbers[index] : 0;
}
