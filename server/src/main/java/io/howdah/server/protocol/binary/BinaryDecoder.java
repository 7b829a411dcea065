package io.howdah.server.protocol.binary;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.Decoder;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.ValueBuffer;
import io.howdah.server.protocol.binary.BinaryOpcode.Action;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The binary protocol's state machine: header, then extras and key, then the value, each in any
 * pieces. The lengths are checked as soon as the header is there. A request whose lengths cannot be
 * right is answered, and the connection ends, because the start of the next request is unknown.
 */
public final class BinaryDecoder extends Decoder {

  /** memcached's bound: a request with a longer body is none. */
  private static final int MAX_BODY_BYTES = 1 << 30;

  private static final int MAX_SASL_BYTES = 4096;

  private enum State {
    HEADER,
    START,
    VALUE,
    SWALLOW,
    CLOSED
  }

  private final Cache cache;
  private final ProtocolOptions options;
  private final Authentication authentication;
  private final BinaryRequest request = new BinaryRequest();
  private final ValueBuffer value = new ValueBuffer();
  private final BinaryCommands commands;
  private State state = State.HEADER;
  private @Nullable StoreCommand pending;
  private long swallow;

  /** Bytes of refused values that have come. */
  private long skipped;

  public BinaryDecoder(
      SessionContext session, Authentication authentication, CommandCounters counters) {
    this.cache = session.cache();
    this.options = session.options();
    this.authentication = authentication;
    this.commands = new BinaryCommands(session, this, request, authentication, counters);
  }

  @Override
  protected void takeInput(ByteBuffer input, Reply reply) {
    switch (state) {
      case HEADER -> takeHeader(input, reply);
      case START -> takeStart(input, reply);
      case VALUE -> takeValue(input, reply);
      case SWALLOW -> skip(input);
      case CLOSED -> throw new AssertionError(state);
    }
  }

  private void takeHeader(ByteBuffer input, Reply reply) {
    if (!request.takeHeader(input)) {
      return;
    }
    if (!request.hasMagic()) {
      state = State.CLOSED;
      return;
    }
    BinaryStatus problem = problem();
    if (problem != null) {
      commands.fail(problem, reply);
      state = State.CLOSED;
    } else if (request.extrasBytes() + request.keyBytes() == 0) {
      started(reply);
    } else {
      state = State.START;
    }
  }

  /** Returns what ends the connection, or null. */
  private @Nullable BinaryStatus problem() {
    if (request.valueBytes() < 0) {
      return BinaryStatus.UNKNOWN_COMMAND;
    }
    if (request.bodyBytes() > MAX_BODY_BYTES) {
      return BinaryStatus.INVALID;
    }
    BinaryOpcode command = request.command();
    if (!authentication.isDone() && !mayPrecedeAuthentication(command)) {
      return BinaryStatus.AUTH_ERROR;
    }
    if (request.keyBytes() > ProtocolOptions.MAX_KEY_BYTES) {
      return BinaryStatus.INVALID;
    }
    boolean fits =
        command == null
            || command.action.fits(
                request.extrasBytes(), request.keyBytes(), (int) request.valueBytes());
    return fits ? null : BinaryStatus.INVALID;
  }

  private static boolean mayPrecedeAuthentication(@Nullable BinaryOpcode command) {
    return command != null
        && switch (command.action) {
          case SASL_LIST, SASL_AUTH, SASL_STEP, VERSION -> true;
          default -> false;
        };
  }

  private void takeStart(ByteBuffer input, Reply reply) {
    if (request.takeStart(input)) {
      started(reply);
    }
  }

  /** Extras and key are there. */
  private void started(Reply reply) {
    BinaryOpcode command = request.command();
    int valueBytes = (int) request.valueBytes();
    if (command == null) {
      refuse(BinaryStatus.UNKNOWN_COMMAND, reply);
      return;
    }
    Action action = command.action;
    if (!action.hasValue) {
      state = State.HEADER;
      if (!commands.run(command, reply)) {
        state = State.CLOSED;
      }
      clearUnlessMore();
      return;
    }
    if (action == Action.SASL_AUTH || action == Action.SASL_STEP) {
      if (!authentication.isAsked()) {
        refuse(BinaryStatus.UNKNOWN_COMMAND, reply);
        return;
      }
      if (valueBytes > MAX_SASL_BYTES) {
        refuse(BinaryStatus.INVALID, reply);
        return;
      }
    } else if (options.fits(request.keyBytes(), valueBytes)) {
      pending = commands.storing(command, valueBytes);
    } else {
      commands.tooLarge(action, commands.storing(command, valueBytes));
      refuse(BinaryStatus.TOO_LARGE, reply);
      return;
    }
    if (pending == null) {
      value.begin(valueBytes);
    } else {
      value.begin(valueBytes, cache);
    }
    state = State.VALUE;
    if (valueBytes == 0) {
      complete(reply);
    }
  }

  /** Replies, and drops the value that will come. */
  private void refuse(BinaryStatus status, Reply reply) {
    commands.fail(status, reply);
    swallow(request.valueBytes());
  }

  private void swallow(long bytes) {
    swallow = bytes;
    if (bytes == 0) {
      request.clear();
    }
    state = bytes == 0 ? State.HEADER : State.SWALLOW;
  }

  private void takeValue(ByteBuffer input, Reply reply) {
    if (value.take(input)) {
      complete(reply);
    }
  }

  private void complete(Reply reply) {
    StoreCommand command = pending;
    pending = null;
    state = State.HEADER;
    if (command != null) {
      value.endInto(command);
      commands.store(command, reply);
    } else {
      commands.authenticate(value.end(), reply);
      if (authentication.isHopeless()) {
        state = State.CLOSED;
      }
    }
    clearUnlessMore();
  }

  /** A command that takes more turns needs its request until it has ended. */
  private void clearUnlessMore() {
    if (!hasMore()) {
      request.clear();
    }
  }

  @Override
  protected void ended() {
    request.clear();
  }

  private void skip(ByteBuffer input) {
    int count = (int) Math.min(swallow, input.remaining());
    input.position(input.position() + count);
    skipped += count;
    swallow(swallow - count);
  }

  @Override
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  @Override
  protected boolean isArriving() {
    return state != State.HEADER || !request.isEmpty();
  }

  @Override
  protected int inputBytes() {
    return value.heldBytes();
  }

  @Override
  public long valueBytesTaken() {
    return value.taken() + skipped;
  }

  @Override
  public void refuse(Reply reply) {
    commands.fail(BinaryStatus.NO_MEMORY, reply);
  }

  @Override
  public void release() {
    super.release();
    value.release();
  }
}
