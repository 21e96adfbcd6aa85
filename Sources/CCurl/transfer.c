#define _GNU_SOURCE
#include "CCurl.h"

#ifdef __linux__
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Bytes of headers that are kept between two drops; a server that sends more is refused.
enum { HEAD_LIMIT = 256 * 1024, UPLOAD_BUFFER = 64 * 1024 };

typedef struct bytes {
  uint8_t *start;
  size_t count;
  size_t capacity;
} bytes;

struct ccurl_engine {
  CURLM *multi;
  atomic_bool woken;
};

struct ccurl_transfer {
  ccurl_engine *engine;
  CURL *easy;
  struct curl_slist *headers;
  int descriptor;
  int64_t offset;
  int64_t length;
  int64_t position;  // bytes of the body given to libcurl
  bool body_failed;
  bool head_failed;
  bool head_is_complete;  // a blank line came since the last step began
  bool added;
  bool finished;
  CURLcode code;
  int64_t received;
  size_t response_limit;
  bool body_was_cut;
  bytes head;
  bytes body;
  char message[CURL_ERROR_SIZE];
};

static bool append(bytes *target, const void *source, size_t count) {
  if (target->capacity - target->count < count) {
    size_t capacity = target->capacity * 2;
    if (capacity < target->count + count) capacity = target->count + count;
    if (capacity < 1024) capacity = 1024;
    uint8_t *grown = realloc(target->start, capacity);
    if (grown == NULL) return false;
    target->start = grown;
    target->capacity = capacity;
  }
  memcpy(target->start + target->count, source, count);
  target->count += count;
  return true;
}

static size_t read_body(char *buffer, size_t size, size_t count, void *context) {
  ccurl_transfer *transfer = context;
  int64_t left = transfer->length - transfer->position;
  size_t wanted = size * count;
  if ((int64_t)wanted > left) wanted = (size_t)left;  // a body that grew isn't followed
  if (wanted == 0) return 0;
  ssize_t result;
  do {
    result = pread(transfer->descriptor, buffer, wanted, transfer->offset + transfer->position);
  } while (result < 0 && errno == EINTR);
  if (result <= 0) {  // an error, or a body that shrank: the length is promised already
    transfer->body_failed = true;
    return CURL_READFUNC_ABORT;
  }
  transfer->position += result;
  return (size_t)result;
}

// libcurl goes back to the start when it repeats a request on a new connection.
static int seek_body(void *context, curl_off_t offset, int origin) {
  ccurl_transfer *transfer = context;
  if (origin != SEEK_SET || offset < 0 || offset > transfer->length) return CURL_SEEKFUNC_FAIL;
  transfer->position = offset;
  return CURL_SEEKFUNC_OK;
}

static size_t take_header(char *line, size_t size, size_t count, void *context) {
  ccurl_transfer *transfer = context;
  size_t length = size * count;
  transfer->received += (int64_t)length;
  if (transfer->head.count + length > HEAD_LIMIT || !append(&transfer->head, line, length)) {
    transfer->head_failed = true;
    return 0;
  }
  if (length <= 2 && (line[0] == '\r' || line[0] == '\n')) transfer->head_is_complete = true;
  return length;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
  ccurl_transfer *transfer = context;
  size_t length = size * count;
  transfer->received += (int64_t)length;
  size_t room = transfer->response_limit - transfer->body.count;
  size_t kept = length < room ? length : room;
  if (kept < length) transfer->body_was_cut = true;
  if (kept > 0 && !append(&transfer->body, data, kept)) return 0;
  return length;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;
static void start(void) { started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

bool ccurl_start(void) {
  pthread_once(&once, start);
  return started;
}

ccurl_engine *ccurl_engine_create(void) {
  ccurl_engine *engine = calloc(1, sizeof *engine);
  if (engine == NULL) return NULL;
  engine->multi = curl_multi_init();
  if (engine->multi == NULL) {
    free(engine);
    return NULL;
  }
  curl_multi_setopt(engine->multi, CURLMOPT_MAXCONNECTS, 4L);
  return engine;
}

void ccurl_engine_free(ccurl_engine *engine) {
  curl_multi_cleanup(engine->multi);
  free(engine);
}

void ccurl_engine_wake(ccurl_engine *engine) {
  atomic_store(&engine->woken, true);
  curl_multi_wakeup(engine->multi);
}

// Splits a copy of the lines in place.
static bool add_headers(ccurl_transfer *transfer, const char *lines) {
  char *copy = strdup(lines);
  if (copy == NULL) return false;
  bool ok = true;
  char *rest = copy;
  for (char *end; ok && (end = strchr(rest, '\n')) != NULL; rest = end + 1) {
    *end = 0;
    struct curl_slist *longer = curl_slist_append(transfer->headers, rest);
    if (longer != NULL) transfer->headers = longer;
    ok = longer != NULL;
  }
  free(copy);
  return ok;
}

static void set_body(ccurl_transfer *transfer) {
  CURL *easy = transfer->easy;
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->length);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_body);
  curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER);
}

