// libpng, tamed: a handle, flat functions, a status instead of a jump.
//
// Order of calls: create, any of the settings, begin, rows (or, for an image that is compressed
// elsewhere, the caller's own IDAT chunks), finish, destroy. After a status other than `ok` only
// the error's accessors and destroy may be called.
#ifndef CPNG_WRITER_H
#define CPNG_WRITER_H

#include "cpng_picture.h"

typedef struct cpng_writer cpng_writer;

// Takes the next bytes of the PNG; they are valid only during the call. Returns 0 to go on.
typedef int cpng_sink(void *_Nullable context, const uint8_t *_Nonnull bytes, size_t count);

typedef enum CPNG_CLOSED {
  CPNG_OK CPNG_SWIFT(ok),
  CPNG_LIBPNG CPNG_SWIFT(libpng),  // libpng gave up; cpng_writer_error has its words
  CPNG_SINK CPNG_SWIFT(sink),      // the sink returned something else than 0
  CPNG_INDEX CPNG_SWIFT(index),    // an index is not in the palette
  CPNG_MEMORY CPNG_SWIFT(memory),  // memory ran out
} cpng_status;

// NULL when memory runs out. The picture must outlive the writer.
cpng_writer *_Nullable cpng_writer_create(const cpng_picture *_Nonnull picture,
                                          cpng_sink *_Nonnull sink);
void cpng_writer_destroy(cpng_writer *_Nonnull writer);

const char *_Nonnull cpng_writer_error(const cpng_writer *_Nonnull writer);
// libpng's warnings so far, one a line.
const char *_Nonnull cpng_writer_warnings(const cpng_writer *_Nonnull writer);
// For CPNG_INDEX: where.
cpng_bad_index cpng_writer_bad_index(const cpng_writer *_Nonnull writer);

// zlib's level (0 to 9) and strategy (0 to 4; -1: as libpng does), libpng's set of filters
// (PNG_FILTER_NONE | … ; 0: as libpng does), Adam7.
cpng_status cpng_writer_set_compression(cpng_writer *_Nonnull writer, int level, int strategy,
                                        int filters, bool interlaced);

// Metadata. A refusal by libpng, which elsewhere is a warning and a missing chunk, is an error.
cpng_status cpng_writer_set_srgb(cpng_writer *_Nonnull writer, int intent);
// In 1 / 100 000, as in the file.
cpng_status cpng_writer_set_gamma(cpng_writer *_Nonnull writer, int32_t gamma);
// White x and y, red x and y, green, blue, each in 1 / 100 000.
cpng_status cpng_writer_set_chromaticities(cpng_writer *_Nonnull writer,
                                           const int32_t *_Nonnull eight);
cpng_status cpng_writer_set_icc(cpng_writer *_Nonnull writer, const char *_Nonnull name,
                                const uint8_t *_Nonnull profile, size_t count);
// Colour primaries, transfer function, matrix coefficients, full range (ITU-T H.273).
cpng_status cpng_writer_set_cicp(cpng_writer *_Nonnull writer, const uint8_t *_Nonnull four);
cpng_status cpng_writer_set_pixel_density(cpng_writer *_Nonnull writer, uint32_t x, uint32_t y,
                                          bool per_meter);
cpng_status cpng_writer_set_exif(cpng_writer *_Nonnull writer, const uint8_t *_Nonnull exif,
                                 size_t count);
// tEXt; both in Latin-1.
cpng_status cpng_writer_add_latin_text(cpng_writer *_Nonnull writer, const char *_Nonnull keyword,
                                       const char *_Nonnull text);
// iTXt; all but the keyword and the language in UTF-8.
cpng_status cpng_writer_add_text(cpng_writer *_Nonnull writer, const char *_Nonnull keyword,
                                 const char *_Nonnull text, const char *_Nonnull language,
                                 const char *_Nonnull translated_keyword);
cpng_status cpng_writer_set_time(cpng_writer *_Nonnull writer, uint16_t year, uint8_t month,
                                 uint8_t day, uint8_t hour, uint8_t minute, uint8_t second);

// Writes everything that comes before the first IDAT.
cpng_status cpng_writer_begin(cpng_writer *_Nonnull writer, void *_Nullable context);

// Compresses the next `count` rows of the picture's format, top row first. An interlaced image
// needs all its rows in one call.
cpng_status cpng_writer_add_rows(cpng_writer *_Nonnull writer, void *_Nullable context,
                                 const uint8_t *_Nonnull rows, ptrdiff_t stride, uint32_t count);

// Writes what is left: the end of IDAT where libpng compressed the rows, and IEND.
cpng_status cpng_writer_finish(cpng_writer *_Nonnull writer, void *_Nullable context);

#endif
