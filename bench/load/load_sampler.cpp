#include "load_sampler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace troupe::bench {
namespace {

double seconds_of(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void add(load_result& result, const std::string& name, const histogram& values) {
  if (values.count() == 0) return;
  for (load_latency& each : result.latencies) {
    if (each.name != name) continue;
    each.values.merge(values);
    return;
  }
  load_latency& fresh = result.latencies.emplace_back();
  fresh.name = name;
  fresh.values.merge(values);
}

double per_second(std::uint64_t count, double time) noexcept {
  return time > 0 ? static_cast<double>(count) / time : 0;
}

} // namespace

own_usage look_at_own_usage() {
  own_usage result;
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0)
    result.processor_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t size = 0;
  std::uint64_t pages = 0;
  if (file >> size >> pages) result.resident = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return result;
}

load_sampler::load_sampler(load_meter& meter) : meter_{meter} {}

load_sampler::counts load_sampler::look() const noexcept {
  return {now_ns(), meter_.sent.load(std::memory_order_relaxed),
          meter_.acknowledged.load(std::memory_order_relaxed),
          meter_.received.load(std::memory_order_relaxed)};
}

double load_sampler::seconds() const noexcept {
  return first_.time == 0 ? 0 : static_cast<double>(now_ns() - first_.time) / 1e9;
}

void load_sampler::begin() {
  usage_ = look_at_own_usage();
  first_ = last_ = look();
  meter_.measure_from(first_.time);
}

void load_sampler::cut() {
  const counts now = look();
  const double time = static_cast<double>(now.time - last_.time) / 1e9;
  if (time <= 0) return;
  load_slice& slice = slices_.emplace_back();
  slice.end = static_cast<double>(now.time - first_.time) / 1e9;
  slice.sent = per_second(now.sent - last_.sent, time);
  slice.acked = per_second(now.acked - last_.acked, time);
  slice.received = per_second(now.received - last_.received, time);
  const histogram arrived = meter_.end_to_end.corrected.take();
  const histogram answered = meter_.acknowledgement.corrected.take();
  const histogram& shown = arrived.count() != 0 ? arrived : answered;
  if (shown.count() != 0) {
    slice.p50 = static_cast<double>(shown.percentile(0.5).count());
    slice.p99 = static_cast<double>(shown.percentile(0.99).count());
  }
  end_to_end_.merge(arrived);
  acknowledgement_.merge(answered);
  last_ = now;
}

void load_sampler::end(load_result& result) {
  // A last slice much shorter than the others would say little.
  const double rest = static_cast<double>(now_ns() - last_.time) / 1e9;
  const double usual = slices_.empty() ? 0 : slices_.front().end;
  if (rest > usual / 2) cut();
  const counts now = look();
  meter_.measure_to(now.time);
  const double time = static_cast<double>(now.time - first_.time) / 1e9;
  result.measured = time;
  result.sent_rate = per_second(now.sent - first_.sent, time);
  result.acked_rate = per_second(now.acked - first_.acked, time);
  result.received_rate = per_second(now.received - first_.received, time);
  result.series = slices_;
  const own_usage used = look_at_own_usage();
  if (time > 0) result.processor_share = (used.processor_seconds - usage_.processor_seconds) / time;
  result.resident = used.resident;
}

void load_sampler::collect_latecomers(load_result& result) {
  end_to_end_.merge(meter_.end_to_end.corrected.take());
  acknowledgement_.merge(meter_.acknowledgement.corrected.take());
  add(result, "e2e", end_to_end_);
  add(result, "e2e.uncorrected", meter_.end_to_end.uncorrected.take());
  add(result, "ack", acknowledgement_);
  add(result, "ack.uncorrected", meter_.acknowledgement.uncorrected.take());
  add(result, "lag", meter_.lag.take());
  add(result, "reconnect", meter_.reconnect.take());
  add(result, "stored.first", meter_.first_stored.take());
  add(result, "stored.all", meter_.all_stored.take());
  add(result, "slow.e2e", meter_.slow_end_to_end.take());
}

} // namespace troupe::bench
