// Clients of others against our broker: mosquitto_pub and mosquitto_sub, and the Paho C library.
#include "support/child.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/broker/broker.hpp>

#if __has_include(<MQTTAsync.h>)
#include <MQTTAsync.h>
#define TROUPE_TEST_HAS_PAHO
#endif

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using test::child;

struct interop_test : testing::Test {
  stage where{}; // one shard: who is counted as a subscriber is known to all
  broker our{where};
  std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
  std::string port = endpoint.substr(endpoint.rfind(':') + 1);

  /// "mosquitto_sub" and so on, with everything said that every one of them is told.
  std::vector<std::string> tool(const char* name, const char* version, std::vector<std::string> more) const {
    std::vector<std::string> all{name, "-p", port, "-V", version};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void await_subscriptions(std::uint64_t count) const {
    while (our.statistics().subscriptions < count) std::this_thread::yield(); // or the test's time is over
  }
};

constexpr const char* versions[] = {"mqttv311", "mqttv5"};

TEST_F(interop_test, mosquitto_clients_talk_in_both_versions_and_all_qualities) {
  for (const char* subscriber : versions) {
    for (const char* publisher : versions) {
      for (const char* quality : {"0", "1", "2"}) {
        child sub{
            tool("mosquitto_sub", subscriber, {"-t", "a/+", "-q", "2", "-C", "1", "-F", "%q %r %t %p"})};
        await_subscriptions(1);
        child pub{tool("mosquitto_pub", publisher, {"-t", "a/b", "-q", quality, "-m", "hello"})};
        EXPECT_EQ(sub.line(), std::string{quality} + " 0 a/b hello") << subscriber << ' ' << publisher;
        EXPECT_EQ(pub.exit_status(), 0);
        EXPECT_EQ(sub.exit_status(), 0);
        while (our.statistics().sessions != 0) std::this_thread::yield();
      }
    }
  }
}

TEST_F(interop_test, mosquitto_clients_get_and_clear_retained_messages) {
  for (const char* version : versions) {
    EXPECT_EQ(
        child(tool("mosquitto_pub", version, {"-t", "r/1", "-r", "-q", "1", "-m", "kept"})).exit_status(), 0);
    EXPECT_EQ(
        child(tool("mosquitto_pub", version, {"-t", "r/2", "-r", "-q", "2", "-m", "too"})).exit_status(), 0);
    child sub{tool("mosquitto_sub", version, {"-t", "r/#", "-q", "1", "-C", "2", "-F", "%r %t %p"})};
    EXPECT_EQ(sub.output(), "1 r/1 kept\n1 r/2 too\n");
    for (const char* topic : {"r/1", "r/2"})
      EXPECT_EQ(child(tool("mosquitto_pub", version, {"-t", topic, "-r", "-q", "1", "-n"})).exit_status(), 0);
    while (our.statistics().retained_messages != 0) std::this_thread::yield();
  }
}

TEST_F(interop_test, mosquitto_clients_carry_a_megabyte) {
  const test::scratch_file file{"large"};
  std::string large(1U << 20U, 'x');
  for (std::size_t at = 0; at < large.size(); at += 100) large[at] = static_cast<char>('a' + at / 100 % 26);
  std::ofstream{file.path(), std::ios::binary} << large;
  for (const char* version : versions) {
    for (const char* quality : {"0", "1", "2"}) {
      child sub{tool("mosquitto_sub", version, {"-t", "large", "-q", "2", "-C", "1", "-N"})};
      await_subscriptions(1);
      child pub{tool("mosquitto_pub", version, {"-t", "large", "-q", quality, "-f", file.path()})};
      EXPECT_TRUE(sub.output() == large) << version << ' ' << quality;
      EXPECT_EQ(pub.exit_status(), 0);
      EXPECT_EQ(sub.exit_status(), 0);
      while (our.statistics().sessions != 0) std::this_thread::yield();
    }
  }
}

TEST_F(interop_test, mosquitto_sub_resumes_its_session) {
  for (const char* version : versions) {
    std::vector<std::string> who{"-t", "s", "-q", "1", "-i", "resumer", "-c", "-C", "1"};
    if (version == versions[1]) who.insert(who.end(), {"-x", "60"});
    child first{tool("mosquitto_sub", version, who)};
    await_subscriptions(1);
    child{tool("mosquitto_pub", version, {"-t", "s", "-q", "1", "-m", "one"})}.exit_status();
    EXPECT_EQ(first.output(), "one\n");
    EXPECT_EQ(first.exit_status(), 0);
    while (our.statistics().connections != 0) std::this_thread::yield();
    child{tool("mosquitto_pub", version, {"-t", "s", "-q", "1", "-m", "two"})}.exit_status();
    child second{tool("mosquitto_sub", version, who)};
    EXPECT_EQ(second.output(), "two\n");
    EXPECT_EQ(second.exit_status(), 0);
    child{tool("mosquitto_sub", version, {"-t", "s", "-i", "resumer", "-E"})}.exit_status(); // a clean start
    while (our.statistics().sessions != 0) std::this_thread::yield(); // its subscription counts until then
  }
}

TEST_F(interop_test, the_program_listens_and_stops) {
  child program{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0"}};
  ASSERT_TRUE(program.is_started());
  const std::string ready = program.line();
  ASSERT_TRUE(ready.starts_with("listening on mqtt://127.0.0.1:")) << ready;
  const std::string its_port = ready.substr(ready.rfind(':') + 1);
  child pub{{"mosquitto_pub", "-p", its_port, "-t", "t", "-q", "2", "-m", "x"}};
  EXPECT_EQ(pub.exit_status(), 0);
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_status(), 0);
  child wrong{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--no-such-option"}};
  EXPECT_EQ(wrong.exit_status(), 2);
  child blocked{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", port}};
  EXPECT_EQ(blocked.exit_status(), 1);
}

#ifdef TROUPE_TEST_HAS_PAHO

/// The Paho C client, made to wait for its answers.
class paho {
public:
  paho(const std::string& endpoint, const char* id, bool is_v5) : is_v5_{is_v5} {
    MQTTAsync_createOptions how = MQTTAsync_createOptions_initializer;
    how.MQTTVersion = is_v5 ? MQTTVERSION_5 : MQTTVERSION_3_1_1;
    const std::string url = "tcp" + endpoint.substr(endpoint.find(':'));
    MQTTAsync_createWithOptions(&client_, url.c_str(), id, MQTTCLIENT_PERSISTENCE_NONE, nullptr, &how);
    MQTTAsync_setMessageArrivedCallback(client_, this, arrived);
  }
  ~paho() { MQTTAsync_destroy(&client_); }

  bool connect() {
    MQTTAsync_connectOptions three = MQTTAsync_connectOptions_initializer;
    MQTTAsync_connectOptions five = MQTTAsync_connectOptions_initializer5;
    MQTTAsync_connectOptions& how = is_v5_ ? five : three;
    how.MQTTVersion = is_v5_ ? MQTTVERSION_5 : MQTTVERSION_3_1_1;
    how.context = this;
    if (is_v5_) {
      how.cleanstart = 1;
      how.onSuccess5 = done5;
      how.onFailure5 = failed5;
    } else {
      how.cleansession = 1;
      how.onSuccess = done;
      how.onFailure = failed;
    }
    return MQTTAsync_connect(client_, &how) == MQTTASYNC_SUCCESS && await();
  }
  bool subscribe(const char* filter, int quality) {
    MQTTAsync_responseOptions how = answer();
    return MQTTAsync_subscribe(client_, filter, quality, &how) == MQTTASYNC_SUCCESS && await();
  }
  bool publish(const char* topic, const std::string& payload, int quality, bool retain = false) {
    MQTTAsync_responseOptions how = answer();
    return MQTTAsync_send(client_, topic, static_cast<int>(payload.size()), payload.data(), quality,
                          retain ? 1 : 0, &how)
               == MQTTASYNC_SUCCESS
           && await();
  }
  bool disconnect() {
    MQTTAsync_disconnectOptions how = MQTTAsync_disconnectOptions_initializer;
    how.context = this;
    if (is_v5_)
      how.onSuccess5 = done5;
    else
      how.onSuccess = done;
    return MQTTAsync_disconnect(client_, &how) == MQTTASYNC_SUCCESS && await();
  }
  struct heard {
    std::string topic, payload;
    int quality;
    bool retain;
  };
  heard next() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{30}, [this] { return !heard_.empty(); })) return {};
    heard one = std::move(heard_.front());
    heard_.erase(heard_.begin());
    return one;
  }

private:
  MQTTAsync_responseOptions answer() {
    MQTTAsync_responseOptions how = MQTTAsync_responseOptions_initializer;
    how.context = this;
    if (is_v5_) {
      how.onSuccess5 = done5;
      how.onFailure5 = failed5;
    } else {
      how.onSuccess = done;
      how.onFailure = failed;
    }
    return how;
  }
  bool await() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{30}, [this] { return state_ != 0; })) return false;
    return std::exchange(state_, 0) == 1;
  }
  void end(int how) {
    const std::lock_guard lock{mutex_};
    state_ = how;
    changed_.notify_all();
  }
  static void done(void* self, MQTTAsync_successData*) { static_cast<paho*>(self)->end(1); }
  static void done5(void* self, MQTTAsync_successData5*) { static_cast<paho*>(self)->end(1); }
  static void failed(void* self, MQTTAsync_failureData*) { static_cast<paho*>(self)->end(2); }
  static void failed5(void* self, MQTTAsync_failureData5*) { static_cast<paho*>(self)->end(2); }
  static int arrived(void* self, char* topic, int, MQTTAsync_message* what) {
    auto& me = *static_cast<paho*>(self);
    {
      const std::lock_guard lock{me.mutex_};
      me.heard_.push_back(
          {topic,
           {static_cast<const char*>(what->payload), static_cast<std::size_t>(what->payloadlen)},
           what->qos,
           what->retained != 0});
      me.changed_.notify_all();
    }
    MQTTAsync_freeMessage(&what);
    MQTTAsync_free(topic);
    return 1;
  }

  bool is_v5_;
  MQTTAsync client_ = nullptr;
  std::mutex mutex_{};
  std::condition_variable changed_{};
  int state_ = 0;              // under mutex_: 0 = waits, 1 = done, 2 = failed
  std::vector<heard> heard_{}; // under mutex_
};

