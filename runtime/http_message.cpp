#include "http_message.hpp"

#include "web_error.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <string_view>

namespace troupe::runtime {

using protocol::octets;
using protocol::result;
namespace http = boost::beast::http;

namespace {

template <class Parser>
bool parse(Parser& parser, octets header) {
  parser.header_limit(static_cast<std::uint32_t>(largest_http_header));
  parser.skip(true);
  boost::system::error_code error;
  parser.put(boost::asio::const_buffer{header.data(), header.size()}, error);
  return !error && parser.is_header_done();
}

} // namespace

result<std::size_t> find_http_header(octets heard) noexcept {
  constexpr std::string_view end = "\r\n\r\n";
  // Whoever speaks something else is known by the first octet: requests and responses begin with a capital.
  if (!heard.empty() && (heard[0] < 'A' || heard[0] > 'Z')) return web_errc::not_http;
  const auto at = std::search(heard.begin(), heard.end(), end.begin(), end.end());
  const auto size = static_cast<std::size_t>(at - heard.begin());
  if (at == heard.end()) {
    if (size >= largest_http_header) return web_errc::header_too_long;
    return std::size_t{0};
  }
  if (size + end.size() > largest_http_header) return web_errc::header_too_long;
  return size + end.size();
}

result<http_request> read_http_request(octets header) {
  http::request_parser<http::empty_body> parser;
  if (!parse(parser, header)) return web_errc::not_http;
  return parser.release();
}

result<http_response> read_http_response(octets header) {
  http::response_parser<http::empty_body> parser;
  if (!parse(parser, header)) return web_errc::not_http;
  return parser.release();
}

} // namespace troupe::runtime
