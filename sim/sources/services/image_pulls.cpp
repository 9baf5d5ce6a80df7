// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/image_pulls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard::orchestration {
namespace {

/// A rate in bytes/s; 0 means no limit.
double limit_of(BytesPerSecond rate)
{
  return rate.value() > 0 ? rate.value() : std::numeric_limits<double>::infinity();
}

} // namespace

int ImagePulls::number(const std::string& image)
{
  return numbers_.try_emplace(image, static_cast<int>(numbers_.size())).first->second;
}

void ImagePulls::put(int node, int image)
{
  machines_.change(node, [&](Machines::Machine& machine) {
    machine.images.push_back(image);
    std::ranges::sort(machine.images);
  });
}

std::optional<int> ImagePulls::missing(const ServiceSpec& service, int node)
{
  if (service.image.name.empty() || service.image.size <= Bytes{0})
    return std::nullopt;
  const int image = number(service.image.name);
  return std::ranges::binary_search(machines_.at(node).images, image) ? std::nullopt : std::optional{image};
}

void ImagePulls::pull(int number, int image)
{
  const Task& task = book_.task(number);
  carry();
  for (Pull& known : pulls_)
    if (known.node == task.share.node && known.image == image) {
      known.tasks.emplace_back(number, task.stamp);
      return;
    }
  Pull fresh;
  fresh.node = task.share.node;
  fresh.image = image;
  fresh.left = book_.service_of(task).image.size.value();
  fresh.tasks.emplace_back(number, task.stamp);
  pulls_.push_back(std::move(fresh));
  plan();
}

Instant ImagePulls::pull_alone(const ServiceSpec& service, int node)
{
  const std::optional<int> image = missing(service, node);
  if (!image)
    return agenda_.now();
  put(node, *image);
  const double rate = std::min(limit_of(input_.registry), limit_of(input_.node_pull));
  return agenda_.now() + Instant{Seconds{std::isfinite(rate) ? service.image.size.value() / rate : 0}};
}

/// What has come since the last change.
void ImagePulls::carry()
{
  const double seconds = (agenda_.now() - since_).value();
  since_ = agenda_.now();
  for (Pull& one : pulls_)
    if (std::isfinite(one.rate))
      one.left = std::max(0.0, one.left - one.rate * seconds);
}

/// New rates, and when the first pull is done.
void ImagePulls::plan()
{
  ++stamp_;
  if (pulls_.empty())
    return;
  std::map<int, int> on_node;
  for (const Pull& one : pulls_)
    ++on_node[one.node];
  std::vector<std::pair<double, Pull*>> caps;
  for (Pull& one : pulls_)
    caps.emplace_back(limit_of(input_.node_pull) / on_node[one.node], &one);
  std::ranges::stable_sort(caps, {}, &std::pair<double, Pull*>::first);
  double left = limit_of(input_.registry);
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < caps.size(); ++i) {
    Pull& one = *caps[i].second;
    one.rate = std::min(caps[i].first, left / static_cast<double>(caps.size() - i));
    left -= std::isfinite(left) ? one.rate : 0;
    first = std::min(first, std::isfinite(one.rate) ? one.left / one.rate : 0.0);
  }
  agenda_.plan(agenda_.now() + Seconds{first}, EventKind::pulled, 0, stamp_);
}

void ImagePulls::pulled(std::uint32_t stamp, const std::function<void(int task)>& there)
{
  if (stamp != stamp_)
    return;
  carry();
  std::vector<Pull> done;
  for (auto one = pulls_.begin(); one != pulls_.end();)
    if (!std::isfinite(one->rate) || one->left <= one->rate * 2e-9) {
      done.push_back(*one);
      one = pulls_.erase(one);
    } else {
      ++one;
    }
  plan();
  for (const Pull& one : done) {
    put(one.node, one.image);
    for (const auto& [task, task_stamp] : one.tasks)
      if (book_.task(task).stamp == task_stamp)
        there(task);
  }
}

void ImagePulls::drop(int node)
{
  carry();
  if (std::erase_if(pulls_, [&](const Pull& one) { return one.node == node; }) > 0)
    plan();
}

} // namespace trainyard::orchestration
