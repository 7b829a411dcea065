package io.howdah.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Beside a stream of the JDK. */
final class ReplyTest {

  @Test
  void whatIsAppendedIsThereInOrderHoweverTheArrayHasGrown() throws IOException {
    Random random = new Random(4);
    for (int round = 0; round < 300; round++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream expected = new DataOutputStream(bytes);
      Reply reply = new Reply();
      for (int i = random.nextInt(400); i > 0; i--) {
        assertThat(append(random, reply, expected)).isSameAs(reply);
      }
      assertThat(reply.length()).isEqualTo(bytes.size());
      assertThat(Arrays.copyOf(reply.array(), reply.length())).isEqualTo(bytes.toByteArray());
      assertThat(reply).hasToString(bytes.toString(StandardCharsets.ISO_8859_1));
    }
  }

  private static Reply append(Random random, Reply reply, DataOutputStream expected)
      throws IOException {
    long number = random.nextLong() >> random.nextInt(Long.SIZE);
    return switch (random.nextInt(9)) {
      case 0 -> {
        expected.writeShort((int) number);
        yield reply.addInt16((int) number);
      }
      case 1 -> {
        expected.writeInt((int) number);
        yield reply.addInt32((int) number);
      }
      case 2 -> {
        expected.writeLong(number);
        yield reply.addInt64(number);
      }
      case 3 -> {
        expected.writeBytes(Long.toUnsignedString(number));
        yield reply.addUnsigned(number);
      }
      case 4 -> {
        expected.writeByte('x');
        yield reply.add('x');
      }
      case 5 -> {
        expected.writeBytes("\r\n");
        yield reply.endLine();
      }
      case 6 -> {
        expected.writeBytes("a text");
        yield reply.add("a text");
      }
      case 7 -> {
        byte[] part = new byte[random.nextInt(200)];
        random.nextBytes(part);
        expected.write(part);
        yield reply.add(part);
      }
      default -> {
        byte[] part = new byte[10];
        random.nextBytes(part);
        expected.write(part, 3, 5);
        yield reply.add(part, 3, 5);
      }
    };
  }

  @Test
  void powersOfTenAreWrittenWithAllTheirDigits() {
    for (long power = 1; ; power *= 10) {
      for (long number : new long[] {power - 1, power, -power}) {
        assertThat(new Reply().addUnsigned(number)).hasToString(Long.toUnsignedString(number));
      }
      if (power > Long.MAX_VALUE / 10) {
        break;
      }
    }
  }

  @Test
  void eachWayToAppendFillsTheArrayToItsEndAndGrowsThen() {
    for (int left = 0; left <= 21; left++) {
      byte[] start = new byte[new Reply().array().length - left];
      assertThat(new Reply().add(start).addInt16(1).length()).isEqualTo(start.length + 2);
      assertThat(new Reply().add(start).addInt32(1).length()).isEqualTo(start.length + 4);
      assertThat(new Reply().add(start).addInt64(1).length()).isEqualTo(start.length + 8);
      assertThat(new Reply().add(start).addUnsigned(-1).length()).isEqualTo(start.length + 20);
      assertThat(new Reply().add(start).endLine().length()).isEqualTo(start.length + 2);
      assertThat(new Reply().add(start).add("text").length()).isEqualTo(start.length + 4);
      assertThat(new Reply().add(start).add('c').length()).isEqualTo(start.length + 1);
    }
  }

  @Test
  void aClearedReplyKeepsAnArrayUpToABound() {
    Reply reply = new Reply().add(new byte[5000]);
    byte[] large = reply.array();
    reply.clear(large.length);
    assertThat(reply.array()).isSameAs(large);
    assertThat(reply.length()).isZero();
    reply.add("x");
    reply.clear(large.length - 1);
    assertThat(reply.array().length).isLessThan(large.length);
    assertThat(reply.length()).isZero();
  }

  @Test
  void aForgottenReplyKeepsItsArray() {
    Reply reply = new Reply().add(new byte[5000]);
    byte[] large = reply.array();
    reply.forget();
    assertThat(reply.array()).isSameAs(large);
    assertThat(reply.length()).isZero();
  }
}
