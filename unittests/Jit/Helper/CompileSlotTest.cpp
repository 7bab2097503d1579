//===- CompileSlotTest.cpp - tests of the limit of concurrent compiles ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/CompileSlot.h"
#include "../../../lib/Jit/Helper/AvailableMemory.h"
#include "../TestFolder.h"

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class CompileSlotTest : public TestFolder {
protected:
  ~CompileSlotTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }
  UniqueFd directory() {
    ::setenv("XDG_RUNTIME_DIR", Folder.c_str(), 1);
    return slotDirectory();
  }
  static std::function<uint64_t()> bytes(uint64_t Count) {
    return [=] { return Count; };
  }
};

TEST_F(CompileSlotTest, SlotsLimitCompilesByMemory) {
  UniqueFd Folder = directory();
  UniqueFd First = tryTakeSlot(Folder.get(), 3, 100, bytes(0));
  EXPECT_TRUE(First) << "one always goes on";
  EXPECT_FALSE(tryTakeSlot(Folder.get(), 3, 100, bytes(99)))
      << "no memory for a second";
  UniqueFd Second = tryTakeSlot(Folder.get(), 3, 100, bytes(100));
  EXPECT_TRUE(Second);
  UniqueFd Third = tryTakeSlot(Folder.get(), 3, 100, bytes(100));
  EXPECT_TRUE(Third);
  EXPECT_FALSE(tryTakeSlot(Folder.get(), 3, 100, bytes(100)))
      << "all are taken";
  First = UniqueFd();
  EXPECT_TRUE(tryTakeSlot(Folder.get(), 3, 100, bytes(0)))
      << "the first is free again";
}

TEST_F(CompileSlotTest, FirstSlotDoesNotReadMemory) {
  UniqueFd Folder = directory();
  int Asked = 0;
  auto Count = [&] { return uint64_t(++Asked) * 100; };
  UniqueFd First = tryTakeSlot(Folder.get(), 3, 100, Count);
  EXPECT_EQ(Asked, 0);
  EXPECT_TRUE(tryTakeSlot(Folder.get(), 3, 100, Count));
  EXPECT_EQ(Asked, 1);
}

TEST_F(CompileSlotTest, KilledOwnerFreesItsSlot) {
  UniqueFd Folder = directory();
  int Ready[2];
  ASSERT_EQ(::pipe(Ready), 0);
  const pid_t Child = ::fork();
  if (Child == 0) {
    UniqueFd Slot = tryTakeSlot(Folder.get(), 1, 0, bytes(0));
    (void)!::write(Ready[1], Slot ? "y" : "n", 1);
    while (true)
      ::pause();
  }
  ::close(Ready[1]);
  char Answer = 0;
  EXPECT_EQ(::read(Ready[0], &Answer, 1), 1);
  EXPECT_EQ(Answer, 'y');
  ::close(Ready[0]);
  EXPECT_FALSE(tryTakeSlot(Folder.get(), 1, 0, bytes(0)));
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
  EXPECT_TRUE(tryTakeSlot(Folder.get(), 1, 0, bytes(0)));
}

TEST_F(CompileSlotTest, SlotDirectoryIsPrivate) {
  EXPECT_TRUE(directory());
  struct stat Info;
  ASSERT_EQ(::stat((Folder + "/kpack").c_str(), &Info), 0);
  EXPECT_EQ(Info.st_mode & 07777, 0700u);
  auto isUsed = [&] {
    struct stat Here, There;
    UniqueFd Directory = directory();
    return Directory && ::fstat(Directory.get(), &Here) == 0 &&
           ::lstat((Folder + "/kpack").c_str(), &There) == 0 &&
           Here.st_ino == There.st_ino && Here.st_dev == There.st_dev;
  };
  EXPECT_TRUE(isUsed());
  // One that others can open is not used, nor is a link to somewhere.
  ASSERT_EQ(::chmod((Folder + "/kpack").c_str(), 0755), 0);
  EXPECT_FALSE(isUsed());
  std::filesystem::remove_all(Folder + "/kpack");
  std::filesystem::create_directory(Folder + "/elsewhere");
  std::filesystem::create_symlink(Folder + "/elsewhere", Folder + "/kpack");
  EXPECT_FALSE(isUsed());
  // Relative ones are to be ignored.
  ::setenv("XDG_RUNTIME_DIR", "kpack-test-relative", 1);
  slotDirectory();
  EXPECT_FALSE(std::filesystem::exists("kpack-test-relative"));
}

TEST_F(CompileSlotTest, WithoutSlotDirectoryNothingIsLimited) {
  for (int I = 0; I != 3; ++I) {
    UniqueFd Slot = tryTakeSlot(-1, 1, 100, bytes(0));
    EXPECT_TRUE(Slot);
  }
  // A directory in a slot's place.
  UniqueFd Directory = directory();
  std::filesystem::create_directory(Folder + "/kpack/compile-0");
  EXPECT_TRUE(tryTakeSlot(Directory.get(), 1, 100, bytes(0)));
}

