package io.howdah.server.protocol.meta;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.protocol.Arithmetic;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.StoreMode;
import io.howdah.server.protocol.TextInput;
import io.howdah.server.protocol.Tokens;
import io.howdah.server.protocol.ValueReply;
import org.jspecify.annotations.Nullable;

/** The meta commands. Replies are those of memcached 1.6. */
public final class MetaCommands {

  private static final byte[] NO_VALUE = {};

  private final SessionContext session;
  private final TextInput input;
  private final Cache cache;
  private final CommandCounters counters;
  private final Tokens tokens;

  public MetaCommands(
      SessionContext session, TextInput input, CommandCounters counters, Tokens tokens) {
    this.session = session;
    this.input = input;
    this.cache = session.cache();
    this.counters = counters;
    this.tokens = tokens;
  }

  /** Runs the command of the line that is in the tokens, whose first has two letters. */
  public void run(Reply reply) {
    char command = (char) tokens.at(0, 1);
    if (command == 'n') {
      reply.add("MN").endLine();
      return;
    }
    if ("gsdae".indexOf(command) < 0) {
      if (!tokens.is(tokens.count() - 1, "noreply")) {
        reply.add("ERROR").endLine();
      }
      return;
    }
    if (tokens.count() < 2) {
      fail(reply, Refusals.BAD_FORMAT);
      return;
    }
    if (command == 's') {
      startStore(reply);
      return;
    }
    if (!tokens.isKey(1)) {
      fail(reply, Refusals.BAD_FORMAT);
      return;
    }
    if (command == 'e') {
      debug(reply);
      return;
    }
    MetaFlags flags = MetaFlags.read(tokens, 2);
    String problem = flags.problem();
    if (problem != null) {
      boolean isTold = command == 'g' || problem.equals(MetaFlags.OPAQUE_TOO_LONG);
      fail(reply, isTold ? problem : "CLIENT_ERROR invalid or duplicate flag");
      return;
    }
    switch (command) {
      case 'g' -> get(flags, reply);
      case 'd' -> delete(flags, reply);
      default -> arithmetic(flags, reply);
    }
  }

  private static void fail(Reply reply, String line) {
    reply.add(line).endLine();
  }

  /** What a read has done to the item it found. */
  private static final class Found {
    final MetaFlags.MetaExpiry expiry;
    boolean wasTokenSent;
    boolean isWinner;
    boolean isCreated;

    Found(MetaFlags flags) {
      this.expiry = new MetaFlags.MetaExpiry(flags);
    }
  }

  private void get(MetaFlags flags, Reply reply) {
    try {
      find(flags, reply);
    } catch (CacheBusyException _) {
      input.retry(later -> find(flags, later));
    }
  }

  private void find(MetaFlags flags, Reply reply) {
    byte[] key = flags.key;
    long now = cache.now();
    Found found = new Found(flags);
    boolean withValue = flags.has('v');
    Item item = withValue ? cache.get(key) : cache.peek(key);
    if (flags.expiry != null || read(flags, item, now, found) != item) {
      ItemUpdate update = current -> read(flags, current, now, found);
      try {
        item = withValue ? cache.updateAndGet(key, update) : cache.update(key, update);
      } catch (CacheFullException e) {
        item = withValue ? cache.get(key) : cache.peek(key);
        if (flags.expiry != null || (item == null && flags.createExpiry != null)) {
          throw e;
        }
        // There is no room to note which client makes the item anew. So it is only read.
        Item _ = read(flags, item, now, found);
        found.isWinner = false;
        found.wasTokenSent = true;
      }
    }
    boolean hasTouched = flags.expiry != null && item != null;
    counters.count(hasTouched ? Counter.CMD_TOUCH : Counter.CMD_GET);
    if (item == null) {
      counters.count(Counter.GET_MISSES);
    } else {
      counters.count(hasTouched ? Counter.TOUCH_HITS : Counter.GET_HITS);
    }
    if (found.isCreated) {
      counters.count(Counter.TOTAL_ITEMS);
    }
    if (item == null) {
      if (!flags.has('q')) {
        reply.add("EN");
        flags.echoAll(reply);
      }
      return;
    }
    addHit(flags, item, found, now, reply);
    if (!flags.has('u')) {
      cache.accessed(key);
    }
  }

