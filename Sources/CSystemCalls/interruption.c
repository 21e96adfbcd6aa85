#define _GNU_SOURCE
#include "CInterruption.h"
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static volatile sig_atomic_t polls;
static char lost_input[512];
static volatile sig_atomic_t lost_input_length;

// A signal that comes just before a system call does not interrupt it. So there is another one
// every second, until the process has ended.
static void interrupt_again(int signal) {
  (void)signal;
  alarm(1);
}

static void remember(int signal) {
  if (received == 0) received = signal;
  alarm(1);
}

void csys_watch_interruption(bool polling) {
  static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
  polls = polling;
  for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    // No SA_RESTART: a read that waits for input must come back and see the signal.
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    if (sigaction(ending[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    sigaction(ending[i], &action, NULL);
  }
  struct sigaction again;
  memset(&again, 0, sizeof again);
  again.sa_handler = interrupt_again;
  sigemptyset(&again.sa_mask);
  sigaction(SIGALRM, &again, NULL);
  signal(SIGPIPE, SIG_IGN);
}

bool csys_polls_interruption(void) { return polls; }

int csys_interruption(void) { return received; }

void csys_die_of(int number) {
  signal(number, SIG_DFL);
  // The threads that Swift's tasks run on have signals blocked.
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  raise(number);
}

// Only what signal-safety(7) allows.
static void report_lost_input(int signal) {
  (void)signal;
  ssize_t written = write(STDERR_FILENO, lost_input, (size_t)lost_input_length);
  (void)written;
  _exit(1);
}

void csys_watch_mapped_input(const char *message) {
  if (message == NULL) {
    signal(SIGBUS, SIG_DFL);
    return;
  }
  lost_input_length = 0;
  size_t length = strnlen(message, sizeof lost_input - 1);
  memcpy(lost_input, message, length);
  lost_input[length] = '\n';
  lost_input_length = (sig_atomic_t)(length + 1);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = report_lost_input;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
}
