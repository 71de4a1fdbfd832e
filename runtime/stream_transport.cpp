#include "stream_transport.hpp"

#include "stream_pipe.hpp"

#include <utility>

namespace troupe::runtime {

namespace {

class stream_transport final : public transport {
public:
  explicit stream_transport(std::shared_ptr<stream_pipe> pipe) noexcept : pipe_{std::move(pipe)} {}
  ~stream_transport() override { pipe_->forget(); }

  void start(transport_sink& sink) override { pipe_->start(sink); }
  protocol::outbox& out() override { return pipe_->out(); }
  protocol::buffer_source& memory() noexcept override { return pipe_->memory(); }
  void flush_later() override { pipe_->flush_later(); }
  std::size_t backlog() const noexcept override { return pipe_->backlog(); }
  bool is_congested() const noexcept override { return pipe_->is_congested(); }
  void pause() override { pipe_->pause(); }
  void resume() override { pipe_->resume(); }
  void close() override { pipe_->close(); }
  void abort() override { pipe_->abort(); }
  std::string peer_name() const override { return pipe_->peer_name(); }
  std::string certified_name() const override { return pipe_->certified_name(); }

private:
  std::shared_ptr<stream_pipe> pipe_;
};

} // namespace

transport_ptr make_stream_transport(home& where, std::unique_ptr<octet_stream> stream,
                                    const transport_options& options) {
  return std::make_unique<stream_transport>(std::make_shared<stream_pipe>(where, std::move(stream), options));
}

} // namespace troupe::runtime
