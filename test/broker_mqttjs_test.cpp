// MQTT.js, the client of the JavaScript world, at our broker's doors.
#include "support/child.hpp"

#include <troupe/broker/broker.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

using test::child;

/// Says what both clients see, one line each; ends with status 1 when anything is refused.
constexpr const char* conversation = R"(
const mqtt = require('mqtt')
const [, url, level] = process.argv
const open = options => new Promise((done, refused) => {
  const client = mqtt.connect(url, {protocolVersion: Number(level), reconnectPeriod: 0, ...options})
  client.seen = []
  client.wanted = []
  client.on('message', (topic, payload, packet) => {
    const one = {topic, payload, qos: packet.qos, retain: packet.retain}
    client.wanted.length ? client.wanted.shift()(one) : client.seen.push(one)
  })
  client.on('connect', () => done(client))
  client.on('error', refused)
})
const ask = (client, what, ...rest) => new Promise((done, refused) =>
  client[what](...rest, (error, answer) => error ? refused(error) : done(answer)))
const next = client => client.seen.length ? client.seen.shift() : new Promise(done => client.wanted.push(done))
const tell = one => console.log(one.topic, one.qos, one.retain, one.payload.length > 99
  ? one.payload.equals(large) : one.payload.toString())
const large = Buffer.alloc(1 << 20, 'the quick brown fox')
async function main() {
  const reader = await open({clientId: 'reader'})
  const writer = await open({clientId: 'writer'})
  const granted = await ask(reader, 'subscribe', {'a/+/c': {qos: 2}, 'will/#': {qos: 1}, 'low': {qos: 0}})
  console.log(granted.map(one => one.topic + ' ' + one.qos).join(', '))
  for (const qos of [0, 1, 2])
    for (const payload of ['hello', large]) {
      await ask(writer, 'publish', 'a/' + qos + '/c', payload, {qos})
      tell(await next(reader))
    }
  await ask(writer, 'publish', 'a/b/d', 'nobody wants it', {qos: 1})
  await ask(writer, 'publish', 'low', 'lowered', {qos: 2})
  tell(await next(reader))
  await ask(writer, 'publish', 'kept/1', 'kept', {qos: 1, retain: true})
  await ask(reader, 'subscribe', 'kept/#', {qos: 2})
  tell(await next(reader))
  await ask(writer, 'publish', 'kept/1', '', {qos: 1, retain: true})
  tell(await next(reader))
  const mortal = await open({clientId: 'mortal', will: {topic: 'will/1', payload: 'gone', qos: 1}})
  mortal.end(true) // without a DISCONNECT
  tell(await next(reader))
  await ask(reader, 'unsubscribe', 'a/+/c')
  await ask(writer, 'publish', 'a/1/c', 'too late', {qos: 1})
  await ask(reader, 'end')
  await ask(writer, 'end')
  console.log('over', reader.seen.length)
}
main().catch(why => { console.log(String(why)); process.exit(1) })
)";

constexpr const char* expected = R"(a/+/c 2, will/# 1, low 0
a/0/c 0 false hello
a/0/c 0 false true
a/1/c 1 false hello
a/1/c 1 false true
a/2/c 2 false hello
a/2/c 2 false true
low 0 false lowered
kept/1 1 true kept
kept/1 1 false 
will/1 1 false gone
over 0
)";

/// `program` run by node, which finds Debian's modules wherever it comes from itself.
child node(const char* program, std::vector<std::string> more) {
  std::vector<std::string> all{"env", "NODE_PATH=/usr/share/nodejs", "node", "-e", program, "--"};
  all.insert(all.end(), more.begin(), more.end());
  return child{std::move(all)};
}

struct mqttjs_test : testing::Test {
  stage where{};
  broker our{where};
};

TEST_F(mqttjs_test, talks_in_both_versions_over_tcp_and_websocket) {
  for (const char* door : {"mqtt://127.0.0.1:0", "ws://127.0.0.1:0/mqtt"}) {
    const auto endpoint = our.listen(door);
    ASSERT_TRUE(endpoint) << door;
    for (const char* level : {"4", "5"}) {
      child talk = node(conversation, {*endpoint, level});
      EXPECT_EQ(talk.output(), expected) << door << ' ' << level;
      EXPECT_EQ(talk.exit_status(), 0);
    }
  }
  EXPECT_EQ(our.statistics().retained_messages, 0U);
  EXPECT_EQ(our.statistics().messages_dropped, 0U);
}

/// A session that is resumed, with what came meanwhile.
constexpr const char* resumption = R"(
const mqtt = require('mqtt')
const [, url, level] = process.argv
const options = {clientId: 'resumer', clean: false, protocolVersion: Number(level), reconnectPeriod: 0,
                 properties: level === '5' ? {sessionExpiryInterval: 60} : undefined}
const first = mqtt.connect(url, options)
first.on('connect', before => first.subscribe('s', {qos: 2}, () => first.end(false, () => {
  const other = mqtt.connect(url, {protocolVersion: Number(level), reconnectPeriod: 0})
  other.publish('s', 'one', {qos: 1}, () => other.publish('s', 'two', {qos: 2}, () => other.end(false, () => {
    const again = mqtt.connect(url, options)
    again.on('connect', after => console.log(before.sessionPresent, after.sessionPresent))
    again.on('message', (topic, payload, packet) => {
      console.log(topic, packet.qos, payload.toString())
      if (payload.toString() === 'two') again.end(false, () =>
        mqtt.connect(url, {...options, clean: true, properties: undefined}).on('connect', function () { this.end() }))
    })
  })))
})))
)";

TEST_F(mqttjs_test, resumes_its_session) {
  const auto endpoint = our.listen("mqtt://127.0.0.1:0");
  for (const char* level : {"4", "5"}) {
    child talk = node(resumption, {*endpoint, level});
    EXPECT_EQ(talk.output(), "false true\ns 1 one\ns 2 two\n") << level;
    EXPECT_EQ(talk.exit_status(), 0);
  }
}

} // namespace
} // namespace troupe