  /** Returns what becomes of the item that a read found. */
  private static @Nullable Item read(
      MetaFlags flags, @Nullable Item current, long now, Found found) {
    found.isCreated = current == null && flags.createExpiry != null;
    found.isWinner = found.isCreated;
    found.wasTokenSent = current != null && current.has(Item.TOKEN_SENT);
    if (current == null) {
      if (!found.isCreated) {
        return null;
      }
      int marks = Item.TOKEN_SENT | (flags.has('b') ? Item.BINARY_KEY : 0);
      long expiresAt = found.expiry.act(Expiry.NEVER, true, now);
      return new Item(0, expiresAt, flags.newCas, marks, NO_VALUE);
    }
    Item item = current;
    long expiresAt = found.expiry.act(item.expiresAt(), false, now);
    if (!found.wasTokenSent && (found.expiry.isLate() || item.has(Item.STALE))) {
      found.isWinner = true;
      item = item.withMarks(item.marks() | Item.TOKEN_SENT);
    }
    return flags.expiry == null ? item : item.withExpiry(expiresAt);
  }

  private void addHit(MetaFlags flags, Item item, Found found, long now, Reply reply) {
    // A client that names the CAS value has that item, and needs no value.
    boolean withValue = flags.has('v') && (flags.cas == null || flags.cas != item.cas());
    if (withValue) {
      reply.add("VA ").addUnsigned(item.valueBytes());
    } else {
      reply.add("HD");
    }
    for (int i = 0; i < flags.count(); i++) {
      switch (flags.flag(i)) {
        case 's' -> reply.add(" s").addUnsigned(item.valueBytes());
        case 't' -> found.expiry.addTimeToLive(now, reply);
        case 'c' -> reply.add(" c").addUnsigned(item.cas());
        case 'f' -> reply.add(" f").add(Integer.toUnsignedString(item.flags()));
        case 'l' -> {
          long lastUse = found.isCreated ? now : cache.lastUse(flags.key);
          reply.add(" l").addUnsigned(Math.max(0, now - lastUse));
        }
        case 'h' -> reply.add(cache.isFetched(flags.key) ? " h1" : " h0");
        default -> flags.echo(i, reply, item.has(Item.BINARY_KEY));
      }
    }
    if (found.wasTokenSent) {
      reply.add(" Z");
    }
    if (item.has(Item.STALE)) {
      reply.add(" X");
    }
    if (found.isWinner) {
      reply.add(" W");
    }
    reply.endLine();
    if (withValue && item.large() != null) {
      input.continueWith(new ValueReply(cache.reader(), true));
    } else if (withValue) {
      reply.add(item.value()).endLine();
    }
  }

  private void startStore(Reply reply) {
    long announced = tokens.count() < 3 ? -1 : tokens.signed32(2, 0);
    if (announced < 0 || announced > Integer.MAX_VALUE - 2) {
      fail(reply, Refusals.BAD_FORMAT);
      return;
    }
    int length = (int) announced;
    if (!tokens.isKey(1)) {
      input.swallow(length + 2L);
      fail(reply, Refusals.BAD_FORMAT);
      return;
    }
    MetaFlags flags = MetaFlags.read(tokens, 3);
    String problem = flags.problem();
    StoreMode mode = mode(flags);
    if (problem == null && mode == null) {
      problem = "CLIENT_ERROR invalid mode for ms M token";
    }
    if (problem == null && mode != null && !session.options().fits(flags.key.length, length)) {
      problem = Refusals.TOO_LARGE;
      counters.count(Counter.STORE_TOO_LARGE);
      session.tellTooLarge(flags.key, mode, length);
      session.removeStale(flags.key);
    }
    if (problem != null || mode == null) {
      input.swallow(length + 2L);
      fail(reply, problem == null ? Refusals.BAD_FORMAT : problem);
      return;
    }
    int expiry = flags.expiry == null ? 0 : flags.expiry;
    StoreCommand command = new StoreCommand(mode, flags.key, flags.clientFlags, expiry, length);
    command.meta = flags;
    command.cas = flags.cas == null ? 0 : flags.cas;
    command.newCas = flags.newCas;
    command.invalidates = flags.has('I');
    command.createExpiry = flags.createExpiry;
    command.marks = flags.has('b') ? Item.BINARY_KEY : 0;
    input.awaitValue(command);
  }

  private static @Nullable StoreMode mode(MetaFlags flags) {
    boolean compares = flags.cas != null;
    return switch (flags.mode) {
      case 0, 'S' -> compares ? StoreMode.CAS : StoreMode.SET;
      case 'R' -> compares ? StoreMode.CAS : StoreMode.REPLACE;
      case 'E' -> StoreMode.ADD;
      case 'A' -> StoreMode.APPEND;
      case 'P' -> StoreMode.PREPEND;
      default -> null;
    };
  }

