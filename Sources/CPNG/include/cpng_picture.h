// An image in the caller's memory, and how its rows become PNG rows.
#ifndef CPNG_PICTURE_H
#define CPNG_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define CPNG_CLOSED __attribute__((enum_extensibility(closed)))
#define CPNG_SWIFT(name) __attribute__((swift_name(#name)))
#else
#define CPNG_CLOSED
#define CPNG_SWIFT(name)
#define _Nonnull
#define _Nullable
#endif

// Channels in the order in which they lie in memory. 16-bit samples are native-endian; an X is a
// byte that is ignored; pixels of less than a byte are packed from the high bit.
typedef enum CPNG_CLOSED {
  CPNG_GRAY1 CPNG_SWIFT(gray1),
  CPNG_GRAY2 CPNG_SWIFT(gray2),
  CPNG_GRAY4 CPNG_SWIFT(gray4),
  CPNG_GRAY8 CPNG_SWIFT(gray8),
  CPNG_GRAY16 CPNG_SWIFT(gray16),
  CPNG_GRAYA8 CPNG_SWIFT(graya8),
  CPNG_GRAYA16 CPNG_SWIFT(graya16),
  CPNG_RGB8 CPNG_SWIFT(rgb8),
  CPNG_RGB16 CPNG_SWIFT(rgb16),
  CPNG_RGBA8 CPNG_SWIFT(rgba8),
  CPNG_RGBA16 CPNG_SWIFT(rgba16),
  CPNG_BGRA8 CPNG_SWIFT(bgra8),
  CPNG_BGRX8 CPNG_SWIFT(bgrx8),
  CPNG_RGBX8 CPNG_SWIFT(rgbx8),
  CPNG_ARGB8 CPNG_SWIFT(argb8),
  CPNG_ABGR8 CPNG_SWIFT(abgr8),
  CPNG_INDEX1 CPNG_SWIFT(index1),
  CPNG_INDEX2 CPNG_SWIFT(index2),
  CPNG_INDEX4 CPNG_SWIFT(index4),
  CPNG_INDEX8 CPNG_SWIFT(index8),
} cpng_format;

typedef struct {
  const uint8_t *_Nullable rows;  // the top row; NULL when rows are handed over one by one
  ptrdiff_t stride;               // bytes from a row to the one below it
  uint32_t width, height;         // 1 to 2^31 - 1
  cpng_format format;
  bool premultiplied;                // colours are multiplied by alpha, where there is alpha
  const uint8_t *_Nullable palette;  // of an indexed format: red, green, blue, alpha; copied
  uint32_t palette_count;            // 1 to 256, at most 2^depth
} cpng_pixels;

// How hard the fast path tries.
typedef enum CPNG_CLOSED {
  CPNG_FASTEST CPNG_SWIFT(fastest),
  CPNG_FAST CPNG_SWIFT(fast),
  CPNG_BALANCED CPNG_SWIFT(balanced),
  CPNG_SMALL CPNG_SWIFT(small),
} cpng_level;

// Owns everything but the pixels, which must stay where they are as long as it is used.
typedef struct cpng_picture cpng_picture;

// Whether to look through the pixels (`rows` must be there) for a smaller form that loses nothing:
// no alpha, gray, 8 instead of 16 bits, a palette. An ICC profile describes either gray or
// colour, so with one the image must stay what it is.
typedef enum CPNG_CLOSED {
  CPNG_REDUCE_NONE CPNG_SWIFT(none),
  CPNG_REDUCE_KEEPING_COLOR_SPACE CPNG_SWIFT(keepingColorSpace),
  CPNG_REDUCE_ALL CPNG_SWIFT(all),
} cpng_reduce_mode;

// Returns NULL when memory runs out.
cpng_picture *_Nullable cpng_picture_create(const cpng_pixels *_Nonnull pixels,
                                            cpng_reduce_mode mode);
void cpng_picture_destroy(cpng_picture *_Nonnull picture);

// Uses the plain C converters, so that tests can compare them with the vector ones. False when
// there is no difference on this processor or for this format.
bool cpng_picture_use_portable(cpng_picture *_Nonnull picture);

// Converts one row of `width` pixels as the encoder does, into `cpng_picture_row_bytes` bytes.
// False when the picture's rows are used as they are.
bool cpng_picture_convert(const cpng_picture *_Nonnull picture, const uint8_t *_Nonnull row,
                          uint8_t *_Nonnull out);

// What the PNG's header says: bits a sample, PNG's colour type, bytes a row.
uint8_t cpng_picture_bit_depth(const cpng_picture *_Nonnull picture);
uint8_t cpng_picture_color_type(const cpng_picture *_Nonnull picture);
size_t cpng_picture_row_bytes(const cpng_picture *_Nonnull picture);

// Where an index lies that the palette does not have.
typedef struct {
  uint32_t x, y;
  uint8_t index;
} cpng_bad_index;

#endif
