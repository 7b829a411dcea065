package io.howdah.server.protocol.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of the binary protocol at their limits. Replies are those of memcached 1.6.18. */
final class BinaryNumbersTest {

  private static final int GET = 0x00;
  private static final int SET = 0x01;
  private static final int INCREMENT = 0x05;
  private static final int DECREMENT = 0x06;
  private static final int FLUSH = 0x08;
  private static final int TOUCH = 0x1c;
  private static final int GAT = 0x1d;
  private static final int OK = 0;
  private static final int NOT_FOUND = 1;
  private static final int EXISTS = 2;
  private static final int INVALID = 4;
  private static final int UNKNOWN = 0x81;
  private static final int HEADER = 24;

  private final HeapCache cache = new HeapCache();
  private final Session session =
      new Session(
          cache,
          new ProtocolOptions(ProtocolOptions.DEFAULT_MAX_ITEM_BYTES, true, "1"),
          new CommandCounters());

  private boolean goesOn = true;

  private static byte[] request(int opcode, String key, byte[] extras, String value, long cas) {
    int body = extras.length + key.length() + value.length();
    return ByteBuffer.allocate(HEADER + body)
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key.length())
        .put((byte) extras.length)
        .put(new byte[3])
        .putInt(body)
        .putInt(0)
        .putLong(cas)
        .put(extras)
        .put(key.getBytes(ISO_8859_1))
        .put(value.getBytes(ISO_8859_1))
        .array();
  }

  /** Returns the response, which begins with its header. */
  private ByteBuffer ask(byte[] request) {
    Reply reply = new Reply();
    goesOn = session.receive(ByteBuffer.wrap(request), reply, Integer.MAX_VALUE);
    return ByteBuffer.wrap(reply.toString().getBytes(ISO_8859_1));
  }

  private int status(byte[] request) {
    return ask(request).getShort(6);
  }

  private int set(int flags, int expiry, String value, long cas) {
    byte[] extras = ByteBuffer.allocate(8).putInt(flags).putInt(expiry).array();
    return status(request(SET, "k", extras, value, cas));
  }

  private int get() {
    return status(request(GET, "k", new byte[0], "", 0));
  }

  private ByteBuffer count(int opcode, long delta, long initial, int expiry) {
    byte[] extras = ByteBuffer.allocate(20).putLong(delta).putLong(initial).putInt(expiry).array();
    return ask(request(opcode, "k", extras, "", 0));
  }

  /** Beyond 30 days a number is a time, which is over until about 2023 by the test's clock. */
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "1,0",
    "2591999,0",
    "2592000,0",
    "2592001,1",
    "1700000000,1",
    "1700000001,0",
    "2147483646,0",
    "2147483647,0",
    "2147483648,0",
    "4294967294,0",
    "4294967295,0"
  })
  void anExpiryHas32BitsWithoutASign(long expiry, int found) {
    assertThat(set(0, (int) expiry, "v", 0)).isEqualTo(OK);
    assertThat(get()).isEqualTo(found);
    byte[] extras = ByteBuffer.allocate(4).putInt((int) expiry).array();
    for (int opcode : new int[] {TOUCH, GAT}) {
      assertThat(set(0, 0, "v", 0)).isEqualTo(OK);
      assertThat(status(request(opcode, "k", extras, "", 0))).isEqualTo(OK);
      assertThat(get()).isEqualTo(found);
    }
    assertThat(set(0, 1_000_000_000, "v", 0)).as("gone at once").isEqualTo(OK);
    boolean isCreated = expiry != 0xffff_ffffL;
    assertThat(count(INCREMENT, 1, 7, (int) expiry).getShort(6))
        .isEqualTo((short) (isCreated ? OK : NOT_FOUND));
    assertThat(get()).isEqualTo(isCreated ? found : NOT_FOUND);
  }

  @Test
  void anExpiryThatIsNotOverIsTheTimeThatWasSent() {
    for (long expiry : new long[] {1, 2_592_000}) {
      set(0, (int) expiry, "v", 0);
      cache.now += expiry - 1;
      assertThat(get()).isEqualTo(OK);
      cache.now++;
      assertThat(get()).isEqualTo(NOT_FOUND);
    }
    set(0, -1, "v", 0);
    cache.now = 0xffff_fffeL;
    assertThat(get()).isEqualTo(OK);
    cache.now++;
    assertThat(get()).isEqualTo(NOT_FOUND);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -2, -1})
  void flagsHave32Bits(int flags) {
    assertThat(set(flags, 0, "v", 0)).isEqualTo(OK);
    assertThat(ask(request(GET, "k", new byte[0], "", 0)).getInt(HEADER)).isEqualTo(flags);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1L << 31, (1L << 32) - 1, Long.MAX_VALUE, Long.MIN_VALUE, -2, -1})
  void countsHave64BitsWithoutASign(long number) {
    assertThat(count(INCREMENT, 1, number, 0).getLong(HEADER)).isEqualTo(number);
    assertThat(set(0, 0, "5", 0)).isEqualTo(OK);
    assertThat(count(INCREMENT, number, 0, 0).getLong(HEADER)).isEqualTo(number + 5);
    assertThat(set(0, 0, "5", 0)).isEqualTo(OK);
    long left = Long.compareUnsigned(number, 5) > 0 ? 0 : 5 - number;
    assertThat(count(DECREMENT, number, 0, 0).getLong(HEADER)).isEqualTo(left);
    String text = Long.toUnsignedString(number);
    assertThat(set(0, 0, text, 0)).isEqualTo(OK);
    assertThat(count(INCREMENT, 1, 0, 0).getLong(HEADER)).isEqualTo(number + 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, -1})
  void aCasValueHas64Bits(long cas) {
    for (int i = 0; i < 3; i++) {
      set(0, 0, "v", 0);
    }
    assertThat(set(0, 0, "w", cas)).isEqualTo(EXISTS);
    assertThat(set(0, 0, "w", 3)).isEqualTo(OK);
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,0", "2592000,0", "1,0"})
  void aFlushMayWait(int delay, int found) {
    set(0, 0, "v", 0);
    byte[] extras = ByteBuffer.allocate(4).putInt(delay).array();
    assertThat(status(request(FLUSH, "", extras, "", 0))).isEqualTo(OK);
    assertThat(get()).isEqualTo(found);
  }

  @ParameterizedTest
  @CsvSource({"1,0", "249,0", "250,0", "251,4", "32767,4", "32768,4", "65535,4"})
  void aKeyHas250BytesAtMost(int length, int status) {
    byte[] request = request(SET, "k".repeat(length), new byte[8], "v", 0);
    assertThat(status(request)).isEqualTo(status);
    assertThat(goesOn).isEqualTo(status == OK);
  }

  @ParameterizedTest
  @CsvSource({
    "0,129",
    "8,129",
    "9,0",
    "1048534,0",
    "1048535,3",
    "1073741824,3",
    "1073741825,4",
    "2147483647,4",
    "2147483648,4",
    "4294967295,4"
  })
  void aBodyIsItsPartsTogetherAndAtMostAGibibyte(long body, int status) {
    byte[] start = request(SET, "k", new byte[8], "", 0);
    ByteBuffer.wrap(start).putInt(8, (int) body);
    int value = Math.clamp(body - 9, 0, 2_000_000);
    byte[] whole = new byte[start.length + (status == OK ? value : 0)];
    System.arraycopy(start, 0, whole, 0, start.length);
    assertThat(status(whole)).isEqualTo(status);
    assertThat(goesOn)
        .as("another request may follow")
        .isEqualTo(status != UNKNOWN && status != INVALID);
  }

  @ParameterizedTest
  @CsvSource({"0,4", "7,4", "8,0", "9,4", "255,4"})
  void extrasHaveTheLengthOfTheirCommand(int length, int status) {
    assertThat(status(request(SET, "k", new byte[length], "v", 0))).isEqualTo(status);
  }
}
