// report: the races that were found, printed when the job ends: both lines, whose memory it is, and the remedy.
#pragma once

namespace tess::detail::races {

#if TESS_RACES
/// Forgets what earlier jobs did.
void begin_job();
/// Prints what was found since then; returns how many pairs of lines.
[[nodiscard]] unsigned end_job();
#else
inline void begin_job() noexcept {}
inline unsigned end_job() {
  return 0;
}
#endif

}  // namespace tess::detail::races
