package io.howdah.jmh.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.jmh.ycsb.Wire.WrongReplyException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class WireTest {

  private static final int NUMBER = 7;

  private final KeySpace space = new KeySpace(10, KeySpace.Form.TWENTY_BYTES);
  private final Values values = new Values(16);
  private final byte[] out = new byte[1 << 10];

  private String written(int end) {
    return new String(out, 0, end, StandardCharsets.ISO_8859_1);
  }

  private String value() {
    byte[] bytes = new byte[16];
    values.write(NUMBER, 3, bytes, 0);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Every beginning of a reply is incomplete, the whole ends where it ends. */
  private static void checkRead(Wire wire, String reply, int valueBegin) {
    byte[] in = bytes(reply + "garbage");
    for (int end = 0; end < reply.length(); end++) {
      assertThat(wire.getReplyEnd(NUMBER, in, 0, end)).as("%d bytes", end).isEqualTo(-1);
    }
    assertThat(wire.getReplyEnd(NUMBER, in, 0, in.length)).isEqualTo(reply.length());
    assertThat(wire.valueBegin()).isEqualTo(valueBegin);
  }

  @Test
  void memcachedsTextProtocol() {
    Wire wire = Protocol.MEMCACHED.wire(space, values);
    assertThat(written(wire.get(NUMBER, out, 0))).isEqualTo("get user0000000000000007\r\n");
    assertThat(written(wire.set(NUMBER, 3, out, 0)))
        .isEqualTo("set user0000000000000007 0 0 16\r\n" + value() + "\r\n");
    String line = "VALUE user0000000000000007 0 16\r\n";
    checkRead(wire, line + value() + "\r\nEND\r\n", line.length());
    checkRead(wire, "END\r\n", 0);
    assertThat(wire.setReplyEnd(NUMBER, bytes("STORED\r\n"), 0, 8)).isEqualTo(8);
    assertThat(wire.setReplyEnd(NUMBER, bytes("STORED\r\n"), 0, 7)).isEqualTo(-1);
    assertThatThrownBy(() -> wire.setReplyEnd(NUMBER, bytes("EXISTS\r\n"), 0, 8))
        .isInstanceOf(WrongReplyException.class);
    byte[] other = bytes("VALUE user0000000000000008 0 16\r\n");
    assertThatThrownBy(() -> wire.getReplyEnd(NUMBER, other, 0, other.length))
        .isInstanceOf(WrongReplyException.class);
    byte[] longer = bytes("VALUE user0000000000000007 0 17\r\n");
    assertThatThrownBy(() -> wire.getReplyEnd(NUMBER, longer, 0, longer.length))
        .isInstanceOf(WrongReplyException.class);
  }

  @Test
  void redisProtocol() {
    Wire wire = Protocol.REDIS.wire(space, values);
    assertThat(written(wire.get(NUMBER, out, 0)))
        .isEqualTo("*2\r\n$3\r\nGET\r\n$20\r\nuser0000000000000007\r\n");
    assertThat(written(wire.set(NUMBER, 3, out, 0)))
        .isEqualTo("*3\r\n$3\r\nSET\r\n$20\r\nuser0000000000000007\r\n$16\r\n" + value() + "\r\n");
    checkRead(wire, "$16\r\n" + value() + "\r\n", 5);
    checkRead(wire, "$-1\r\n", 0);
    assertThat(wire.setReplyEnd(NUMBER, bytes("+OK\r\n"), 0, 5)).isEqualTo(5);
    assertThatThrownBy(() -> wire.setReplyEnd(NUMBER, bytes("-OOM\r\n"), 0, 6))
        .isInstanceOf(WrongReplyException.class);
    assertThatThrownBy(() -> wire.getReplyEnd(NUMBER, bytes("$17\r\n"), 0, 5))
        .isInstanceOf(WrongReplyException.class);
  }
}
