package io.howdah.server.protocol.binary;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.protocol.Arithmetic;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.RetryLater;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.Statistics;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.StoreMode;
import io.howdah.server.protocol.StoreRun;
import io.howdah.server.protocol.ValueReply;
import io.howdah.server.protocol.binary.BinaryOpcode.Action;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The commands of the binary protocol. Replies are those of memcached 1.6. */
final class BinaryCommands {

  private static final int RESPONSE_MAGIC = 0x81;
  private static final int FLAGS_BYTES = 4;
  private static final byte[] NOTHING = {};

  /** An expiry that means: do not make an item that is missing. */
  private static final long DO_NOT_CREATE = 0xffff_ffffL;

  private final SessionContext session;
  private final BinaryDecoder decoder;
  private final Cache cache;
  private final ProtocolOptions options;
  private final BinaryRequest request;
  private final Authentication authentication;
  private final CommandCounters counters;
  private final Statistics statistics;
  private final SaslPlain sasl;

  BinaryCommands(
      SessionContext session,
      BinaryDecoder decoder,
      BinaryRequest request,
      Authentication authentication,
      CommandCounters counters) {
    this.session = session;
    this.decoder = decoder;
    this.cache = session.cache();
    this.options = session.options();
    this.request = request;
    this.authentication = authentication;
    this.counters = counters;
    this.statistics = new Statistics(session, counters);
    this.sasl = new SaslPlain(authentication);
  }

  /** Runs a command without a value; returns false if the connection is to be closed. */
  boolean run(BinaryOpcode command, Reply reply) {
    try {
      return runOrFail(command, reply);
    } catch (CacheBusyException _) {
      decoder.continueWith(
          new RetryLater(
              later -> {
                boolean _ = runOrFail(command, later); // what reads an item does not end it
              }));
      return true;
    }
  }

  private boolean runOrFail(BinaryOpcode command, Reply reply) {
    int start = reply.length();
    try {
      return run(command.action, command.isQuiet, reply);
    } catch (CacheFullException _) {
      counters.count(Counter.STORE_NO_MEMORY);
      reply.truncate(start);
      fail(BinaryStatus.NO_MEMORY, reply);
      return true;
    }
  }

  private boolean run(Action action, boolean isQuiet, Reply reply) {
    switch (action) {
      case GET -> get(isQuiet, false, reply);
      case GETK -> get(isQuiet, true, reply);
      case TOUCH, GAT, GATK -> touch(action, isQuiet, reply);
      case DELETE -> delete(isQuiet, reply);
      case INCREMENT, DECREMENT -> arithmetic(action == Action.INCREMENT, isQuiet, reply);
      case FLUSH -> flush(isQuiet, reply);
      case NOOP -> done(false, 0, reply);
      case VERSION -> text(options.version(), reply);
      case VERBOSITY -> {
        session.control().setVerbosity((int) Math.min(request.extras32(0), Integer.MAX_VALUE));
        done(false, 0, reply);
      }
      case STAT -> stat(reply);
      case QUIT -> {
        decoder.noteQuit();
        done(isQuiet, 0, reply);
        return false;
      }
      case SASL_LIST -> {
        if (authentication.isAsked()) {
          text(SaslPlain.MECHANISM, reply);
        } else {
          fail(BinaryStatus.UNKNOWN_COMMAND, reply);
        }
      }
      case SET, ADD, REPLACE, APPEND, PREPEND, SASL_AUTH, SASL_STEP ->
          throw new AssertionError(action); // these have a value
    }
    return true;
  }

  private void header(BinaryStatus status, int extras, int key, int body, long cas, Reply reply) {
    reply
        .add((char) RESPONSE_MAGIC)
        .add((char) (request.opcode() & 0xff))
        .addInt16(key)
        .add((char) extras)
        .add('\0')
        .addInt16(status.code)
        .addInt32(body)
        .addInt32(request.opaque())
        .addInt64(cas);
  }

  /** Replies that the command was not done. Quiet commands say this, too. */
  void fail(BinaryStatus status, Reply reply) {
    header(status, 0, 0, status.text.length(), 0, reply);
    reply.add(status.text);
  }

  private void done(boolean isQuiet, long cas, Reply reply) {
    if (!isQuiet) {
      header(BinaryStatus.OK, 0, 0, 0, cas, reply);
    }
  }

