// toy_memory: the surroundings of an accelerator in a test of its ports: a memory with random graphs, sound or not, a
// section of types, and streams that answer after random times.
//
//   Layout of the memory: map, source partition, buffers. Answers overtake each other; accesses are done in order.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "machine/nma/nma_unit.hpp"

namespace tess::machine {

class toy_memory {
 public:
  static constexpr std::uint64_t map_offset = 4096;
  static constexpr std::uint64_t map_entries = 256;
  static constexpr std::uint64_t source_offset = 16384;
  static constexpr std::uint64_t source_base = 0x200'1000'0000;
  static constexpr std::uint64_t source_bytes = 65536;
  static constexpr std::uint64_t target = source_offset + source_bytes + 192;
  static constexpr std::uint64_t target_bytes = 65536;
  static constexpr std::uint64_t types_address = 0x1000;
  static constexpr std::uint32_t types_count = 24;

  explicit toy_memory(std::uint64_t seed) : choose_(seed), words_((target + target_bytes + 4096) / 8) {
    // From one run to another, ports are fast or slow.
    for (auto* const rate : {&access_rate_, &answer_rate_, &ack_rate_, &record_rate_, &result_rate_, &job_rate_})
      *rate = std::uint64_t{1} + below(chance(2) ? 100 : 20);
    overtakes_ = chance(2);
    corrupts_ = chance(3) ? 1 + below(400) : 0;
    corrupts_once_ = chance(2);
    make_graph();
  }

