#include "models/import/input_file.hpp"

#include "models/core/diagnostics.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
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

InputFile::InputFile(std::filesystem::path path, InputLimits limits) : path_{std::move(path)}, name_{path_.string()}, limits_{limits}
{
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (error || !std::filesystem::exists(status))
    throw fault(name_, "there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw fault(name_, "is no plain file");
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

void InputFile::unfold(std::uint64_t limit, const std::function<bool(std::string_view)>& piece) const
{
  errno = 0;
  const std::unique_ptr<gzFile_s, Closer> file{gzopen(path_.c_str(), "rb")}; // reads plain files as they are
  if (!file)
    throw fault(name_, fmt::format("cannot be opened: {}", errno == 0 ? "out of memory" : std::strerror(errno)));
  static_cast<void>(gzbuffer(file.get(), 128U << 10U));
  std::vector<char> buffer(piece_bytes);
  std::uint64_t total = 0;
  for (;;) {
    const int got = gzread(file.get(), buffer.data(), piece_bytes);
    if (got < 0) {
      int number = 0;
      const char* text = gzerror(file.get(), &number);
      throw fault(name_, number == Z_ERRNO ? fmt::format("cannot be read: {}", std::strerror(errno))
                                           : fmt::format("the gzip data are damaged: {}", text == nullptr ? "unknown" : text));
    }
    if (got == 0) {
      int number = 0;
      static_cast<void>(gzerror(file.get(), &number));
      if (number == Z_BUF_ERROR)
        throw fault(name_, "the gzip data break off; the file was cut short");
      return;
    }
    total += static_cast<std::uint64_t>(got);
    if (total > limit)
      throw fault(name_, fmt::format("is larger than {} MiB{}; take a part of it", limit >> 20U,
                                     gzdirect(file.get()) != 0 ? "" : " when unfolded"));
    if (gzdirect(file.get()) == 0 && total > limits_.ratio_from) {
      const double packed = static_cast<double>(std::max<z_off_t>(gzoffset(file.get()), 1));
      if (static_cast<double>(total) > limits_.ratio * packed)
        throw fault(name_, fmt::format("unfolds to more than {:.0f} times its size, which no trace does; unpack it yourself if it is right",
                                       limits_.ratio));
    }
    if (!piece({buffer.data(), static_cast<std::size_t>(got)}))
      return;
  }
}

} // namespace trainyard
