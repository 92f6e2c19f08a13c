// Work on several threads whose results are taken in the order of the items.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_IN_ORDER_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"

namespace quantgate::cli {

// Calls work(i) for i from 0 to `count` on up to `threads` threads and take(result) for each in
// order on the calling one. At most two results per thread wait at any time. What `work` throws
// is thrown here, in its turn.
template <typename Result, typename Work, typename Take>
void InOrder(size_t count, size_t threads, const Work& work, const Take& take) {
  if (threads <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) take(work(i));
    return;
  }
  struct Slot {
    Result result{};
    std::exception_ptr error;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<size_t, Slot> done;
  size_t next = 0, taken = 0;
  bool stopped = false;
  const auto run = [&] {
    for (;;) {
      size_t i = 0;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return stopped || next >= count || next < taken + 2 * threads; });
        if (stopped || next >= count) return;
        i = next++;
      }
      Slot slot;
      try {
        slot.result = work(i);
      } catch (...) {
        slot.error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done.emplace(i, std::move(slot));
      changed.notify_all();
    }
  };
  std::vector<std::thread> pool;
  const absl::Cleanup join = [&] {
    {
      const std::lock_guard lock(mutex);
      stopped = true;
      changed.notify_all();
    }
    for (std::thread& thread : pool) thread.join();
  };
  for (size_t i = 0; i < std::min(threads, count); ++i) pool.emplace_back(run);
  while (taken < count) {
    Slot slot;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done.contains(taken); });
      slot = std::move(done.extract(taken).mapped());
      ++taken;
      changed.notify_all();
    }
    if (slot.error) std::rethrow_exception(slot.error);
    take(std::move(slot.result));
  }
}

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_IN_ORDER_H_
