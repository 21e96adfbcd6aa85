// A server that takes uploads as fast as the system hands them over, and keeps nothing.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBench.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { PIECE = 1 << 20, HEAD = 64 << 10 };

// Bytes that need not be looked at: where the system can drop them, they aren't even copied.
static ssize_t discard(int connection, void *room, size_t count) {
#if defined(__linux__)
  return recv(connection, room, count, MSG_TRUNC);
#else
  return recv(connection, room, count, 0);
#endif
}

// Takes one request with a Content-Length and answers it; false at the connection's end.
static bool take_request(int connection, char *room) {
  static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  size_t count = 0;
  const char *end;
  do {
    ssize_t got = count == HEAD ? 0 : recv(connection, room + count, HEAD - count, 0);
    if (got <= 0) return false;
    count += (size_t)got;
    room[count] = 0;
  } while ((end = strstr(room, "\r\n\r\n")) == NULL);
  const char *field = strcasestr(room, "\r\nContent-Length:");
  if (field == NULL || field > end) return false;
  long long left = atoll(field + strlen("\r\nContent-Length:")) - (room + count - (end + 4));
  while (left > 0) {
    ssize_t got = discard(connection, room, left < PIECE ? (size_t)left : PIECE);
    if (got <= 0) return false;
    left -= got;
  }
  return send(connection, answer, sizeof answer - 1, 0) == sizeof answer - 1;
}

static void serve(int listener) {
  char *room = malloc(PIECE + 1);
  for (;;) {
    int connection = accept(listener, NULL, NULL);
    if (connection < 0 || room == NULL) _exit(1);
    while (take_request(connection, room)) {
    }
    close(connection);
  }
}

cbench_sink cbench_sink_start(void) {
  cbench_sink sink = {.process = -1};
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, 16) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
    return sink;
  sink.port = ntohs(address.sin_port);
  sink.process = fork();
  if (sink.process == 0) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // not to outlive an interrupted bench
#endif
    signal(SIGPIPE, SIG_IGN);
    serve(listener);
  }
  close(listener);
  return sink;
}

void cbench_sink_stop(cbench_sink sink) {
  if (sink.process <= 0) return;
  kill(sink.process, SIGKILL);
  waitpid(sink.process, NULL, 0);
}
