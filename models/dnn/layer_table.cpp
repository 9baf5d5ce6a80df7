// SPDX-License-Identifier: Apache-2.0
// A network as a table of its layers, for those that no catalogue knows: what travels, and when it is ready.
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace trainyard {
namespace {

constexpr std::array known_columns{"name",        "parameters", "forward", "backward",     "flop",
                                   "activations", "rows",       "lookups", "distinct_rows"};

/// Reads one row after the other; the first fault is thrown with its line.
class LayerTable
{
public:
  LayerTable(const CsvTable& table, bool file) : table_{table}, file_{file}
  {
    for (const std::string& column : table.columns)
      if (std::ranges::find(known_columns, column) == known_columns.end())
        fail(1, fmt::format("unknown column '{}'; known: {}", column, fmt::join(known_columns, ", ")));
    if (!table.column("parameters"))
      fail(1, "a table of layers needs the column 'parameters': elements of each tensor, as '1048576 1024'");
    timed_ = table.column("forward").has_value();
    if (timed_ != table.column("backward").has_value() || timed_ == table.column("flop").has_value())
      fail(1, "give 'forward' and 'backward' (times for the job's batch, as '3 ms'), or 'flop' (of the forward pass, "
              "per sample)");
  }

  Dnn read() const
  {
    Dnn dnn;
    dnn.name = table_.file;
    dnn.description = "layers of " + table_.file;
    dnn.sample = "sample";
    dnn.source = table_.file;
    for (const CsvTable::Row& row : table_.rows)
      dnn.layers.push_back(layer(row, static_cast<int>(dnn.layers.size())));
    if (dnn.layers.empty())
      fail(1, "the table has no layers");
    if (dnn.parameter_elements() <= 0)
      fail(1, "no layer has parameters, so nothing would be exchanged");
    return dnn;
  }

private:
  [[noreturn]] void fail(int line, const std::string& why) const
  {
    throw std::invalid_argument{file_      ? fmt::format("{}:{}: {}", table_.file, line, why)
                                : line > 1 ? fmt::format("layer {} of '{}': {}", line - 1, table_.file, why)
                                           : fmt::format("layers of '{}': {}", table_.file, why)};
  }

  double number(const CsvTable::Row& row, const std::string& column, const std::string& text) const
  {
    std::istringstream in{text};
    double value = 0;
    if (!(in >> value) || !in.eof() || !(value >= 0) || value > 1e18)
      fail(row.line, fmt::format("'{}' is no number of {}", text, column));
    return value;
  }

  Seconds time(const CsvTable::Row& row, const char* column) const
  {
    const QuantityText found = parse_quantity(table_.cell(row, column), QuantityKind::duration);
    if (!found || found.value < 0)
      fail(row.line, fmt::format("{}: '{}' is no duration; write one as '3 ms'", column, table_.cell(row, column)));
    return Seconds{found.value};
  }

  /// The layer is a table of rows that its samples look up.
  void read_table(const CsvTable::Row& row, Layer& layer) const
  {
    const auto cell = [&](const char* column) {
      const std::string& text = table_.cell(row, column);
      return text.empty() ? 0 : number(row, column, text);
    };
    const RowTable table{.rows = cell("rows"), .lookups = cell("lookups"), .distinct = cell("distinct_rows")};
    if (table.rows <= 0) {
      if (table.lookups > 0 || table.distinct > 0)
        fail(row.line, "'lookups' and 'distinct_rows' are of a table; say how many 'rows' it has");
      return;
    }
    if (table.rows != std::floor(table.rows))
      fail(row.line, fmt::format("'rows' is a whole number, found {}", table.rows));
    if (layer.parameters.size() != 1)
      fail(row.line,
           fmt::format("a table with 'rows' has one parameter tensor, this layer has {}", layer.parameters.size()));
    ParameterTensor& tensor = layer.parameters.front();
    if (std::fmod(tensor.elements, table.rows) != 0 || tensor.elements < table.rows)
      fail(row.line, fmt::format("{:.0f} elements are no whole number of elements for each of {:.0f} rows; "
                                 "'parameters' is rows x elements of a row",
                                 tensor.elements, table.rows));
    if (table.lookups <= 0)
      fail(row.line, "a table needs 'lookups': rows that one sample looks up");
    if (table.distinct > table.rows)
      fail(row.line, fmt::format("a batch cannot touch {:.0f} distinct rows of {:.0f}", table.distinct, table.rows));
    tensor.table = table;
    layer.type = "embedding";
    layer.memory_elements += table.lookups * tensor.row_elements();
  }

  Layer layer(const CsvTable::Row& row, int index) const
  {
    Layer result;
    result.name = table_.cell(row, "name");
    if (result.name.empty())
      result.name = fmt::format("layer {}", index);
    result.type = "layer";
    std::istringstream tensors{table_.cell(row, "parameters")};
    for (std::string tensor; tensors >> tensor;)
      result.parameters.push_back(
          {fmt::format("{}.{}", result.name, result.parameters.size()), number(row, "parameters", tensor)});
    if (timed_) {
      result.forward_time = time(row, "forward");
      result.backward_time = time(row, "backward");
    } else {
      result.forward = Flops{number(row, "flop", table_.cell(row, "flop"))};
    }
    if (const std::string& elements = table_.cell(row, "activations"); !elements.empty())
      result.activation_elements = number(row, "activations", elements);
    result.memory_elements = 2 * result.activation_elements;
    read_table(row, result);
    if (index > 0)
      result.inputs = {index - 1};
    return result;
  }

  const CsvTable& table_;
  bool file_; // else a list in a scenario
  bool timed_ = false;
};

class LayersCsv final : public DnnFile
{
public:
  Dnn read(const std::string& path) const override
  {
    try {
      const CsvTable table = read_csv(path);
      return LayerTable{table, true}.read();
    } catch (const InputError& error) {
      const Diagnostic& fault = error.diagnostics().front();
      throw std::invalid_argument{fault.where.file.empty() ? fault.message
                                  : fault.where.line > 0
                                      ? fmt::format("{}:{}: {}", fault.where.file, fault.where.line, fault.message)
                                      : fmt::format("{}: {}", fault.where.file, fault.message)};
    }
  }
};

TY_REGISTER(DnnFile, LayersCsv, ".csv", "table of layers: parameters, and times or flop");

} // namespace

Dnn dnn_of_layers(const std::string& csv, const std::string& name)
{
  const CsvTable table = parse_csv(csv, name);
  return LayerTable{table, false}.read();
}

} // namespace trainyard
