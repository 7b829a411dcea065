package io.howdah.server.protocol.meta;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random meta commands with random flags in random order, to a few keys while time goes on, beside
 * a model that has the rules of the protocol as they are written down. Each reply is compared.
 */
final class MetaModelTest {

  private static final int COMMANDS = 4_000;
  private static final long START = 1_700_000_000;
  private static final String NOT_A_NUMBER =
      "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n";

  /** An item of the model; an expiry of 0 is none. */
  private static final class Item {
    String value = "";
    long flags;
    long expiresAt;
    long cas;
    boolean isStale;
    boolean isTokenSent;
    boolean isBinary;
  }

  private final HeapCache cache = new HeapCache();
  private final Session session =
      new Session(
          cache,
          new ProtocolOptions(ProtocolOptions.DEFAULT_MAX_ITEM_BYTES, true, "1"),
          new CommandCounters());
  private final Map<String, Item> items = new HashMap<>();
  private final List<String> flags = new ArrayList<>();
  private Random random = new Random(0);
  private long nextCas = 100;
  private String key = "";
  private boolean isBinary;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void eachReplyIsThatOfTheModel(int seed) {
    random = new Random(seed);
    cache.now = START;
    List<String> history = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      cache.now += random.nextInt(8) == 0 ? random.nextInt(40) : 0;
      key = "key" + random.nextInt(3);
      isBinary = random.nextInt(4) == 0;
      flags.clear();
      if (isBinary) {
        flags.add("b");
      }
      Item item = items.get(key);
      if (item != null && item.expiresAt != 0 && item.expiresAt <= cache.now) {
        items.remove(key);
        item = null;
      }
      String sent;
      String expected;
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          String value = random.nextBoolean() ? "" + random.nextInt(1200) : "text";
          choose(item, "M", "q", "c", "s", "k", "O", "F", "T", "C", "I", "N");
          sent = line("ms", " " + value.length()) + value + "\r\n";
          expected = store(item, value);
        }
        case 2 -> {
          choose(item, "C", "I", "x", "T", "q", "k", "O");
          sent = line("md", "");
          expected = delete(item);
        }
        case 3, 4 -> {
          choose(item, "+", "D", "J", "N", "C", "q", "t", "c", "v", "k", "O", "T");
          sent = line("ma", "");
          expected = arithmetic(item);
        }
        default -> {
          choose(item, "v", "s", "t", "f", "c", "k", "q", "u", "O", "T", "N", "R", "C");
          sent = line("mg", "");
          expected = get(item);
        }
      }
      history.add(sent);
      Reply reply = new Reply();
      session.receive(
          ByteBuffer.wrap(sent.getBytes(StandardCharsets.ISO_8859_1)), reply, Integer.MAX_VALUE);
      assertThat(reply.toString())
          .as("%s", history.subList(Math.max(0, i - 12), i + 1))
          .isEqualTo(expected);
    }
  }

  private void choose(@Nullable Item item, String... possible) {
    for (String flag : possible) {
      if (random.nextInt(3) != 0) {
        continue;
      }
      flags.add(
          switch (flag) {
            case "O" -> "O" + random.nextInt(100);
            case "F" -> "F" + Integer.toUnsignedString(random.nextInt());
            case "T", "N", "R" -> flag + (random.nextInt(8) == 0 ? -1 : random.nextInt(60));
            case "C" -> "C" + (item == null ? 7 : item.cas - 1 + random.nextInt(3));
            case "D", "J" -> flag + random.nextInt(2_000);
            case "M" -> "M" + "SEAPR".charAt(random.nextInt(5));
            case "+" -> "M" + "ID+-".charAt(random.nextInt(4));
            default -> flag;
          });
    }
    flags.add("E" + nextCas++);
    Collections.shuffle(flags, random);
  }

  private String line(String command, String length) {
    String sentKey = isBinary ? base64() : key;
    return command + " " + sentKey + length + " " + String.join(" ", flags) + "\r\n";
  }

  private String base64() {
    return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.ISO_8859_1));
  }

  private @Nullable String of(char flag) {
    return flags.stream()
        .filter(each -> each.charAt(0) == flag)
        .map(each -> each.substring(1))
        .findFirst()
        .orElse(null);
  }

  private boolean has(char flag) {
    return of(flag) != null;
  }

  private long number(char flag, long otherwise) {
    String text = of(flag);
    return text == null ? otherwise : Long.parseLong(text);
  }

  private long time(String seconds) {
    long number = Long.parseLong(seconds);
    return number == 0 ? 0 : number < 0 ? 1 : cache.now + number;
  }

  private String echoed(String flag, boolean isBinaryKey) {
    return switch (flag.charAt(0)) {
      case 'O' -> " " + flag;
      case 'k' -> isBinaryKey ? " k" + base64() + " b" : " k" + key;
      default -> "";
    };
  }

  private String echo(String word) {
    StringBuilder reply = new StringBuilder(word);
    flags.forEach(flag -> reply.append(echoed(flag, isBinary)));
    return reply + "\r\n";
  }

  private boolean isOtherCas(Item item) {
    return has('C') && number('C', 0) != item.cas;
  }

  private Item fresh(String value, long expiresAt) {
    Item item = new Item();
    item.value = value;
    item.flags = number('F', 0);
    item.expiresAt = expiresAt;
    item.cas = number('E', 0);
    item.isBinary = isBinary;
    return item;
  }

  // ---- ms

  private String store(@Nullable Item item, String value) {
    String mode = has('M') ? String.valueOf(of('M')) : "S";
    Item made = fresh(value, has('T') ? time(String.valueOf(of('T'))) : 0);
    String outcome = "HD";
    switch (mode) {
      case "E" -> outcome = item == null ? "HD" : "NS";
      case "A", "P" -> {
        if (item == null) {
          outcome = has('N') ? "HD" : "NS";
          made.expiresAt = has('N') ? time(String.valueOf(of('N'))) : 0;
        } else if (isOtherCas(item)) {
          outcome = "EX";
        } else {
          made.value = mode.equals("A") ? item.value + value : value + item.value;
          made.flags = item.flags;
          made.expiresAt = item.expiresAt;
          made.isBinary = item.isBinary;
        }
      }
      default -> {
        if (has('C')) {
          outcome = item == null ? "NF" : "HD";
          if (item != null && isOtherCas(item)) {
            boolean isOlder = number('C', 0) < item.cas;
            outcome = has('I') && isOlder ? "HD" : "EX";
            made.isStale = true;
            made.isTokenSent = item.isTokenSent;
            made.expiresAt = item.expiresAt;
          }
        } else if (mode.equals("R") && item == null) {
          outcome = "NS";
        }
      }
    }
    boolean isStored = outcome.equals("HD");
    if (isStored) {
      items.put(key, made);
    }
    if (isStored && has('q')) {
      return "";
    }
    StringBuilder reply = new StringBuilder(outcome);
    for (String flag : flags) {
      switch (flag) {
        case "c" -> reply.append(" c").append(isStored ? made.cas : 0);
        case "s" -> reply.append(" s").append(isStored ? made.value.length() : value.length());
        default -> reply.append(echoed(flag, isBinary));
      }
    }
    return reply + "\r\n";
  }

  // ---- md

  private String delete(@Nullable Item item) {
    if (item == null) {
      return echo("NF");
    }
    if (isOtherCas(item)) {
      return echo("EX");
    }
    if (has('x')) {
      item.value = "";
      item.flags = 0;
    }
    if (has('I')) {
      item.isStale = true;
      item.isTokenSent = false;
      item.expiresAt = has('T') ? time(String.valueOf(of('T'))) : item.expiresAt;
    }
    if (has('x') || has('I')) {
      item.cas = number('E', 0);
    } else {
      items.remove(key);
    }
    return has('q') ? "" : echo("HD");
  }

  // ---- ma

  private String arithmetic(@Nullable Item item) {
    boolean adds = !has('M') || "I+".contains(String.valueOf(of('M')));
    long result;
    Item changed;
    if (item == null) {
      if (!has('N')) {
        return echo("NF");
      }
      result = number('J', 0);
      changed = new Item();
      changed.value = "" + result;
      changed.isBinary = isBinary;
      items.put(key, changed);
    } else {
      // As memcached: what follows a space is ignored.
      boolean isNumber = item.value.matches("[0-9]+( .*)?");
      if (item.value.isEmpty()) {
        return NOT_A_NUMBER;
      }
      if (isOtherCas(item)) {
        return echo("EX");
      }
      if (!isNumber) {
        return NOT_A_NUMBER;
      }
      long number = Long.parseLong(item.value.split(" ", 2)[0]);
      long delta = number('D', 1);
      result = adds ? number + delta : Math.max(0, number - delta);
      changed = item;
      String digits = "" + result;
      if (digits.length() > item.value.length()) {
        item.value = digits;
        item.isStale = false;
        item.isTokenSent = false;
      } else {
        item.value = digits + " ".repeat(item.value.length() - digits.length());
      }
    }
    changed.cas = number('E', 0);
    long told = expiry(changed, item == null);
    if (has('q')) {
      return "";
    }
    String text = "" + result;
    StringBuilder reply = new StringBuilder(has('v') ? "VA " + text.length() : "HD");
    for (String flag : flags) {
      switch (flag) {
        case "c" -> reply.append(" c").append(changed.cas);
        case "t" -> reply.append(timeToLive(told));
        default -> reply.append(echoed(flag, isBinary));
      }
    }
    return reply + "\r\n" + (has('v') ? text + "\r\n" : "");
  }

  /** Lets the flags act in their order, and returns the expiry that {@code t} tells. */
  private long expiry(Item item, boolean isCreated) {
    long told = item.expiresAt;
    for (String flag : flags) {
      String rest = flag.substring(1);
      switch (flag.charAt(0)) {
        case 'T' -> item.expiresAt = time(rest);
        case 'N' -> item.expiresAt = isCreated ? time(rest) : item.expiresAt;
        case 't' -> told = item.expiresAt;
        default -> {}
      }
    }
    return told;
  }

  private String timeToLive(long at) {
    return at == 0 ? " t-1" : " t" + Math.max(0, at - cache.now);
  }

  // ---- mg

  private String get(@Nullable Item before) {
    Item item = before;
    boolean isCreated = item == null && has('N');
    if (isCreated) {
      item = new Item();
      item.cas = number('E', 0);
      item.isBinary = isBinary;
      items.put(key, item);
    }
    if (item == null) {
      return has('q') ? "" : echo("EN");
    }
    boolean wasTokenSent = !isCreated && item.isTokenSent;
    boolean isLate = false;
    long known = item.expiresAt;
    for (String flag : flags) {
      switch (flag.charAt(0)) {
        case 'T' -> known = time(flag.substring(1));
        case 'N' -> known = isCreated ? time(flag.substring(1)) : known;
        case 'R' -> {
          long bound = time(flag.substring(1));
          isLate = known != 0 && known < bound;
        }
        default -> {}
      }
    }
    long told = expiry(item, isCreated);
    boolean isWinner = isCreated || (!wasTokenSent && (isLate || item.isStale));
    item.isTokenSent |= isWinner;
    boolean withValue = has('v') && !(has('C') && !isOtherCas(item));
    StringBuilder reply = new StringBuilder(withValue ? "VA " + item.value.length() : "HD");
    for (String flag : flags) {
      switch (flag) {
        case "s" -> reply.append(" s").append(item.value.length());
        case "t" -> reply.append(timeToLive(told));
        case "c" -> reply.append(" c").append(item.cas);
        case "f" -> reply.append(" f").append(item.flags);
        default -> reply.append(echoed(flag, item.isBinary));
      }
    }
    reply.append(wasTokenSent ? " Z" : "").append(item.isStale ? " X" : "");
    reply.append(isWinner ? " W" : "").append("\r\n");
    return reply + (withValue ? item.value + "\r\n" : "");
  }
}
