//===- Helper.cpp - another process for a test ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first child is asked by a socket: what is to be done, which is an address
// that means the same there, and a socket for the new process. It answers with
// the status that this has ended with.
//
//===----------------------------------------------------------------------===//
#include "Helper.h"

#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace own {

namespace {
/// The test's end, and the first child's.
int Asking = -1;

struct Request {
  Work Do;
};

/// With a descriptor beside the bytes.
bool sendWithSocket(int To, Request What, int Passed) {
  iovec Bytes{&What, sizeof(What)};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  msghdr Message{};
  Message.msg_iov = &Bytes;
  Message.msg_iovlen = 1;
  Message.msg_control = Control;
  Message.msg_controllen = sizeof(Control);
  cmsghdr *Head = CMSG_FIRSTHDR(&Message);
  Head->cmsg_level = SOL_SOCKET;
  Head->cmsg_type = SCM_RIGHTS;
  Head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(Head), &Passed, sizeof(int));
  return sendmsg(To, &Message, 0) == ssize_t(sizeof(What));
}

bool receiveWithSocket(int From, Request &What, int &Passed) {
  iovec Bytes{&What, sizeof(What)};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  msghdr Message{};
  Message.msg_iov = &Bytes;
  Message.msg_iovlen = 1;
  Message.msg_control = Control;
  Message.msg_controllen = sizeof(Control);
  if (recvmsg(From, &Message, 0) != ssize_t(sizeof(What)))
    return false;
  cmsghdr *Head = CMSG_FIRSTHDR(&Message);
  if (!Head)
    return false;
  std::memcpy(&Passed, CMSG_DATA(Head), sizeof(int));
  return true;
}

[[noreturn]] void serve(int From) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Request What;
  int Socket = -1;
  while (receiveWithSocket(From, What, Socket)) {
    pid_t Child = fork();
    if (Child == 0) {
      close(From);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // Not exit(): GoogleTest's and the parent's buffers are not its own.
      _exit(What.Do(Socket));
    }
    close(Socket);
    int Status = -1;
    waitpid(Child, &Status, 0);
    send(From, Status);
  }
  _exit(0);
}
} // namespace

void startHelpers() {
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0)
    std::abort();
  pid_t First = fork();
  if (First < 0)
    std::abort();
  if (First == 0) {
    close(Ends[0]);
    serve(Ends[1]);
  }
  close(Ends[1]);
  Asking = Ends[0];
}

Helper::Helper(Work Do) {
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0 ||
      !sendWithSocket(Asking, Request{Do}, Ends[1]))
    std::abort();
  close(Ends[1]);
  Socket = Ends[0];
}

int Helper::end() {
  if (Socket < 0)
    return -1;
  // One that waits for the test sees that nothing more comes.
  shutdown(Socket, SHUT_WR);
  int Status = -1;
  if (!receive(Asking, Status))
    Status = -1;
  close(Socket);
  Socket = -1;
  return Status;
}

Helper::~Helper() { end(); }

bool send(int Socket, const void *Data, size_t Size) {
  return ::send(Socket, Data, Size, MSG_NOSIGNAL) == ssize_t(Size);
}

bool receive(int Socket, void *Data, size_t Size) {
  return recv(Socket, Data, Size, MSG_WAITALL) == ssize_t(Size);
}

} // namespace own