  private void delete(MetaFlags flags, Reply reply) {
    long now = cache.now();
    String[] outcome = {""};
    cache.update(
        flags.key,
        current -> {
          if (current == null) {
            outcome[0] = "NF";
            return null;
          }
          if (flags.cas != null && flags.cas != current.cas()) {
            outcome[0] = "EX";
            return current;
          }
          outcome[0] = "HD";
          return afterDelete(flags, current, now);
        });
    boolean isDone = outcome[0].equals("HD");
    if (!isDone) {
      counters.count(Counter.DELETE_MISSES);
    } else if (!flags.has('I')) {
      counters.count(Counter.DELETE_HITS);
    }
    if (isDone && flags.has('x')) {
      counters.count(Counter.TOTAL_ITEMS);
    }
    if (!isDone || !flags.has('q')) {
      reply.add(outcome[0]);
      flags.echoAll(reply);
    }
  }

  private static @Nullable Item afterDelete(MetaFlags flags, Item current, long now) {
    if (!flags.has('I') && !flags.has('x')) {
      return null;
    }
    int marks = current.marks();
    long expiresAt = current.expiresAt();
    if (flags.has('I')) {
      marks = (marks | Item.STALE) & ~Item.TOKEN_SENT;
      expiresAt = flags.expiry == null ? expiresAt : Expiry.of(flags.expiry, now);
    }
    Item item = flags.has('x') ? current.withFlags(0).withValue(NO_VALUE, flags.newCas) : current;
    return item.withCas(flags.newCas).withExpiry(expiresAt).withMarks(marks);
  }

  private void arithmetic(MetaFlags flags, Reply reply) {
    boolean adds;
    switch (flags.mode) {
      case 0, 'I', '+' -> adds = true;
      case 'D', '-' -> adds = false;
      default -> {
        fail(reply, "CLIENT_ERROR invalid mode for ma M token");
        return;
      }
    }
    Arithmetic command = new Arithmetic(flags.key, adds, flags.delta);
    command.cas = flags.cas == null ? 0 : flags.cas;
    command.newCas = flags.newCas;
    MetaFlags.MetaExpiry expiry = new MetaFlags.MetaExpiry(flags);
    command.metaExpiry = expiry;
    command.marks = flags.has('b') ? Item.BINARY_KEY : 0;
    if (flags.createExpiry != null) {
      command.creates = true;
      command.initial = flags.initial;
    }
    long now = cache.now();
    Item item = command.run(session);
    command.count(counters);
    switch (command.outcome()) {
      case NOT_A_NUMBER -> fail(reply, Refusals.NOT_A_NUMBER);
      case NOT_FOUND -> {
        reply.add("NF");
        flags.echoAll(reply);
      }
      case CAS_MISMATCH -> {
        reply.add("EX");
        flags.echoAll(reply);
      }
      case DONE, CREATED -> {
        if (item != null && !flags.has('q')) {
          addNumber(flags, command, item, expiry, now, reply);
        }
      }
    }
  }

  private static void addNumber(
      MetaFlags flags,
      Arithmetic command,
      Item item,
      MetaFlags.MetaExpiry expiry,
      long now,
      Reply reply) {
    String number = Long.toUnsignedString(command.result());
    boolean withValue = flags.has('v');
    reply.add(withValue ? "VA " + number.length() : "HD");
    for (int i = 0; i < flags.count(); i++) {
      switch (flags.flag(i)) {
        case 'c' -> reply.add(" c").addUnsigned(item.cas());
        case 't' -> expiry.addTimeToLive(now, reply);
        default -> flags.echo(i, reply, flags.has('b'));
      }
    }
    reply.endLine();
    if (withValue) {
      reply.add(number).endLine();
    }
  }

  /** Of the flags, only the first one is looked at. */
  private void debug(Reply reply) {
    byte[] sent = tokens.bytes(1);
    byte[] key = tokens.count() > 2 && tokens.is(2, "b") ? MetaFlags.decoded(sent) : sent;
    if (key.length == 0) {
      fail(reply, Refusals.BAD_FORMAT);
      return;
    }
    counters.count(Counter.CMD_META);
    Item item = cache.peek(key);
    if (item == null) {
      reply.add("EN").endLine();
      return;
    }
    long now = cache.now();
    reply.add("ME ");
    MetaFlags.addKey(key, item.has(Item.BINARY_KEY), reply);
    reply.add(" exp=");
    reply.add(item.expiresAt() == Expiry.NEVER ? "-1" : Long.toString(item.expiresAt() - now));
    reply.add(" la=").addUnsigned(Math.max(0, now - cache.lastUse(key)));
    reply.add(" cas=").addUnsigned(item.cas());
    reply.add(" fetch=").add(cache.isFetched(key) ? "yes" : "no");
    int size = key.length + item.valueBytes() + ProtocolOptions.ITEM_OVERHEAD_BYTES;
    reply.add(" cls=1 size=").addUnsigned(size).endLine();
  }
}
