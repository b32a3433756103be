// waiting: a list of tasks that look again.
#include "system/waiting.hpp"

namespace tess::system::waiting {
namespace {

task_list all;

}  // namespace

void changed() {
  while (task* const one = all.take()) wake(one);
}

void for_change() {
  all.put(own_task());
  block();
}

}  // namespace tess::system::waiting
