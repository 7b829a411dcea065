package io.howdah.server.protocol.binary;

import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.Item;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random requests of the binary protocol to a few keys while time goes on, each with or without a
 * CAS value that may be right, beside a model of the protocol's rules. Each response is compared.
 */
final class BinaryModelTest {

  private static final int REQUESTS = 5_000;
  private static final long START = 1_700_000_000;
  private static final long DO_NOT_CREATE = 0xffff_ffffL;

  private static final List<String> COMMANDS =
      List.of(
          "get",
          "getq",
          "getk",
          "getkq",
          "set",
          "setq",
          "add",
          "addq",
          "replace",
          "replaceq",
          "append",
          "appendq",
          "prepend",
          "prependq",
          "delete",
          "deleteq",
          "increment",
          "incrementq",
          "decrement",
          "decrementq",
          "touch",
          "gat",
          "gatq",
          "gatk",
          "gatkq");

  /** An item of the model; an expiry of 0 is none. */
  private static final class Stored {
    String value = "";
    long flags;
    long expiresAt;
  }

  private final HeapCache cache = new HeapCache();
  private final Session session =
      new Session(
          cache,
          new ProtocolOptions(ProtocolOptions.DEFAULT_MAX_ITEM_BYTES, true, "1"),
          new CommandCounters());
  private final Map<String, Stored> items = new HashMap<>();
  private String name = "";
  private String key = "";
  private int opaque;
  private boolean isOtherCas;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void eachResponseIsThatOfTheModel(int seed) {
    Random random = new Random(seed);
    cache.now = START;
    List<String> history = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      cache.now += random.nextInt(8) == 0 ? random.nextInt(40) : 0;
      name = COMMANDS.get(random.nextInt(COMMANDS.size()));
      key = "key" + random.nextInt(3);
      opaque = 1 + random.nextInt(1000);
      Stored item = items.get(key);
      if (item != null && item.expiresAt != 0 && item.expiresAt <= cache.now) {
        items.remove(key);
        item = null;
      }
      String value =
          random.nextBoolean() ? "" + random.nextInt(1200) : random.nextBoolean() ? "" : "text";
      long flags = Integer.toUnsignedLong(random.nextInt());
      long seconds = random.nextInt(60);
      long delta = random.nextInt(2_000);
      long initial = random.nextInt(2_000);
      Item known = cache.get(BinaryMessages.bytes(key));
      assertThat(known != null).as("%s", history).isEqualTo(item != null);
      long before = known == null ? 0 : known.cas();
      long cas = random.nextInt(3) == 0 ? Math.max(1, before - 1 + random.nextInt(3)) : 0;
      isOtherCas = cas != 0 && cas != before;
      boolean isQuiet = name.endsWith("q");
      String plain = isQuiet ? name.substring(0, name.length() - 1) : name;
      boolean isArithmetic = plain.equals("increment") || plain.equals("decrement");
      long exp = isArithmetic && random.nextBoolean() ? DO_NOT_CREATE : seconds;
      String sent =
          "%s key=%s opaque=%s cas=%s flags=%s exp=%s delta=%s initial=%s"
              .formatted(name, key, opaque, cas, flags, exp, delta, initial);
      boolean hasValue = List.of("set", "add", "replace", "append", "prepend").contains(plain);
      sent += hasValue ? " value=" + value : "";
      String expected =
          switch (plain) {
            case "get", "getk" -> found(item, plain.endsWith("k"), true, isQuiet, null);
            case "touch" -> found(item, false, false, isQuiet, time(exp));
            case "gat", "gatk" -> found(item, plain.endsWith("k"), true, isQuiet, time(exp));
            case "delete" -> delete(item, isQuiet);
            case "increment", "decrement" ->
                count(item, plain.equals("increment") ? delta : -delta, initial, exp, isQuiet);
            default -> store(plain, item, value, flags, time(exp), cas != 0, isQuiet);
          };
      history.add(sent);
      Reply reply = new Reply();
      boolean _ = receive(session, BinaryMessages.request(sent, 0), reply);
      ByteBuffer got = ByteBuffer.wrap(BinaryMessages.bytes(reply.toString()));
      String response = got.hasRemaining() ? BinaryMessages.response(got, new long[1]) : "";
      assertThat(got.hasRemaining()).isFalse();
      assertThat(response)
          .as("%s", history.subList(Math.max(0, i - 12), i + 1))
          .isEqualTo(expected.toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }

  private long time(long seconds) {
    return seconds == 0 ? 0 : cache.now + seconds;
  }

  private String fail(BinaryStatus status) {
    return "%s %s opaque=%s value=%s".formatted(name, status, opaque, status.text);
  }

  private String done(boolean isQuiet, boolean hasCas) {
    return isQuiet ? "" : name + " ok opaque=" + opaque + (hasCas ? " cas" : "");
  }

  private String found(
      @Nullable Stored item,
      boolean withKey,
      boolean withValue,
      boolean isQuiet,
      @Nullable Long expiresAt) {
    if (item == null) {
      return isQuiet
          ? ""
          : withKey
              ? "%s not_found key=%s opaque=%s".formatted(name, key, opaque)
              : fail(BinaryStatus.NOT_FOUND);
    }
    if (expiresAt != null) {
      item.expiresAt = expiresAt;
    }
    return "%s ok flags=%s%s opaque=%s cas%s"
        .formatted(
            name,
            item.flags,
            withKey ? " key=" + key : "",
            opaque,
            withValue && !item.value.isEmpty() ? " value=" + item.value : "");
  }

  private String delete(@Nullable Stored item, boolean isQuiet) {
    if (item == null) {
      return fail(BinaryStatus.NOT_FOUND);
    }
    if (isOtherCas) {
      return fail(BinaryStatus.EXISTS);
    }
    items.remove(key);
    return done(isQuiet, false);
  }

  private String store(
      String plain,
      @Nullable Stored item,
      String value,
      long flags,
      long expiresAt,
      boolean compares,
      boolean isQuiet) {
    boolean extendsItem = plain.equals("append") || plain.equals("prepend");
    if (item == null && (extendsItem || compares || plain.equals("replace"))) {
      return fail(extendsItem ? BinaryStatus.NOT_STORED : BinaryStatus.NOT_FOUND);
    }
    if (item != null && (isOtherCas || (plain.equals("add") && !compares))) {
      return fail(BinaryStatus.EXISTS);
    }
    if (item != null && extendsItem) {
      item.value = plain.equals("append") ? item.value + value : value + item.value;
    } else {
      Stored made = new Stored();
      made.value = value;
      made.flags = flags;
      made.expiresAt = expiresAt;
      items.put(key, made);
    }
    return done(isQuiet, true);
  }

  private String count(
      @Nullable Stored item, long change, long initial, long exp, boolean isQuiet) {
    Function<Long, String> counted =
        number -> isQuiet ? "" : "%s ok number=%s opaque=%s cas".formatted(name, number, opaque);
    if (item == null) {
      if (exp == DO_NOT_CREATE) {
        return fail(BinaryStatus.NOT_FOUND);
      }
      Stored made = new Stored();
      made.value = "" + initial;
      made.expiresAt = time(exp);
      items.put(key, made);
      return counted.apply(initial);
    }
    if (!item.value.isEmpty() && isOtherCas) {
      return fail(BinaryStatus.EXISTS);
    }
    if (!item.value.matches("[0-9]+( .*)?")) { // as memcached: what follows a space is ignored
      return fail(BinaryStatus.NOT_A_NUMBER);
    }
    long number = Math.max(0, Long.parseLong(item.value.split(" ", 2)[0]) + change);
    String digits = "" + number;
    item.value = digits + " ".repeat(Math.max(0, item.value.length() - digits.length()));
    return counted.apply(number);
  }
}