class AvailableMemoryTest : public TestFolder {
protected:
  AvailableMemoryTest() {
    put("/proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:   8000 kB\n");
  }
  void put(const std::string &Path, const std::string &Text) {
    const std::filesystem::path Full = Folder + Path;
    std::filesystem::create_directories(Full.parent_path());
    write(Full.string(), Text);
  }
  void group2(const std::string &Path, const std::string &Max, int Used,
              int Inactive = 0) {
    put("/sys/cg" + Path + "/memory.max", Max + "\n");
    put("/sys/cg" + Path + "/memory.current", std::to_string(Used) + "\n");
    put("/sys/cg" + Path + "/memory.stat",
        "anon 1\ninactive_anon 77\ninactive_file " + std::to_string(Inactive) +
            "\nworkingset_refault_file 5\n");
  }
  void group1(const std::string &Path, const std::string &Max, int Used,
              int Inactive = 0) {
    put("/sys/cg1" + Path + "/memory.limit_in_bytes", Max + "\n");
    put("/sys/cg1" + Path + "/memory.usage_in_bytes",
        std::to_string(Used) + "\n");
    put("/sys/cg1" + Path + "/memory.stat",
        "inactive_file 3\ntotal_inactive_file " + std::to_string(Inactive) +
            "\n");
  }
  uint64_t available() { return availableMemory(Folder); }
};

constexpr const char *Mount2 =
    "30 23 0:26 / /sys/cg rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
constexpr const char *Mount1 =
    "31 23 0:27 / /sys/other rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 23 0:28 / /sys/cg1 rw - cgroup cgroup rw,memory\n";

TEST_F(AvailableMemoryTest, ReadsTheMachinesMemory) {
  EXPECT_EQ(available(), 8000u * 1024);
  put("/proc/meminfo", "MemTotal: 1 kB\n");
  EXPECT_EQ(available(), ~uint64_t(0));
  EXPECT_GT(availableMemory(), 0u); // this machine's files are read to the end
}

TEST_F(AvailableMemoryTest, NarrowestOfNestedGroups) {
  put("/proc/self/mountinfo", Mount2);
  put("/proc/self/cgroup", "0::/a/b/c\n");
  group2("/a/b/c", "max", 10);
  group2("/a/b", "5000", 4500, 1000);
  group2("/a", "100000", 200);
  EXPECT_EQ(available(), 1500u) << "pages that can be dropped count";
  group2("/a", "1000", 200);
  EXPECT_EQ(available(), 800u);
  group2("/a", "1000", 2000);
  EXPECT_EQ(available(), 0u) << "over the limit";
  group2("/a", "1000", 200, 700);
  EXPECT_EQ(available(), 1000u) << "never more than the limit";
  // The top of a container has files too.
  put("/proc/self/cgroup", "0::/\n");
  group2("", "600", 0);
  EXPECT_EQ(available(), 600u);
}

TEST_F(AvailableMemoryTest, ReadsCgroupVersion1) {
  put("/proc/self/mountinfo", Mount1);
  put("/proc/self/cgroup", "4:memory:/a/b\n1:cpu,cpuacct:/\n0::/\n");
  group1("/a/b", "9223372036854771712", 10);
  group1("/a", "5000", 4000, 500);
  group1("", "9223372036854771712", 70000);
  EXPECT_EQ(available(), 1500u);
  // Both versions are mounted.
  put("/proc/self/mountinfo", std::string(Mount2) + Mount1);
  group2("", "900", 0);
  EXPECT_EQ(available(), 900u);
}

TEST_F(AvailableMemoryTest, ReadsTheGroupOfAContainer) {
  put("/proc/self/mountinfo",
      "32 23 0:28 /docker/1 /sys/cg1 rw - cgroup cgroup rw,memory\n");
  put("/proc/self/cgroup", "4:memory:/docker/1/x\n");
  group1("/x", "700", 0);
  group1("", "800", 0);
  EXPECT_EQ(available(), 700u);
  put("/proc/self/cgroup", "4:memory:/docker/12/x\n");
  EXPECT_EQ(available(), 800u) << "another group's name starts like ours";
  put("/proc/self/cgroup", "4:memory:/../x\n");
  EXPECT_EQ(available(), 800u);
  // A blank in the name of the folder.
  put("/proc/self/mountinfo",
      "32 23 0:28 / /sys/cg\\0401 rw - cgroup cgroup rw,memory\n");
  put("/proc/self/cgroup", "4:memory:/\n");
  put("/sys/cg 1/memory.limit_in_bytes", "300\n");
  put("/sys/cg 1/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(available(), 200u);
}

TEST_F(AvailableMemoryTest, NonsenseIsIgnored) {
  for (const char *Text :
       {"", "\n", ":", "::", "0::", "x", "0::/../..\n", "4:memory\n", " - "}) {
    put("/proc/self/cgroup", Text);
    put("/proc/self/mountinfo", Text + std::string("\n") + Mount2 + Text);
    EXPECT_EQ(available(), 8000u * 1024) << Text;
  }
}

} // namespace
