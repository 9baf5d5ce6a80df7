// SPDX-License-Identifier: Apache-2.0
#include "calibrate/layer_products.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <map>

namespace trainyard::calibrate {
namespace {

constexpr int largest = 1 << 20;

/// The pieces between any of @p separators, without white space around them; no empty ones.
std::vector<std::string> pieces(std::string_view text, std::string_view separators)
{
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = piece.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
      continue;
    piece = piece.substr(first, piece.find_last_not_of(" \t\r") - first + 1);
    list.emplace_back(piece);
  }
  return list;
}

std::string without_comments(std::string_view text)
{
  std::string kept;
  bool comment = false;
  for (const char c : text) {
    comment = c != '\n' && (comment || c == '#');
    if (!comment)
      kept += c;
  }
  return kept;
}

} // namespace

std::string to_text(const ProductShape& shape)
{
  std::string text =
      std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + "x" + std::to_string(shape.depth);
  return shape.groups > 1 ? text + "x" + std::to_string(shape.groups) : text;
}

std::vector<ProductShape> read_shapes(std::string_view text, const std::string& place)
{
  std::vector<ProductShape> shapes;
  for (const std::string& piece : pieces(without_comments(text), ",\n")) {
    std::vector<int> sizes;
    for (const std::string& number : pieces(piece, "x"))
      sizes.push_back(as_number<int>(number).value_or(0));
    if (sizes.size() < 3 || sizes.size() > 4 ||
        std::ranges::any_of(sizes, [](int size) { return size < 1 || size > largest; }))
      throw InputError{place + ": '" + piece +
                       "' is no product; write rows x columns x depth, as 8192x1280x8192, and x4 "
                       "behind it for four in one call"};
    ProductShape shape{sizes[0], sizes[1], sizes[2], sizes.size() == 4 ? sizes[3] : 1};
    if (std::ranges::find(shapes, shape) == shapes.end())
      shapes.push_back(shape);
  }
  if (shapes.empty())
    throw InputError{place + ": there is no product in it; write rows x columns x depth, as 8192x1280x8192"};
  return shapes;
}

LayerSizes read_layer(std::string_view text)
{
  LayerSizes layer;
  int gated = 1;
  const std::map<std::string, int*> keys{
      {"hidden", &layer.hidden}, {"ffn", &layer.ffn}, {"heads", &layer.heads},     {"kv_heads", &layer.kv_heads},
      {"tokens", &layer.tokens}, {"tp", &layer.tp},   {"experts", &layer.experts}, {"gated", &gated}};
  for (const std::string& piece : pieces(text, ",")) {
    const std::size_t equals = std::min(piece.find('='), piece.size());
    const std::string key = piece.substr(0, equals);
    const auto found = keys.find(key);
    if (found == keys.end())
      throw InputError{"--layer: unknown key '" + key + "'" + did_you_mean(key, keys_of(keys)) +
                       "; write hidden=8192,ffn=28672,heads=64,kv_heads=8,tokens=8192,tp=8"};
    const std::optional<int> number = as_number<int>(piece.substr(std::min(equals + 1, piece.size())));
    if (!number || *number < (key == "gated" ? 0 : 1) || *number > (key == "gated" ? 1 : largest))
      throw InputError{"--layer: '" + piece + "' needs a whole number from " +
                       (key == "gated" ? "0 to 1" : "1 to " + std::to_string(largest))};
    *found->second = *number;
  }
  layer.gated = gated == 1;
  if (layer.hidden % layer.heads != 0)
    throw InputError{"--layer: hidden=" + std::to_string(layer.hidden) +
                     " is no multiple of heads=" + std::to_string(layer.heads)};
  if (layer.heads % layer.tp != 0 || layer.ffn % layer.tp != 0)
    throw InputError{"--layer: tp=" + std::to_string(layer.tp) +
                     " does not divide heads=" + std::to_string(layer.heads) + " and ffn=" + std::to_string(layer.ffn)};
  return layer;
}

std::vector<ProductShape> products_of(const LayerSizes& layer)
{
  const int head = layer.hidden / layer.heads;
  const int queries = layer.heads / layer.tp * head;
  const int keys_values = 2 * std::max(1, layer.kv_heads / layer.tp) * head;
  const int up = (layer.gated ? 2 : 1) * layer.ffn / layer.tp;
  const int down = layer.ffn / layer.tp;
  std::vector<ProductShape> list{{layer.tokens, queries + keys_values, layer.hidden},
                                 {layer.tokens, layer.hidden, queries},
                                 {layer.tokens, up, layer.hidden},
                                 {layer.tokens, layer.hidden, down}};
  if (layer.experts > 1) {
    const int rows = std::max(1, layer.tokens / layer.experts);
    list.push_back({rows, up, layer.hidden, layer.experts});
    list.push_back({rows, layer.hidden, down, layer.experts});
  }
  return list;
}

} // namespace trainyard::calibrate