ccurl_transfer *ccurl_transfer_create(ccurl_engine *engine, const ccurl_request *request) {
  ccurl_transfer *transfer = calloc(1, sizeof *transfer);
  if (transfer == NULL) return NULL;
  CURL *easy = curl_easy_init();
  transfer->engine = engine;
  transfer->easy = easy;
  transfer->descriptor = request->descriptor;
  transfer->offset = request->offset;
  transfer->length = request->length;
  transfer->response_limit = request->response_limit;
  if (easy == NULL || !add_headers(transfer, request->header_lines)) {
    ccurl_transfer_free(transfer);
    return NULL;
  }
  CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, request->url);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
  if (code == CURLE_OK && request->ca_file[0] != 0) {
    code = curl_easy_setopt(easy, CURLOPT_CAINFO, request->ca_file);
    // Without this, the system's directory of certificates would still be trusted.
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  if (code != CURLE_OK) {
    ccurl_transfer_free(transfer);
    return NULL;
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_milliseconds);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  if (!request->may_reuse_connection) curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  if (request->descriptor >= 0) set_body(transfer);
  if (strcmp(request->method, "HEAD") == 0) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  if (curl_multi_add_handle(engine->multi, easy) != CURLM_OK) {
    ccurl_transfer_free(transfer);
    return NULL;
  }
  transfer->added = true;
  return transfer;
}

void ccurl_transfer_free(ccurl_transfer *transfer) {
  if (transfer->added) curl_multi_remove_handle(transfer->engine->multi, transfer->easy);
  if (transfer->easy != NULL) curl_easy_cleanup(transfer->easy);
  curl_slist_free_all(transfer->headers);
  free(transfer->head.start);
  free(transfer->body.start);
  free(transfer);
}

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void collect_end(ccurl_transfer *transfer) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(transfer->engine->multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE || message->easy_handle != transfer->easy) continue;
    transfer->finished = true;
    transfer->code = message->data.result;
  }
}

static void fail(ccurl_transfer *transfer, CURLMcode code) {
  transfer->finished = true;
  transfer->code = code == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_RECV_ERROR;
}

ccurl_state ccurl_transfer_step(ccurl_transfer *transfer, int milliseconds) {
  // A write to a closed TLS connection must not end the process.
  sigset_t pipe_only, previous;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_only, &previous);
  (void)previous;  // stays blocked: the thread is the transport's own

  int64_t end = milliseconds_now() + milliseconds;
  transfer->head_is_complete = false;
  while (!transfer->finished) {
    int running = 0;
    CURLMcode code = curl_multi_perform(transfer->engine->multi, &running);
    if (code != CURLM_OK) {
      fail(transfer, code);
      break;
    }
    collect_end(transfer);
    if (transfer->finished || transfer->head_is_complete) break;
    if (atomic_exchange(&transfer->engine->woken, false)) break;
    int64_t left = end - milliseconds_now();
    if (left <= 0) break;
    code = curl_multi_poll(transfer->engine->multi, NULL, 0, (int)left, NULL);
    if (code != CURLM_OK) {
      fail(transfer, code);
      break;
    }
  }
  return transfer->finished ? CCURL_FINISHED : CCURL_RUNNING;
}

ccurl_result ccurl_transfer_result(const ccurl_transfer *transfer) {
  if (transfer->body_failed) return CCURL_BODY;
  if (transfer->head_failed) return CCURL_GARBLED;
  switch (transfer->code) {
  case CURLE_OK:
    return CCURL_OK;
  case CURLE_UNSUPPORTED_PROTOCOL:
    // Also what libcurl calls an answer without a status line: HTTP/0.9.
    return ccurl_transfer_touched_server(transfer) ? CCURL_GARBLED : CCURL_UNSUPPORTED;
  case CURLE_URL_MALFORMAT:
    return CCURL_UNSUPPORTED;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
    return CCURL_RESOLVE;
  case CURLE_COULDNT_CONNECT:
    return CCURL_CONNECT;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_ISSUER_ERROR:
    return CCURL_UNTRUSTED;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CIPHER:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_ENGINE_INITFAILED:
  case CURLE_SSL_INVALIDCERTSTATUS:
    return CCURL_TLS;
  case CURLE_SSL_CACERT_BADFILE:
    return CCURL_TRUST_STORE;
  case CURLE_OPERATION_TIMEDOUT:
    return CCURL_TIMEOUT;
  case CURLE_GOT_NOTHING:
    return CCURL_EMPTY;
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_BAD_CONTENT_ENCODING:
    return CCURL_GARBLED;
  case CURLE_OUT_OF_MEMORY:
    return CCURL_MEMORY;
  default:
    return CCURL_LOST;
  }
}

const char *ccurl_transfer_message(const ccurl_transfer *transfer) {
  if (transfer->message[0] != 0 || transfer->code == CURLE_OK) return transfer->message;
  return curl_easy_strerror(transfer->code);
}

int64_t ccurl_transfer_sent(const ccurl_transfer *transfer) {
  curl_off_t sent = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  return sent;
}

int64_t ccurl_transfer_received(const ccurl_transfer *transfer) { return transfer->received; }

bool ccurl_transfer_touched_server(const ccurl_transfer *transfer) {
  long request_size = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &request_size);
  return request_size > 0 || transfer->position > 0;
}

const uint8_t *ccurl_transfer_head(const ccurl_transfer *transfer, size_t *count) {
  *count = transfer->head.count;
  return transfer->head.start;
}

void ccurl_transfer_drop_head(ccurl_transfer *transfer) { transfer->head.count = 0; }

const uint8_t *ccurl_transfer_body(const ccurl_transfer *transfer, size_t *count) {
  *count = transfer->body.count;
  return transfer->body.start;
}

bool ccurl_transfer_body_was_cut(const ccurl_transfer *transfer) { return transfer->body_was_cut; }
#endif
