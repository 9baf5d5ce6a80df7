// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// How much of a file is taken. A gzip file that unpacks to more than `ratio` times its size (once it is above
/// `ratio_from`) is refused: it is a bomb, not a trace; JSON traces compress 10 to 40 times.
struct InputLimits {
  std::uint64_t whole = 256ULL << 20U; // of a file that is read into memory
  std::uint64_t stream = 4ULL << 30U;  // of a file that is read piece by piece
  std::uint64_t ratio_from = 16U << 20U;
  double ratio = 200;
};

/// A file to import; gzip is unpacked while reading, whatever the name of the file.
class InputFile
{
public:
  /// Reads the head. Throws InputError naming the file and the reason (missing, folder, no right, empty).
  explicit InputFile(std::filesystem::path path, InputLimits limits = {});
  /// A text in memory, for tests.
  InputFile(std::string name, std::string text);

  const std::filesystem::path& path() const { return path_; }
  /// The name in the report: the path as given.
  const std::string& name() const { return name_; }
  /// The first 64 kB, unpacked.
  std::string_view head() const { return head_; }
  /// Whether that has the text somewhere.
  bool has(std::string_view text) const { return head().find(text) != std::string_view::npos; }
  /// All of it. Throws InputError where it is larger than the limits, or its gzip data are damaged.
  std::string text() const;
  /// Piece by piece, for files that are too large for memory. @p piece returns false to stop. Throws as text().
  void read(const std::function<bool(std::string_view)>& piece) const;
  /// A stream of it, for parsers that pull; errors are thrown as in text() while it is read.
  std::unique_ptr<std::istream> stream() const;

private:
  void unfold(std::uint64_t limit, const std::function<bool(std::string_view)>& piece) const;

  std::filesystem::path path_;
  std::string name_;
  std::string head_;
  std::string memory_;
  bool in_memory_ = false;
  InputLimits limits_;
};

} // namespace trainyard
