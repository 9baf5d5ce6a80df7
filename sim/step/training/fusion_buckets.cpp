// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

namespace trainyard {
namespace {

/// Buckets of fixed capacity filled in reverse layer order; a small first bucket starts the exchange early.
///
/// A tensor that passes the capacity closes the bucket it is in. Source: PyTorch DistributedDataParallel,
/// `bucket_cap_mb` = 25 MiB and a first bucket of 1 MiB (torch/csrc/distributed/c10d/reducer.hpp,
/// kDefaultFirstBucketBytes); Li et al., VLDB 13(12), 2020. Since PyTorch 2.5, a capacity that the user chose holds for
/// the first bucket, too (pull request 121640).
class Buckets final : public Fusion
{
public:
  explicit Buckets(const Settings& settings)
      : capacity_{settings.number("bucket_size", 25.0 * 1024 * 1024)},
        first_{settings.number("first_bucket_size", settings.has("bucket_size") ? capacity_.value() : 1024.0 * 1024)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    const char* source = "PyTorch DistributedDataParallel (reducer.hpp)";
    return {{"bucket_size", "bytes", "25 MiB", "size at which a bucket is closed", 1, 1e12, source},
            {"first_bucket_size", "bytes", "1 MiB; bucket_size, where that is given",
             "size at which the first bucket of a step is closed; before PyTorch 2.5 always 1 MiB", 1, 1e12, source}};
  }

  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate&) const override
  {
    std::vector<Bucket> result;
    Bytes bytes;
    for (std::size_t index = 0; index < gradients.size(); ++index) {
      bytes += gradients[index].bytes;
      if (bytes >= (result.empty() ? first_ : capacity_) || index + 1 == gradients.size()) {
        result.push_back({bytes, index, gradients[index].ready});
        bytes = {};
      }
    }
    return result;
  }

private:
  Bytes capacity_;
  Bytes first_;
};

TY_REGISTER(Fusion, Buckets, "buckets", "buckets of fixed capacity in reverse layer order (PyTorch DDP)");

} // namespace
} // namespace trainyard
