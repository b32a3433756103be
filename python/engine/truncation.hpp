// truncation: a saved graph that is truncated while it is mapped ends the process, but not without a word.
//
//   Its pages are gone, and with them what the algorithms compute with: nothing can go on. Files that are replaced, as
//   save() does, or deleted do no harm.
#pragma once

namespace engine {

// To be called before a graph is mapped. What handled the signal before (faulthandler, say) still sees it.
void explain_truncation();

}  // namespace engine
