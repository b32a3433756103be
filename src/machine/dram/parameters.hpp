// parameters: organization and timing of a DRAM channel; the [dram] table of a machine file.
//
// Units     timing in cycles of the DRAM's clock (two transfers each), sizes in bytes.
// Source    the names follow JEDEC (79-3F, DDR3; 79-4C, DDR4, for bank groups).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/kernel/time.hpp"

namespace tess::machine {

struct dram_timing {
  picoseconds clock_ps = 1250;
  std::uint32_t cl = 11;      ///< READ to its data.
  std::uint32_t cwl = 8;      ///< WRITE to its data.
  std::uint32_t burst = 4;    ///< Cycles that a burst takes on the data bus.
  std::uint32_t rcd = 11;     ///< ACTIVATE to READ or WRITE.
  std::uint32_t rp = 11;      ///< PRECHARGE to ACTIVATE.
  std::uint32_t ras = 28;     ///< ACTIVATE to PRECHARGE.
  std::uint32_t ccd = 4;      ///< Column command to column command.
  std::uint32_t rrd = 5;      ///< ACTIVATE to ACTIVATE of another bank.
  std::uint32_t faw = 24;     ///< Window in which a rank may have at most four ACTIVATEs.
  std::uint32_t rtp = 6;      ///< READ to PRECHARGE.
  std::uint32_t wr = 12;      ///< End of written data to PRECHARGE.
  std::uint32_t wtr = 6;      ///< End of written data to READ.
  std::uint32_t rtrs = 2;     ///< Between bursts of different ranks.
  std::uint32_t rfc = 280;    ///< REFRESH to ACTIVATE.
  std::uint32_t refi = 6240;  ///< REFRESH to REFRESH; 0: never.

  // Within a bank group, if there are several: then ccd, rrd and wtr are those of different groups (tCCD_S, …).
  std::uint32_t ccd_l = 0;        ///< READ to READ.
  std::uint32_t ccd_l_write = 0;  ///< WRITE to WRITE.
  std::uint32_t rrd_l = 0;
  std::uint32_t wtr_l = 0;
  std::uint32_t rp_all = 0;  ///< PRECHARGE of all banks to ACTIVATE.

  [[nodiscard]] std::uint32_t rc() const noexcept { return ras + rp; }
};

/// Those of one chip, as its data sheet states them; all 0: they are not known.
struct dram_currents {
  std::uint32_t chips = 0;  ///< That work together in a rank.
  std::uint32_t vdd_mv = 0;
  std::uint32_t idd0_ma = 0;   ///< A row opened and closed every tRC.
  std::uint32_t idd2n_ma = 0;  ///< All rows closed.
  std::uint32_t idd3n_ma = 0;  ///< A row open.
  std::uint32_t idd4r_ma = 0;  ///< Bursts of reads.
  std::uint32_t idd4w_ma = 0;  ///< Bursts of writes.
  std::uint32_t idd5_ma = 0;   ///< Refreshes one after another.
};

enum class dram_field : std::uint8_t { column, bank, rank, row };

struct dram_parameters {
  dram_timing timing;
  dram_currents currents;
  std::uint32_t ranks = 1;
  std::uint32_t banks = 8;     ///< Per rank.
  std::uint32_t groups = 1;    ///< Per rank: neighbouring banks are in different ones.
  std::uint32_t rows = 65536;  ///< Per bank.
  std::size_t row_bytes = 8192;
  std::size_t access_bytes = 64;  ///< Moved by one burst.
  /// From the lowest address bits upwards, above the bits within an access.
  std::array<dram_field, 4> mapping{dram_field::column, dram_field::rank, dram_field::bank, dram_field::row};
  std::uint32_t queue_entries = 32;  ///< For reads, and as many for writes.

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return std::uint64_t{ranks} * banks * rows * row_bytes; }
};

}  // namespace tess::machine
