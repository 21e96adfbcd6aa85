#include "cpng_writer.h"
#include "picture.h"
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpng_writer {
  const cpng_picture *picture;
  cpng_sink *sink;
  void *context;
  png_structp png;
  png_infop info;
  uint8_t *row;  // one converted row, or NULL when rows need no conversion
  int passes;
  bool interlaced, has_cicp, has_rows;
  uint8_t cicp[4];
  uint32_t next_row;
  cpng_status status;
  cpng_bad_index bad_index;
  jmp_buf escape;
  char error[256], warnings[512];
};

typedef void step(cpng_writer *writer, const void *arguments);

static _Noreturn void on_error(png_structp png, png_const_charp message) {
  cpng_writer *writer = png_get_error_ptr(png);
  snprintf(writer->error, sizeof writer->error, "%s", message);
  longjmp(writer->escape, 1);  // over C frames only: the caller's sink has returned
}

static void on_warning(png_structp png, png_const_charp message) {
  cpng_writer *writer = png_get_error_ptr(png);
  size_t used = strlen(writer->warnings);
  snprintf(writer->warnings + used, sizeof writer->warnings - used, "%s%s", used ? "\n" : "",
           message);
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
  cpng_writer *writer = png_get_io_ptr(png);
  if (writer->sink(writer->context, bytes, count) == 0) return;
  writer->status = CPNG_SINK;
  png_error(png, "the output refused the bytes");
}

// Nothing is kept back here, so there is nothing to do.
static void on_flush(png_structp png) { (void)png; }

// The only setjmp. `run` calls libpng; if libpng gives up, control comes back here.
static cpng_status guarded(cpng_writer *writer, step *run, const void *arguments) {
  writer->status = CPNG_LIBPNG;
  if (setjmp(writer->escape) != 0) return writer->status;
  run(writer, arguments);
  return CPNG_OK;
}

static _Noreturn void give_up(cpng_writer *writer, cpng_status status, const char *message) {
  writer->status = status;
  png_error(writer->png, message);
}

// libpng takes back bad metadata with a warning; whoever asked for it wants to know.
static void require(cpng_writer *writer, uint32_t chunk, const char *message) {
  if (png_get_valid(writer->png, writer->info, chunk) != 0) return;
  const char *line = strrchr(writer->warnings, '\n');
  const char *last = line == NULL ? writer->warnings : line + 1;
  char words[sizeof writer->warnings];
  snprintf(words, sizeof words, "%s", last[0] == 0 ? message : last);
  png_error(writer->png, words);
}

