// Shared code of the programs that check CUDA code on a GPU: each runs groups of checks, prints the failures
// and counts them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

int checks = 0;
int failures = 0;

void require(const char* message) {
  if (message == nullptr) return;
  std::printf("FAIL %s\n", message);
  std::exit(1);
}

void require(cudaError_t error) {
  if (error != cudaSuccess) require(cudaGetErrorString(error));
}

void report(const std::string& name, bool passed) {
  ++checks;
  if (passed) return;
  ++failures;
  std::printf("FAIL %s\n", name.c_str());
}

struct Group {
  const char* name;
  void (*run)();
};

// Runs the groups that are named in the arguments, or all groups if none is. Returns true if every check
// passed.
bool run_groups(int count, char** arguments, const std::vector<Group>& groups) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a program that runs out of time has printed its results
  const std::vector<std::string> wanted(arguments + 1, arguments + count);
  for (const Group& group : groups) {
    const bool is_named = std::find(wanted.begin(), wanted.end(), group.name) != wanted.end();
    if (!wanted.empty() && !is_named) continue;
    checks = 0;
    const int before = failures;
    group.run();
    const int failed = failures - before;
    const char* const verdict = failed == 0 ? "PASS" : "FAIL";
    std::printf("%s %s: %d of %d checks\n", verdict, group.name, checks - failed, checks);
  }
  return failures == 0;
}

}  // namespace