  private void text(String text, Reply reply) {
    header(BinaryStatus.OK, 0, 0, text.length(), 0, reply);
    reply.add(text);
  }

  private void get(boolean isQuiet, boolean withKey, Reply reply) {
    byte[] key = request.key();
    Item item = cache.get(key);
    counters.count(Counter.CMD_GET);
    counters.count(item == null ? Counter.GET_MISSES : Counter.GET_HITS);
    counters.prefixes().countGet(key, item != null);
    if (item == null) {
      miss(key, isQuiet, withKey, reply);
    } else {
      cache.accessed(key);
      hit(item, withKey ? key : NOTHING, true, reply);
    }
  }

  private void touch(Action action, boolean isQuiet, Reply reply) {
    byte[] key = request.key();
    long expiresAt = Expiry.of(request.extras32(0), cache.now());
    ItemUpdate update = found -> found == null ? null : found.withExpiry(expiresAt);
    boolean returnsValue = action != Action.TOUCH;
    Item item = returnsValue ? cache.updateAndGet(key, update) : cache.update(key, update);
    counters.count(Counter.CMD_TOUCH);
    counters.count(item == null ? Counter.TOUCH_MISSES : Counter.TOUCH_HITS);
    counters.prefixes().countGet(key, item != null);
    boolean withKey = action == Action.GATK;
    if (item == null) {
      miss(key, isQuiet, withKey, reply);
    } else {
      cache.accessed(key);
      hit(item, withKey ? key : NOTHING, returnsValue, reply);
    }
  }

  private void miss(byte[] key, boolean isQuiet, boolean withKey, Reply reply) {
    if (isQuiet) {
      return;
    }
    if (withKey) {
      header(BinaryStatus.NOT_FOUND, 0, key.length, key.length, 0, reply);
      reply.add(key);
    } else {
      fail(BinaryStatus.NOT_FOUND, reply);
    }
  }

  private void hit(Item item, byte[] key, boolean withValue, Reply reply) {
    int body = FLAGS_BYTES + key.length + (withValue ? item.valueBytes() : 0);
    header(BinaryStatus.OK, FLAGS_BYTES, key.length, body, item.cas(), reply);
    reply.addInt32(item.flags()).add(key);
    if (withValue && item.large() != null) {
      decoder.continueWith(new ValueReply(cache.reader(), false));
    } else if (withValue) {
      reply.add(item.value());
    }
  }

  private void delete(boolean isQuiet, Reply reply) {
    byte[] key = request.key();
    long cas = request.cas();
    BinaryStatus[] status = {BinaryStatus.OK};
    cache.update(
        key,
        item -> {
          if (item != null && cas != 0 && cas != item.cas()) {
            status[0] = BinaryStatus.EXISTS;
            return item;
          }
          status[0] = item == null ? BinaryStatus.NOT_FOUND : BinaryStatus.OK;
          return null;
        });
    counters.prefixes().countDelete(key);
    switch (status[0]) {
      case OK -> {
        counters.count(Counter.DELETE_HITS);
        done(isQuiet, 0, reply);
      }
      case NOT_FOUND -> {
        counters.count(Counter.DELETE_MISSES);
        fail(BinaryStatus.NOT_FOUND, reply);
      }
      default -> fail(status[0], reply);
    }
  }

  private void arithmetic(boolean adds, boolean isQuiet, Reply reply) {
    Arithmetic command = new Arithmetic(request.key(), adds, request.extras64(0));
    command.cas = request.cas();
    long expiry = request.extras32(16);
    if (expiry != DO_NOT_CREATE) {
      command.creates = true;
      command.initial = request.extras64(8);
      command.initialExpiry = expiry;
    }
    Item item = command.run(session);
    command.count(counters);
    switch (command.outcome()) {
      case NOT_FOUND -> fail(BinaryStatus.NOT_FOUND, reply);
      case NOT_A_NUMBER -> fail(BinaryStatus.NOT_A_NUMBER, reply);
      case CAS_MISMATCH -> fail(BinaryStatus.EXISTS, reply);
      case DONE, CREATED -> {
        if (!isQuiet) {
          header(BinaryStatus.OK, 0, 0, Long.BYTES, item == null ? 0 : item.cas(), reply);
          reply.addInt64(command.result());
        }
      }
    }
  }

