// One HTTP request at a time over libcurl, as flat functions: `curl_easy_setopt` is variadic,
// which Swift can't call. Nothing here calls back: the caller steps a transfer and then asks.
//
// An engine is used by one thread at a time, except `ccurl_engine_wake`, which any thread may
// call. A transfer belongs to its engine and must be freed before it.
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Connections that are kept from one transfer to the next.
typedef struct ccurl_engine ccurl_engine;
// One request and what came back.
typedef struct ccurl_transfer ccurl_transfer;

// Where a transfer stands after a step.
typedef enum __attribute__((enum_extensibility(closed))) ccurl_state {
  CCURL_RUNNING __attribute__((swift_name("running"))),
  CCURL_FINISHED __attribute__((swift_name("finished"))),
} ccurl_state;

// What kind of end a transfer came to.
typedef enum __attribute__((enum_extensibility(closed))) ccurl_result {
  CCURL_OK __attribute__((swift_name("ok"))),
  CCURL_UNSUPPORTED __attribute__((swift_name("unsupported"))),  // bad URL or unknown scheme
  CCURL_RESOLVE __attribute__((swift_name("cannotResolve"))),
  CCURL_CONNECT __attribute__((swift_name("cannotConnect"))),
  CCURL_UNTRUSTED __attribute__((swift_name("untrusted"))),     // the certificate can't be verified
  CCURL_TLS __attribute__((swift_name("tls"))),                 // any other failure of TLS
  CCURL_TRUST_STORE __attribute__((swift_name("trustStore"))),  // the CA file can't be used
  CCURL_TIMEOUT __attribute__((swift_name("timeout"))),
  CCURL_EMPTY __attribute__((swift_name("empty"))),      // closed without a response
  CCURL_GARBLED __attribute__((swift_name("garbled"))),  // the response isn't HTTP
  CCURL_BODY __attribute__((swift_name("body"))),        // the body can't be read in full
  CCURL_MEMORY __attribute__((swift_name("memory"))),
  CCURL_LOST __attribute__((swift_name("lost"))),  // the connection broke, or anything else
} ccurl_result;

typedef struct ccurl_request {
  const char *_Nonnull url;
  const char *_Nonnull method;
  // `Name: value` lines as they are to be sent, each ended by a line feed.
  const char *_Nonnull header_lines;
  // A file of certificates to trust instead of the system's, or empty.
  const char *_Nonnull ca_file;
  // The body: `length` bytes of `descriptor` from `offset`; none if `descriptor` is -1. Read by
  // pread, so that the descriptor's own position is never used.
  int descriptor;
  int64_t offset;
  int64_t length;
  // Whether a connection of an earlier transfer may be used again. libcurl repeats a request by
  // itself when such a connection turns out to be dead.
  bool may_reuse_connection;
  int64_t connect_timeout_milliseconds;
  // Bytes of the response body to keep; the rest is read and dropped.
  size_t response_limit;
} ccurl_request;

// Must be called once before anything else; false if libcurl can't start.
bool ccurl_start(void);

// NULL if out of memory.
ccurl_engine *_Nullable ccurl_engine_create(void);
void ccurl_engine_free(ccurl_engine *_Nonnull engine);
// Makes a running `ccurl_transfer_step` return soon. Any thread may call it.
void ccurl_engine_wake(ccurl_engine *_Nonnull engine);

// Nothing is kept of the request's pointers; the descriptor must stay open until the transfer is
// freed. NULL if libcurl refuses the request or memory is short.
ccurl_transfer *_Nullable ccurl_transfer_create(ccurl_engine *_Nonnull engine,
                                                const ccurl_request *_Nonnull request);
void ccurl_transfer_free(ccurl_transfer *_Nonnull transfer);

// Works on the transfer for about `milliseconds`, less if it finishes, if a block of response
// headers is complete, or if the engine is woken.
ccurl_state ccurl_transfer_step(ccurl_transfer *_Nonnull transfer, int milliseconds);

// Once finished.
ccurl_result ccurl_transfer_result(const ccurl_transfer *_Nonnull transfer);
// libcurl's own words; empty if it said nothing. Belongs to the transfer.
const char *_Nonnull ccurl_transfer_message(const ccurl_transfer *_Nonnull transfer);

// Body bytes given to the connection.
int64_t ccurl_transfer_sent(const ccurl_transfer *_Nonnull transfer);
// Bytes of the response so far, headers included: grows while the server speaks.
int64_t ccurl_transfer_received(const ccurl_transfer *_Nonnull transfer);
// Whether a byte of the request may have left.
bool ccurl_transfer_touched_server(const ccurl_transfer *_Nonnull transfer);

// The header lines that came since the last `ccurl_transfer_drop_head`, blank lines included.
const uint8_t *_Nullable ccurl_transfer_head(const ccurl_transfer *_Nonnull transfer,
                                             size_t *_Nonnull count);
void ccurl_transfer_drop_head(ccurl_transfer *_Nonnull transfer);
// The kept part of the response body.
const uint8_t *_Nullable ccurl_transfer_body(const ccurl_transfer *_Nonnull transfer,
                                             size_t *_Nonnull count);
// Whether more body came than was to be kept.
bool ccurl_transfer_body_was_cut(const ccurl_transfer *_Nonnull transfer);

#endif
