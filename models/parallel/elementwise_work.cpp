// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/elementwise_work.hpp"

namespace trainyard {

ElementwiseWork rms_norm_work(bool fused)
{
  if (fused)
    return {.forward = {4, 1}, .backward = {8, 1}};
  return {.forward = {6 + 8 + 4 + 8 + 6 + 4, 8},
          .backward = {4 + 6 + 2 + 6 + 8 + 12 + 4 + 4 + 8 + 8 + 12 + 12 + 6, 16}};
}

ElementwiseWork rms_norm_of_fp32_work()
{
  return {.forward = {6 + 6, 2}, .backward = {8 + 2 + 2 + 6, 2}};
}

ElementwiseWork rotary_work(bool fused)
{
  if (fused)
    return {.forward = {4, 2}, .backward = {4, 2}};
  return {.forward = {6 + 8 + 6, 6}, .backward = {6 + 8 + 6, 8}};
}

ElementwiseWork swiglu_work(bool fused)
{
  if (fused)
    return {.forward = {6, 1}, .backward = {10, 1}};
  return {.forward = {4 + 6, 2}, .backward = {6 + 6 + 6, 3}};
}

} // namespace trainyard