TEST_F(interop_test, paho_talks_in_both_versions_and_all_qualities) {
  for (const bool is_v5 : {false, true}) {
    paho client{endpoint, "paho", is_v5};
    ASSERT_TRUE(client.connect());
    ASSERT_TRUE(client.subscribe("p/#", 2));
    const std::string large(1U << 20U, 'x');
    for (int quality = 0; quality <= 2; ++quality) {
      for (const std::string& payload : {std::string{"hello"}, large}) {
        ASSERT_TRUE(client.publish("p/1", payload, quality));
        const auto got = client.next();
        EXPECT_EQ(got.topic, "p/1");
        EXPECT_TRUE(got.payload == payload);
        EXPECT_EQ(got.quality, quality);
        EXPECT_FALSE(got.retain);
      }
    }
    ASSERT_TRUE(client.publish("p/kept", "kept", 1, true));
    EXPECT_FALSE(client.next().retain);
    paho late{endpoint, "late", is_v5};
    ASSERT_TRUE(late.connect());
    ASSERT_TRUE(late.subscribe("+/kept", 1));
    EXPECT_TRUE(late.next().retain);
    ASSERT_TRUE(client.publish("p/kept", "", 1, true));
    EXPECT_TRUE(late.disconnect());
    EXPECT_TRUE(client.disconnect());
  }
  EXPECT_EQ(our.statistics().messages_dropped, 0U);
}

#endif

} // namespace
} // namespace troupe
