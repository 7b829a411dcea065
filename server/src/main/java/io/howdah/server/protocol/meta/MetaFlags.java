package io.howdah.server.protocol.meta;

import io.howdah.server.cache.Expiry;
import io.howdah.server.protocol.Arithmetic;
import io.howdah.server.protocol.Numbers;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.Tokens;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The flags of a meta command: those that ask, and the numbers that come with them. */
final class MetaFlags implements StoreCommand.MetaReply {

  static final String OPAQUE_TOO_LONG = "CLIENT_ERROR opaque token too long";
  static final String BAD_TOKEN = "CLIENT_ERROR bad token in command line format";

  private static final int MAX_WORDS = 19;
  private static final int MAX_OPAQUE_BYTES = 32;
  private static final int FLAG_COUNT = 127;
  private static final int BASE64_GROUP = 4;
  private static final byte[] NO_KEY = {};

  /** Flags that stand alone, or whose text only comes back. */
  private static final String PLAIN = "OPLkstcfhlvuqbIx";

  /** The flags that are there: a bit for each letter, those from {@code @} on. */
  private long letters;

  /** As {@link #letters}, for what comes before {@code @}. */
  private long others;

  /** The words that the reply repeats, or that ask for something, in their order. */
  private final byte[][] words;

  private int count;

  byte[] key;

  /** The key as the command had it. */
  private final byte[] sentKey;

  int clientFlags;
  char mode;
  @Nullable Integer expiry;
  @Nullable Integer createExpiry;
  @Nullable Integer recacheTime;
  @Nullable Long cas;
  long newCas;
  long initial;
  long delta = 1;

  private MetaFlags(byte[] key, int words) {
    this.key = key;
    this.sentKey = key;
    this.words = new byte[words][];
  }

  /** What is wrong with the flags, or null. */
  private @Nullable String problem;

  private boolean isOpaqueTooLong;

  /**
   * Reads the words of a command from one on; {@link #problem} tells what is wrong with them. There
   * is a key.
   */
  static MetaFlags read(Tokens tokens, int from) {
    MetaFlags flags = new MetaFlags(tokens.bytes(1), Math.max(0, tokens.count() - from));
    if (tokens.count() > MAX_WORDS) {
      flags.problem = "CLIENT_ERROR options flags are too long";
      return flags;
    }
    for (int i = from; i < tokens.count() && flags.read(tokens.bytes(i)); i++) {}
    return flags;
  }

  private boolean read(byte[] word) {
    int flag = word[0];
    if (flag < 0 || flag >= FLAG_COUNT || has((char) flag)) {
      problem = "CLIENT_ERROR duplicate flag";
      return false;
    }
    if (flag < Long.SIZE) {
      others |= 1L << flag;
    } else {
      letters |= 1L << flag; // the shift takes the low six bits
    }
    words[count++] = word;
    switch (flag) {
      case 'b' -> decodeKey();
      case 'T' -> expiry = signed(word);
      case 'N' -> createExpiry = signed(word);
      case 'R' -> recacheTime = signed(word);
      case 'F' -> {
        long number = Numbers.lowUnsigned32(word, 1, word.length);
        if (number == Numbers.NOT_A_NUMBER) {
          problem = problem == null ? Refusals.BAD_FORMAT : problem; // as memcached
        } else {
          clientFlags = (int) number;
        }
      }
      case 'C' -> cas = unsigned(word, BAD_TOKEN);
      case 'E' -> newCas = unsigned(word, BAD_TOKEN);
      case 'J' -> initial = unsigned(word, "CLIENT_ERROR invalid numeric initial value");
      case 'D' -> delta = unsigned(word, "CLIENT_ERROR invalid numeric delta value");
      case 'M' -> mode = word.length > 1 ? (char) word[1] : ' ';
      default -> {
        if (PLAIN.indexOf(flag) < 0) {
          problem = "CLIENT_ERROR invalid flag";
          return false;
        }
        isOpaqueTooLong |= flag == 'O' && word.length > MAX_OPAQUE_BYTES;
      }
    }
    return true;
  }

  private void decodeKey() {
    key = decoded(sentKey);
    if (key.length == 0) {
      problem = "CLIENT_ERROR error decoding key";
    }
  }

