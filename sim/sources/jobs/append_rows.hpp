// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iterator>
#include <vector>

namespace trainyard {

/// Moves the rows of @p from to the end of @p to.
template <class Row>
void append(std::vector<Row>& to, std::vector<Row>& from)
{
  if (to.empty() && to.capacity() < from.size())
    to.swap(from); // there may be hundreds of thousands
  else
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace trainyard
