#define _GNU_SOURCE
#include "CShell.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// An end of a pipe that no child gets.
static int prepare(int descriptor, int status_flags) {
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) == -1) return -1;
  return status_flags == 0 ? 0 : fcntl(descriptor, F_SETFL, status_flags);
}

// Not all that is open closes itself in a child: libcurl's sockets don't.
static int keep_only_standard(posix_spawn_file_actions_t *actions, short *flags) {
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return posix_spawn_file_actions_addinherit_np(actions, STDERR_FILENO);
#elif defined(__GLIBC__)
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
  (void)flags;
  for (int other = STDERR_FILENO + 1; other < (int)sysconf(_SC_OPEN_MAX); other++) {
    if (fcntl(other, F_GETFD) == -1) continue;
    int problem = posix_spawn_file_actions_addclose(actions, other);
    if (problem != 0) return problem;
  }
  return 0;
#endif
}

static int spawn(pid_t *child, const char *command, char *const *environment, int output) {
  posix_spawn_file_actions_t actions;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  posix_spawnattr_t attributes;
  problem = posix_spawnattr_init(&attributes);
  if (problem != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  // The threads of Swift's tasks block signals, and this process ignores SIGPIPE.
  sigset_t blocked, standard;
  sigemptyset(&blocked);
  sigemptyset(&standard);
  sigaddset(&standard, SIGPIPE);
  problem = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (problem == 0) problem = keep_only_standard(&actions, &flags);
  if (problem == 0) problem = posix_spawnattr_setflags(&attributes, flags);
  if (problem == 0) problem = posix_spawnattr_setpgroup(&attributes, 0);
  if (problem == 0) problem = posix_spawnattr_setsigmask(&attributes, &blocked);
  if (problem == 0) problem = posix_spawnattr_setsigdefault(&attributes, &standard);
  if (problem == 0) {
    char *const arguments[] = {"sh", "-c", (char *)command, NULL};
    problem = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

// Who ignores SIGCHLD, as a process may from its start, is never told how a child has ended.
static void want_statuses(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) != 0 || action.sa_handler != SIG_IGN) return;
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, NULL);
}

pid_t csys_spawn_shell(const char *command, char *const *environment, int *output) {
  int ends[2];
  want_statuses();
  if (pipe(ends) != 0) return -1;
  pid_t child = -1;
  int problem = 0;
  if (prepare(ends[0], O_NONBLOCK) != 0 || prepare(ends[1], 0) != 0) problem = errno;
  if (problem == 0) problem = spawn(&child, command, environment, ends[1]);
  close(ends[1]);
  if (problem != 0) {
    close(ends[0]);
    errno = problem;
    return -1;
  }
  *output = ends[0];
  return child;
}

int csys_exit_status(pid_t child) {
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(child, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool csys_wants_terminal(pid_t child) {
  siginfo_t change;
  change.si_pid = 0;
  if (waitid(P_PID, (id_t)child, &change, WSTOPPED | WNOHANG) != 0) return false;
  return change.si_pid == child && (change.si_status == SIGTTIN || change.si_status == SIGTTOU);
}