  /** Returns the key of a text in Base64 with its padding; an empty one if it is none. */
  static byte[] decoded(byte[] base64) {
    if (base64.length % BASE64_GROUP != 0) { // without padding, Java's decoder takes it
      return NO_KEY;
    }
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      return NO_KEY;
    }
  }

  private int signed(byte[] word) {
    long number = Numbers.lowSigned32(word, 1, word.length);
    if (number == Numbers.NOT_A_NUMBER) {
      problem = BAD_TOKEN;
      return 0;
    }
    return (int) number;
  }

  private long unsigned(byte[] word, String otherwise) {
    Long number = Numbers.unsigned64(word, 1, word.length);
    if (number == null) {
      problem = otherwise;
      return 0;
    }
    return number;
  }

  /**
   * Returns what is wrong with the flags, or null. Of several problems memcached tells this one.
   */
  @Nullable String problem() {
    return problem == null && isOpaqueTooLong ? OPAQUE_TOO_LONG : problem;
  }

  boolean has(char flag) {
    return ((flag < Long.SIZE ? others : letters) & 1L << flag) != 0;
  }

  int count() {
    return count;
  }

  char flag(int index) {
    return (char) words[index][0];
  }

  /** Appends a flag that only comes back, if it is one: the opaque word, or the key. */
  void echo(int index, Reply reply, boolean keyIsBinary) {
    switch (flag(index)) {
      case 'O' -> reply.add(' ').add(words[index]);
      case 'k' -> {
        reply.add(" k");
        addKey(key, keyIsBinary, reply);
        if (keyIsBinary) {
          reply.add(" b");
        }
      }
      default -> {}
    }
  }

  /** Appends a key, in Base64 if it is binary. */
  static void addKey(byte[] key, boolean isBinary, Reply reply) {
    reply.add(isBinary ? Base64.getEncoder().encode(key) : key);
  }

  @Override
  public void stored(StoreCommand command, StoreCommand.Outcome outcome, Reply reply) {
    if (outcome == StoreCommand.Outcome.STORED && has('q')) {
      return;
    }
    reply.add(
        switch (outcome) {
          case STORED -> "HD";
          case EXISTS -> "EX";
          case NOT_FOUND -> "NF";
          case NOT_STORED, TOO_LARGE, TO_BE_JOINED -> "NS";
        });
    for (int i = 0; i < count; i++) {
      switch (flag(i)) {
        case 'c' -> reply.add(" c").addUnsigned(command.storedCas());
        case 's' -> reply.add(" s").addUnsigned(command.storedBytes());
        default -> echo(i, reply, has('b'));
      }
    }
    reply.endLine();
  }

  /** Appends all that only comes back, and ends the line. */
  void echoAll(Reply reply) {
    for (int i = 0; i < count; i++) {
      echo(i, reply, has('b'));
    }
    reply.endLine();
  }

  /**
   * When an item expires while the flags of a meta command act, each at its place: {@code T} and
   * {@code N} set it, {@code R} compares with it, {@code t} tells it. So what stands behind {@code
   * t} is not told.
   */
  static final class MetaExpiry implements Arithmetic.ExpiryRule {

    private final MetaFlags flags;
    private long told;
    private boolean isLate;

    MetaExpiry(MetaFlags flags) {
      this.flags = flags;
    }

    /**
     * Lets the flags act on an item, once more if the transaction runs again.
     *
     * @param before when the item expired until now; {@link Expiry#NEVER} if it is made
     * @param isCreated whether the command makes the item
     * @return when it expires from now on
     */
    @Override
    public long act(long before, boolean isCreated, long now) {
      long expiresAt = before;
      told = before;
      isLate = false;
      for (int i = 0; i < flags.count(); i++) {
        switch (flags.flag(i)) {
          case 'T' -> expiresAt = at(flags.expiry, expiresAt, now);
          case 'N' -> expiresAt = isCreated ? at(flags.createExpiry, expiresAt, now) : expiresAt;
          case 'R' ->
              isLate =
                  expiresAt != Expiry.NEVER && expiresAt < at(flags.recacheTime, expiresAt, now);
          case 't' -> told = expiresAt;
          default -> {}
        }
      }
      return expiresAt;
    }

    private static long at(@Nullable Integer seconds, long otherwise, long now) {
      return seconds == null ? otherwise : Expiry.of(seconds, now);
    }

    /** Returns whether the item expires before the time of {@code R}. */
    boolean isLate() {
      return isLate;
    }

    /** Appends what {@code t} tells: how long the item lives. */
    void addTimeToLive(long now, Reply reply) {
      if (told == Expiry.NEVER) {
        reply.add(" t-1");
      } else {
        reply.add(" t").addUnsigned(Math.max(0, told - now));
      }
    }
  }
}