static void create(cpng_writer *writer, const void *arguments) {
  (void)arguments;
  const cpng_picture *picture = writer->picture;
  png_structp png = writer->png;
  png_set_write_fn(png, writer, on_write, on_flush);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_cache_max(png, 0);
  png_set_chunk_malloc_max(png, 0);
  png_set_option(png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
  png_set_IHDR(png, writer->info, picture->image.width, picture->image.height,
               picture->image.bit_depth, picture->color_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (picture->palette_count == 0) return;
  png_color colors[256];
  for (unsigned i = 0; i < picture->palette_count; i++) {
    const uint8_t *color = picture->palette[i];
    colors[i] = (png_color){.red = color[0], .green = color[1], .blue = color[2]};
  }
  png_set_PLTE(png, writer->info, colors, picture->palette_count);
  if (picture->alpha_count != 0)
    png_set_tRNS(png, writer->info, picture->alpha, picture->alpha_count, NULL);
}

cpng_writer *cpng_writer_create(const cpng_picture *picture, cpng_sink *sink) {
  cpng_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return NULL;
  writer->picture = picture;
  writer->sink = sink;
  writer->passes = 1;
  writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_error, on_warning);
  if (writer->png != NULL) writer->info = png_create_info_struct(writer->png);
  if (writer->info == NULL || guarded(writer, create, NULL) != CPNG_OK) {
    cpng_writer_destroy(writer);
    return NULL;
  }
  return writer;
}

void cpng_writer_destroy(cpng_writer *writer) {
  png_destroy_write_struct(&writer->png, &writer->info);
  free(writer->row);
  free(writer);
}

const char *cpng_writer_error(const cpng_writer *writer) { return writer->error; }
const char *cpng_writer_warnings(const cpng_writer *writer) { return writer->warnings; }
cpng_bad_index cpng_writer_bad_index(const cpng_writer *writer) { return writer->bad_index; }

typedef struct {
  int level, strategy, filters;
  bool interlaced;
} compression;

static void set_compression(cpng_writer *writer, const void *arguments) {
  const compression *compression = arguments;
  const cpng_picture *picture = writer->picture;
  png_set_compression_level(writer->png, compression->level);
  if (compression->strategy >= 0) png_set_compression_strategy(writer->png, compression->strategy);
  if (compression->filters != 0)
    png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, compression->filters);
  if (!compression->interlaced) return;
  writer->interlaced = true;
  png_set_IHDR(writer->png, writer->info, picture->image.width, picture->image.height,
               picture->image.bit_depth, picture->color_type, PNG_INTERLACE_ADAM7,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
}

cpng_status cpng_writer_set_compression(cpng_writer *writer, int level, int strategy, int filters,
                                        bool interlaced) {
  return guarded(writer, set_compression, &(compression){level, strategy, filters, interlaced});
}

static void set_srgb(cpng_writer *writer, const void *arguments) {
  png_set_sRGB(writer->png, writer->info, *(const int *)arguments);
  require(writer, PNG_INFO_sRGB, "invalid rendering intent");
}

cpng_status cpng_writer_set_srgb(cpng_writer *writer, int intent) {
  return guarded(writer, set_srgb, &intent);
}

static void set_gamma(cpng_writer *writer, const void *arguments) {
  png_set_gAMA_fixed(writer->png, writer->info, *(const int32_t *)arguments);
  require(writer, PNG_INFO_gAMA, "invalid gamma");
}

cpng_status cpng_writer_set_gamma(cpng_writer *writer, int32_t gamma) {
  return guarded(writer, set_gamma, &gamma);
}

static void set_chromaticities(cpng_writer *writer, const void *arguments) {
  const int32_t *xy = arguments;
  png_set_cHRM_fixed(writer->png, writer->info, xy[0], xy[1], xy[2], xy[3], xy[4], xy[5], xy[6],
                     xy[7]);
  require(writer, PNG_INFO_cHRM, "invalid chromaticities");
}

cpng_status cpng_writer_set_chromaticities(cpng_writer *writer, const int32_t *eight) {
  return guarded(writer, set_chromaticities, eight);
}

typedef struct {
  const char *name;
  const uint8_t *bytes;
  size_t count;
} blob;

static void set_icc(cpng_writer *writer, const void *arguments) {
  const blob *icc = arguments;
  if (icc->count > PNG_UINT_31_MAX) png_error(writer->png, "profile too long");
  png_set_iCCP(writer->png, writer->info, icc->name, PNG_COMPRESSION_TYPE_BASE, icc->bytes,
               (png_uint_32)icc->count);
  require(writer, PNG_INFO_iCCP, "invalid profile");
}

cpng_status cpng_writer_set_icc(cpng_writer *writer, const char *name, const uint8_t *profile,
                                size_t count) {
  return guarded(writer, set_icc, &(blob){name, profile, count});
}

cpng_status cpng_writer_set_cicp(cpng_writer *writer, const uint8_t *four) {
  memcpy(writer->cicp, four, sizeof writer->cicp);
  writer->has_cicp = true;
  return CPNG_OK;
}

typedef struct {
  uint32_t x, y;
  bool per_meter;
} density;

static void set_density(cpng_writer *writer, const void *arguments) {
  const density *density = arguments;
  png_set_pHYs(writer->png, writer->info, density->x, density->y,
               density->per_meter ? PNG_RESOLUTION_METER : PNG_RESOLUTION_UNKNOWN);
}

cpng_status cpng_writer_set_pixel_density(cpng_writer *writer, uint32_t x, uint32_t y,
                                          bool per_meter) {
  return guarded(writer, set_density, &(density){x, y, per_meter});
}

static void set_exif(cpng_writer *writer, const void *arguments) {
  const blob *exif = arguments;
  if (exif->count > PNG_UINT_31_MAX) png_error(writer->png, "too long");
  // libpng's parameter is not const, but it only copies from it.
  png_set_eXIf_1(writer->png, writer->info, (png_uint_32)exif->count, (png_bytep)exif->bytes);
  require(writer, PNG_INFO_eXIf, "not accepted");
}

cpng_status cpng_writer_set_exif(cpng_writer *writer, const uint8_t *exif, size_t count) {
  return guarded(writer, set_exif, &(blob){NULL, exif, count});
}

static void add_text(cpng_writer *writer, const void *arguments) {
  png_set_text(writer->png, writer->info, arguments, 1);
}

cpng_status cpng_writer_add_latin_text(cpng_writer *writer, const char *keyword, const char *text) {
  return guarded(writer, add_text,
                 &(png_text){.compression = PNG_TEXT_COMPRESSION_NONE,
                             .key = (char *)keyword,
                             .text = (char *)text});
}

cpng_status cpng_writer_add_text(cpng_writer *writer, const char *keyword, const char *text,
                                 const char *language, const char *translated_keyword) {
  return guarded(writer, add_text,
                 &(png_text){.compression = PNG_ITXT_COMPRESSION_NONE,
                             .key = (char *)keyword,
                             .text = (char *)text,
                             .lang = (char *)language,
                             .lang_key = (char *)translated_keyword});
}

static void set_time(cpng_writer *writer, const void *arguments) {
  png_set_tIME(writer->png, writer->info, arguments);
  require(writer, PNG_INFO_tIME, "no such time");
}

cpng_status cpng_writer_set_time(cpng_writer *writer, uint16_t year, uint8_t month, uint8_t day,
                                 uint8_t hour, uint8_t minute, uint8_t second) {
  return guarded(writer, set_time, &(png_time){year, month, day, hour, minute, second});
}

static void begin(cpng_writer *writer, const void *arguments) {
  (void)arguments;
  if (writer->has_cicp) {
    // A raw chunk, for libpng knows it only since 1.6.46. It must come before PLTE and IDAT.
    png_write_info_before_PLTE(writer->png, writer->info);
    png_write_chunk(writer->png, (png_const_bytep) "cICP", writer->cicp, sizeof writer->cicp);
  }
  png_write_info(writer->png, writer->info);
}

cpng_status cpng_writer_begin(cpng_writer *writer, void *context) {
  writer->context = context;
  return guarded(writer, begin, NULL);
}

typedef struct {
  const uint8_t *rows;
  ptrdiff_t stride;
  uint32_t count;
} row_range;

static void prepare_rows(cpng_writer *writer) {
  writer->has_rows = true;
  if (writer->interlaced) writer->passes = png_set_interlace_handling(writer->png);
  if (writer->picture->image.convert == NULL) return;
  writer->row = malloc(cpng_picture_row_bytes(writer->picture));
  if (writer->row == NULL) png_error(writer->png, "out of memory for a row");
}

static void add_row(cpng_writer *writer, const uint8_t *row) {
  const cpng_image *image = &writer->picture->image;
  if (image->convert != NULL) {
    image->convert(image->context, writer->row, row, image->width);
    row = writer->row;
  }
  png_write_row(writer->png, row);
}

static void add_rows(cpng_writer *writer, const void *arguments) {
  const row_range *range = arguments;
  const cpng_picture *picture = writer->picture;
  if (!writer->has_rows) prepare_rows(writer);
  if (range->count > picture->image.height - writer->next_row)
    png_error(writer->png, "more rows than the image has");
  if (writer->interlaced && range->count != picture->image.height)
    png_error(writer->png, "an interlaced image needs all its rows at once");
  for (int pass = 0; pass < writer->passes; pass++) {
    for (uint32_t y = 0; y < range->count; y++) {
      const uint8_t *row = range->rows + (ptrdiff_t)y * range->stride;
      uint32_t line = writer->next_row + y;
      if (pass == 0 && !cpng_picture_check_row(picture, row, line, &writer->bad_index))
        give_up(writer, CPNG_INDEX, "an index is not in the palette");
      add_row(writer, row);
    }
  }
  writer->next_row += range->count;
}

cpng_status cpng_writer_add_rows(cpng_writer *writer, void *context, const uint8_t *rows,
                                 ptrdiff_t stride, uint32_t count) {
  writer->context = context;
  return guarded(writer, add_rows, &(row_range){rows, stride, count});
}

static void finish(cpng_writer *writer, const void *arguments) {
  (void)arguments;
  if (writer->has_rows) {
    if (writer->next_row != writer->picture->image.height)
      png_error(writer->png, "fewer rows than the image has");
    // Without the info, as nothing of it is left to write: libpng would write eXIf twice.
    png_write_end(writer->png, NULL);
  } else {
    // png_write_end insists on IDATs of its own.
    png_write_chunk(writer->png, (png_const_bytep) "IEND", NULL, 0);
  }
}

cpng_status cpng_writer_finish(cpng_writer *writer, void *context) {
  writer->context = context;
  return guarded(writer, finish, NULL);
}
