// parquet: a table of numbers as an Apache Parquet file: one group of rows, plain values, without compression.
//
// Shapes    rows[row][column]; all columns are of type DOUBLE and have no missing values.
// Source    the Parquet format (parquet.thrift) and Thrift's compact protocol.
#pragma once

#include <string>
#include <vector>

namespace tess::machine {

[[nodiscard]] std::string parquet_of(std::vector<std::string> const& names,
                                     std::vector<std::vector<double>> const& rows);

}  // namespace tess::machine
