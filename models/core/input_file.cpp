// SPDX-License-Identifier: Apache-2.0
#include "models/core/input_file.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <streambuf>
#include <system_error>
#include <vector>
#include <zlib.h>

namespace trainyard {
namespace {

constexpr std::size_t head_bytes = 64U << 10U;
constexpr unsigned piece_bytes = 256U << 10U;

struct Closer {
  void operator()(gzFile_s* file) const { static_cast<void>(gzclose_r(file)); }
};

InputError fault(const std::string& name, const std::string& message)
{
  return InputError{fmt::format("'{}': {}", name, message)};
}

} // namespace

InputFile::InputFile(std::filesystem::path path, InputLimits limits)
    : path_{std::move(path)}, name_{path_.string()}, limits_{limits}
{
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (error || !std::filesystem::exists(status))
    throw fault(name_, "does not exist");
  check_regular_file(path_, limits_.stream);
  unfold(limits_.stream, [&](std::string_view piece) {
    head_ += piece.substr(0, head_bytes - head_.size());
    return head_.size() < head_bytes;
  });
  if (head_.empty())
    throw fault(name_, "the file is empty");
}

InputFile::InputFile(std::string name, std::string text)
    : path_{name}, name_{std::move(name)}, head_{text.substr(0, head_bytes)}, memory_{std::move(text)}, in_memory_{true}
{
}

std::string InputFile::text() const
{
  if (in_memory_)
    return memory_;
  std::string all;
  unfold(limits_.whole, [&](std::string_view piece) {
    all += piece;
    return true;
  });
  return all;
}

void InputFile::read(const std::function<bool(std::string_view)>& piece) const
{
  if (in_memory_)
    static_cast<void>(piece(memory_));
  else
    unfold(limits_.stream, piece);
}

namespace {

/// Reads a file, gzip or plain, piece by piece, and watches the limits.
class Unfolder
{
public:
  Unfolder(const std::filesystem::path& path, std::string name, InputLimits limits, std::uint64_t limit)
      : name_{std::move(name)}, limits_{limits}, limit_{limit}, buffer_(piece_bytes)
  {
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb")); // reads plain files as they are
    if (!file_)
      throw fault(name_, fmt::format("cannot be opened: {}", errno == 0 ? "out of memory" : std::strerror(errno)));
    static_cast<void>(gzbuffer(file_.get(), 128U << 10U));
  }

  /// The next piece; empty at the end.
  std::string_view next()
  {
    const int got = gzread(file_.get(), buffer_.data(), piece_bytes);
    int number = 0;
    const char* text = got <= 0 ? gzerror(file_.get(), &number) : nullptr;
    if (got < 0)
      throw fault(name_, number == Z_ERRNO
                             ? fmt::format("cannot be read: {}", std::strerror(errno))
                             : fmt::format("the gzip data are damaged: {}", text == nullptr ? "unknown" : text));
    if (got == 0 && number == Z_BUF_ERROR)
      throw fault(name_, "the gzip data end too early; the file is cut off");
    total_ += static_cast<std::uint64_t>(got);
    const bool packed = gzdirect(file_.get()) == 0;
    if (total_ > limit_)
      throw fault(name_, fmt::format("is larger than {} MiB{}; import a part of it", limit_ >> 20U,
                                     packed ? " when unfolded" : ""));
    if (packed && total_ > limits_.ratio_from &&
        static_cast<double>(total_) > limits_.ratio * static_cast<double>(std::max<z_off_t>(gzoffset(file_.get()), 1)))
      throw fault(name_, fmt::format("unpacks to more than {:.0f} times its size, which is more than any trace; unpack "
                                     "it yourself if it is correct",
                                     limits_.ratio));
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

  char* data() { return buffer_.data(); }

private:
  std::string name_;
  InputLimits limits_;
  std::uint64_t limit_;
  std::uint64_t total_ = 0;
  std::vector<char> buffer_;
  std::unique_ptr<gzFile_s, Closer> file_;
};

class UnfoldBuffer final : public std::streambuf
{
public:
  explicit UnfoldBuffer(Unfolder unfolder) : unfolder_{std::move(unfolder)} {}

protected:
  int_type underflow() override
  {
    const std::string_view piece = unfolder_.next();
    if (piece.empty())
      return traits_type::eof();
    setg(unfolder_.data(), unfolder_.data(), unfolder_.data() + piece.size());
    return traits_type::to_int_type(*gptr());
  }

private:
  Unfolder unfolder_;
};

class UnfoldStream final : public std::istream
{
public:
  explicit UnfoldStream(Unfolder unfolder) : std::istream{nullptr}, buffer_{std::move(unfolder)}
  {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit); // what underflow throws goes on to the caller
  }

private:
  UnfoldBuffer buffer_;
};

} // namespace

std::unique_ptr<std::istream> InputFile::stream() const
{
  if (in_memory_)
    return std::make_unique<std::istringstream>(memory_);
  return std::make_unique<UnfoldStream>(Unfolder{path_, name_, limits_, limits_.stream});
}

void InputFile::unfold(std::uint64_t limit, const std::function<bool(std::string_view)>& piece) const
{
  Unfolder unfolder{path_, name_, limits_, limit};
  for (std::string_view part = unfolder.next(); !part.empty(); part = unfolder.next())
    if (!piece(part))
      return;
}

} // namespace trainyard
