// settled_tray: deliveries that handlers are done with, on their way back to the session.
//
// Lives here: settled_delivery, settled_tray. The one step back on the way up; it has no order (the machine
//          acknowledges in the order of arrival), so any number of subscribers put into one tray.
// Threads: put: anybody; take: the session.
// Costs:   one allocation and one atomic step per run of a handler that settles something.
#pragma once

#include "return_stack.hpp"

#include "../protocol/reason_code.hpp"
#include "../protocol/receipts.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace troupe::actors {

struct settled_delivery {
  protocol::delivery_tag tag{};
  protocol::reason_code reason = protocol::reason_code::success;
};

class settled_tray {
public:
  using list = std::vector<settled_delivery>;

  settled_tray() = default;
  settled_tray(const settled_tray&) = delete;
  settled_tray& operator=(const settled_tray&) = delete;
  ~settled_tray() {
    take([](const settled_delivery&) {});
  }

  void put(list&& settled) { stack_.push(*new sheet{std::move(settled), nullptr}); }
  template <class F>
  void take(F f) {
    if (stack_.is_empty()) return;
    for (sheet* top = stack_.take(); top != nullptr;) {
      const std::unique_ptr<sheet> mine{top};
      for (const settled_delivery& each : mine->settled) f(each);
      top = mine->next;
    }
  }

private:
  struct sheet {
    list settled;
    sheet* next;
  };
  return_stack<sheet> stack_;
};

} // namespace troupe::actors