  /// Inputs for the next edge, the same for any unit with the same outputs.
  void drive(nma_unit::inputs& in) {
    in.map_offset = map_offset;
    in.map_entries = map_entries;
    in.types_address = types_address;
    in.types_count = types_count;
    // A stream that has been offered an item keeps it until it is taken.
    if (!in.job_valid || took_job_) {
      in.job_valid = happens(job_rate_);
      if (in.job_valid) in.job = make_job();
      took_job_ = false;
    }
    in.access_ready = happens(access_rate_);
    in.record_ready = happens(record_rate_);
    in.result_ready = happens(result_rate_);
    in.answer_valid = !reads_.empty() && happens(answer_rate_);
    if (in.answer_valid) {
      std::size_t const which = overtakes_ ? below(reads_.size()) : 0;
      in.answer_tag = reads_[which].tag;
      answer_ = reads_[which].words;
      in.answer_words = answer_.data();
      reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    in.written = written_ != 0 && happens(ack_rate_);
    if (in.written) --written_;
    in.record_answer_valid = record_asked_ && happens(record_rate_);
    if (in.record_answer_valid) {
      record_asked_ = false;
      in.record_fault = record_fault_;
      in.record_words = record_words_;
    }
  }

  /// What moves at the edge that `in` was made for. False: an access that must not be.
  [[nodiscard]] bool take(nma_unit::inputs const& in, nma_unit::outputs const& out) {
    if (in.job_valid && out.job_ready) {
      took_job_ = true;
      jobs_.push_back(in.job);
    }
    if (out.result_valid && in.result_ready) {
      ++results;
      ++faults[static_cast<std::size_t>(out.result.fault)];
      if (!jobs_.empty()) jobs_.pop_front();
      corrupted_ = false;
    }
    if (out.record_valid && in.record_ready) ask(out);
    if (corrupts_ != 0 && !hurries_ && !(corrupts_once_ && corrupted_) && below(corrupts_) == 0) corrupt();
    return !out.access_valid || !in.access_ready || access(out.access);
  }

  /// Words change while copies are made.
  [[nodiscard]] bool corrupts() const { return corrupts_ != 0; }
  /// From now on no port stalls, no word changes, and there is no further job.
  void hurry() {
    hurries_ = true;
    access_rate_ = answer_rate_ = ack_rate_ = record_rate_ = result_rate_ = 100;
    job_rate_ = 0;
  }
  [[nodiscard]] bool idle() const { return jobs_.empty(); }

  std::uint64_t results = 0;
  std::array<std::uint64_t, 16> faults{};

 private:
  struct read {
    std::uint32_t tag;
    std::array<std::uint64_t, nma_unit::lanes_max> words;
  };
  struct type {
    std::uint64_t size, kind, alignment;
    std::vector<std::uint64_t> mask;
    std::uint64_t mask_at;
  };

  std::uint64_t below(std::uint64_t limit) { return choose_() % limit; }
  bool chance(std::uint64_t of) { return below(of) == 0; }
  bool happens(std::uint64_t percent) { return below(100) < percent; }
  std::uint64_t& word_at(std::uint64_t offset) { return words_[offset / 8]; }
  std::uint64_t& original(std::uint64_t address) { return word_at(address - source_base + source_offset); }

  std::uint64_t wild_word() {
    switch (below(7)) {
      case 0:
        return choose_();
      case 1:
        return source_base + below(source_bytes);
      case 2:
        return source_base + below(source_bytes) / 8 * 8;
      case 3:
        return below(8192) / 8 * 8;
      case 4:
        return below(40);
      case 5:  // room in front for an object, but not for an array
        return source_base + registers::objects::front_bytes;
      default:
        return source_base + source_bytes - below(64) / 8 * 8;
    }
  }

  /// A word of the buffer changes: often the place of a parent, which becomes another copy, or the child's own one.
  void corrupt() {
    std::uint64_t const copy = some_copy();
    if (copy != 0 && (corrupts_once_ || chance(2))) {
      word_at(copy - registers::objects::parent_dst) = chance(4) ? some_copy() : copy;
      corrupted_ = true;
    } else if (!corrupts_once_) {
      word_at(target + below(512) * 8) = wild_word();
    }
  }
  /// The place of a copy that is in the map's list; null, if there is none.
  std::uint64_t some_copy() {
    if (jobs_.empty()) return 0;
    std::uint64_t const at = word_at(map_offset + (map_entries + below(16)) * 8) - jobs_.front().final_shift;
    bool const inside = at % 8 == 0 && at >= target + registers::objects::front_bytes && at < target + target_bytes;
    return inside ? at : 0;
  }

  void make_types() {
    std::uint64_t mask_at = types_address + types_count * 72;
    for (std::uint32_t number = 0; number < types_count; ++number) {
      type made{.size = 0,
                .kind = number < 16 ? 0 : number % 2 + 1U,
                .alignment = chance(3) ? 16U : 8U,
                .mask = {},
                .mask_at = mask_at};
      std::uint64_t const words = made.kind != 0 ? 0 : chance(4) ? 33 + below(60) : below(12);
      made.size = words * 8;
      made.mask.assign(words / 32 + 1, 0);
      for (std::uint64_t at = 0; at < words; ++at) {
        std::uint64_t code = chance(2) ? 0 : below(4);
        if (code == 3 && words - at < 3 && !chance(40)) code = 0;
        made.mask[at / 32] |= code << at % 32 * 2;
        if (code == 3) at += 2;
      }
      if (chance(30)) made.size += 4;
      if (chance(30)) made.kind = below(5);
      if (chance(30)) made.alignment = below(32);
      mask_at += made.mask.size() * 8;
      types_.push_back(std::move(made));
    }
  }

  void make_graph() {
    types_.clear();
    made_.clear();
    make_types();
    std::uint64_t next = source_base + below(8) * 8;
    std::uint64_t const most = 1 + below(chance(3) ? 300 : 30);
    // Objects of one type can take each other's place, so that a changed place of a parent may look sound.
    std::uint64_t const kinds = chance(3) ? 1 : types_count;
    if (kinds == 1 && types_[0].size != 0) types_[0].mask[0] = (types_[0].mask[0] & ~std::uint64_t{3}) | 1U;
    while (made_.size() < most) {
      auto const number = static_cast<std::uint32_t>(below(kinds));
      type const& of = types_[number];
      bool const array = of.kind != 0;
      std::uint64_t const bytes = array ? (chance(20) ? below(2000) : below(120)) : of.size;
      std::uint64_t const elements = of.kind == 2 ? bytes / 8 * 8 : bytes;
      next = (next + (array ? 48 : 40) + 15) / 16 * 16 + (of.alignment == 8 && chance(2) ? 8 : 0);
      if (next + elements + 64 > source_base + source_bytes) break;
      original(next - 8) = number | choose_() << 32U;
      if (array) original(next - 48) = elements;
      made_.push_back({next, number});
      next += (elements + 7) / 8 * 8;
    }
    auto const any = [&](bool arrays) {
      for (int tries = 0; tries < 10; ++tries) {
        auto const& [address, number] = made_[below(made_.size())];
        if (!arrays || types_[number].kind != 0) return address;
      }
      return std::uint64_t{0};
    };
    bool const sound = chance(2);
    if (!sound) original(source_base + registers::objects::front_bytes - registers::objects::header) = 16 + below(8);
    for (auto const& [address, number] : made_) {
      type const& of = types_[number];
      std::uint64_t const bytes = of.kind != 0 ? original(address - 48) : of.size;
      for (std::uint64_t at = 0; at < bytes / 8; ++at) {
        std::uint64_t const code = of.kind == 2 ? 1 : of.kind == 0 ? of.mask[at / 32] >> at % 32 * 2 & 3 : 0;
        std::uint64_t& word = original(address + at * 8);
        word = code == 1 ? (chance(4) ? 0 : any(false)) : choose_();
        if (code == 3) {
          word = any(true);
          if (at + 2 < bytes / 8) original(address + at * 8 + 8) = word == 0 ? 0 : 1 + below(9);
          if (at + 2 < bytes / 8) original(address + at * 8 + 16) = word == 0 && !chance(20) ? 0 : below(100);
          at += 2;
        }
        if (!sound && chance(200)) word = wild_word();
      }
      if (!sound && chance(200)) original(address - 8) = choose_();
      if (!sound && chance(200)) original(address - 48) = choose_() >> below(64);
    }
  }

  nma_job make_job() {
    // Another graph now and then, while no job reads the present one.
    if (jobs_.empty() && chance(3)) make_graph();
    nma_job made;
    made.root = chance(12) ? (chance(3) ? 0 : wild_word()) : made_[below(made_.size())].first;
    made.source_base = source_base;
    made.source_end = source_base + source_bytes;
    made.source_shift = source_offset - source_base;
    made.target = target;
    made.begins = target + below(20) * 8;
    made.ends = chance(4) ? made.begins + below(600) * 8 : target + target_bytes;
    made.final_shift = chance(2) ? source_base - target : choose_() / 8 * 8;
    made.objects = static_cast<std::uint32_t>(chance(12) ? choose_() : chance(3) ? below(130) : made_.size());
    made.hashed = chance(2);
    made.sound = !chance(12);
    return made;
  }

  void ask(nma_unit::outputs const& out) {
    record_asked_ = true;
    record_words_ = {choose_(), choose_(), choose_()};
    std::uint64_t const at = out.record_address;
    record_fault_ = chance(400);
    if (out.record_whole) {
      std::uint64_t const number = (at - types_address) / 72;
      if (number >= types_.size() || (at - types_address) % 72 != 0) {
        record_fault_ = true;
        return;
      }
      type const& of = types_[number];
      record_words_ = {of.size | (choose_() << 32U), of.kind | of.alignment << 8U | (choose_() << 16U), of.mask_at};
      return;
    }
    for (type const& of : types_)
      if (at >= of.mask_at && at < of.mask_at + of.mask.size() * 8) record_words_[0] = of.mask[(at - of.mask_at) / 8];
  }

  [[nodiscard]] bool access(nma_access const& one) {
    auto const within = [&](std::uint64_t from, std::uint64_t bytes) {
      return one.offset >= from && one.offset + one.words * 8 <= from + bytes;
    };
    if (one.offset % 8 != 0 || one.words == 0 || one.words > nma_unit::lanes_max) return false;
    if (one.writes) {
      nma_job const& of = jobs_.front();
      if (!within(map_offset, map_entries * 16) && !within(of.begins, of.ends - of.begins)) return false;
      for (std::uint32_t at = 0; at < one.words; ++at) word_at(one.offset + at * 8) = one.data[one.lane + at];
      ++written_;
      return true;
    }
    if (!within(0, words_.size() * 8)) return false;
    read made{one.tag, {}};
    for (auto& word : made.words) word = choose_();
    for (std::uint32_t at = 0; at < one.words; ++at) made.words[at] = word_at(one.offset + at * 8);
    reads_.push_back(made);
    return true;
  }

  std::mt19937_64 choose_;
  std::vector<std::uint64_t> words_;
  std::vector<type> types_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> made_;  ///< Objects and their types.
  std::uint64_t access_rate_ = 0, answer_rate_ = 0, ack_rate_ = 0, record_rate_ = 0, result_rate_ = 0, job_rate_ = 0;
  bool overtakes_ = false;
  std::uint64_t corrupts_ = 0;  ///< A word of the buffer changes every so many cycles.
  bool corrupts_once_ = false;  ///< But one word for each job.
  bool corrupted_ = false;
  bool hurries_ = false;
  bool took_job_ = true;
  std::deque<nma_job> jobs_;
  std::deque<read> reads_;
  std::array<std::uint64_t, nma_unit::lanes_max> answer_{};
  std::uint64_t written_ = 0;
  bool record_asked_ = false;
  bool record_fault_ = false;
  std::array<std::uint64_t, 3> record_words_{};
};

}  // namespace tess::machine