  private void flush(boolean isQuiet, Reply reply) {
    if (!options.flushAllowed()) {
      fail(BinaryStatus.AUTH_ERROR, reply);
      return;
    }
    counters.count(Counter.CMD_FLUSH);
    session.flush(request.extrasBytes() == 0 ? 0 : request.extras32(0));
    done(isQuiet, 0, reply);
  }

  private void stat(Reply reply) {
    BiConsumer<String, String> row = (name, value) -> row(name, value, reply);
    int start = reply.length();
    String key = new String(request.key(), StandardCharsets.ISO_8859_1);
    String[] words = key.split(" ", 3);
    boolean isNamed = key.isEmpty() || !words[0].isEmpty(); // a blank first names no statistics
    if (isNamed && statistics.rows(words[0], words.length > 1 ? words[1] : "", row)) {
      header(BinaryStatus.OK, 0, 0, 0, 0, reply);
    } else {
      reply.truncate(start);
      fail(BinaryStatus.NOT_FOUND, reply);
    }
  }

  private void row(String name, String value, Reply reply) {
    int key = name.length();
    header(BinaryStatus.OK, 0, key, key + value.length(), 0, reply);
    reply.add(name).add(value);
  }

  /** Returns the command of a request whose value is on the way. */
  StoreCommand storing(BinaryOpcode command, int valueBytes) {
    boolean extendsItem = command.action == Action.APPEND || command.action == Action.PREPEND;
    StoreMode mode =
        switch (command.action) {
          case APPEND -> StoreMode.APPEND;
          case PREPEND -> StoreMode.PREPEND;
          case ADD -> request.cas() != 0 ? StoreMode.CAS : StoreMode.ADD;
          case REPLACE -> request.cas() != 0 ? StoreMode.CAS : StoreMode.REPLACE;
          case SET -> request.cas() != 0 ? StoreMode.CAS : StoreMode.SET;
          default -> throw new AssertionError(command);
        };
    int flags = extendsItem ? 0 : (int) request.extras32(0);
    long expiry = extendsItem ? 0 : request.extras32(4);
    StoreCommand store = new StoreCommand(mode, request.key(), flags, expiry, valueBytes);
    store.cas = request.cas();
    store.isQuiet = command.isQuiet;
    return store;
  }

  /** An item is too large to be stored: the one that it would have replaced goes. */
  void tooLarge(Action action, StoreCommand refused) {
    counters.count(Counter.STORE_TOO_LARGE);
    session.tellTooLarge(refused.key, refused.mode, refused.valueBytes);
    if (action == Action.SET) {
      session.removeStale(request.key());
    }
  }

  /** Ends a command that stores. */
  void store(StoreCommand command, Reply reply) {
    counters.count(Counter.CMD_SET);
    counters.prefixes().countSet(command.key);
    StoreRun.run(command, session, decoder, this::stored, reply);
  }

  /** Replies to a command that stores; the outcome is null if there was no memory. */
  private void stored(StoreCommand command, StoreCommand.@Nullable Outcome outcome, Reply reply) {
    if (outcome == null) {
      counters.count(Counter.STORE_NO_MEMORY);
      if (command.mode == StoreMode.SET) {
        session.removeStale(command.key);
      }
      fail(BinaryStatus.NO_MEMORY, reply);
      return;
    }
    command.count(counters);
    BinaryStatus problem = problem(command.mode, outcome);
    if (problem == null) {
      done(command.isQuiet, command.storedCas(), reply);
    } else {
      fail(problem, reply);
    }
  }

  private static @Nullable BinaryStatus problem(StoreMode mode, StoreCommand.Outcome outcome) {
    return switch (outcome) {
      case STORED -> null;
      case EXISTS -> BinaryStatus.EXISTS;
      case NOT_FOUND -> BinaryStatus.NOT_FOUND;
      case NOT_STORED, TOO_LARGE, TO_BE_JOINED ->
          switch (mode) {
            case ADD -> BinaryStatus.EXISTS;
            case REPLACE -> BinaryStatus.NOT_FOUND;
            default -> BinaryStatus.NOT_STORED;
          };
    };
  }

  /** Ends a command of SASL. */
  void authenticate(byte[] value, Reply reply) {
    boolean begins = request.command() == BinaryOpcode.SASL_AUTH;
    BinaryStatus status =
        begins ? sasl.begin(request.key(), value) : sasl.step(request.key(), value);
    if (status == BinaryStatus.OK) {
      text("Authenticated", reply);
    } else {
      fail(status, reply);
    }
  }
}
