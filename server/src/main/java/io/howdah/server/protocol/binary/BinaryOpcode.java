package io.howdah.server.protocol.binary;

import org.jspecify.annotations.Nullable;

/** The commands of the binary protocol, and what each one's request consists of. */
enum BinaryOpcode {
  GET(0x00, Action.GET, false),
  SET(0x01, Action.SET, false),
  ADD(0x02, Action.ADD, false),
  REPLACE(0x03, Action.REPLACE, false),
  DELETE(0x04, Action.DELETE, false),
  INCREMENT(0x05, Action.INCREMENT, false),
  DECREMENT(0x06, Action.DECREMENT, false),
  QUIT(0x07, Action.QUIT, false),
  FLUSH(0x08, Action.FLUSH, false),
  GETQ(0x09, Action.GET, true),
  NOOP(0x0a, Action.NOOP, false),
  VERSION(0x0b, Action.VERSION, false),
  GETK(0x0c, Action.GETK, false),
  GETKQ(0x0d, Action.GETK, true),
  APPEND(0x0e, Action.APPEND, false),
  PREPEND(0x0f, Action.PREPEND, false),
  STAT(0x10, Action.STAT, false),
  SETQ(0x11, Action.SET, true),
  ADDQ(0x12, Action.ADD, true),
  REPLACEQ(0x13, Action.REPLACE, true),
  DELETEQ(0x14, Action.DELETE, true),
  INCREMENTQ(0x15, Action.INCREMENT, true),
  DECREMENTQ(0x16, Action.DECREMENT, true),
  QUITQ(0x17, Action.QUIT, true),
  FLUSHQ(0x18, Action.FLUSH, true),
  APPENDQ(0x19, Action.APPEND, true),
  PREPENDQ(0x1a, Action.PREPEND, true),
  VERBOSITY(0x1b, Action.VERBOSITY, false),
  TOUCH(0x1c, Action.TOUCH, false),
  GAT(0x1d, Action.GAT, false),
  GATQ(0x1e, Action.GAT, true),
  SASL_LIST(0x20, Action.SASL_LIST, false),
  SASL_AUTH(0x21, Action.SASL_AUTH, false),
  SASL_STEP(0x22, Action.SASL_STEP, false),
  GATK(0x23, Action.GATK, false),
  GATKQ(0x24, Action.GATK, true);

  /** What a command does, whether it is quiet or not. */
  enum Action {
    GET(0, 0, Part.NEEDED, false),
    GETK(0, 0, Part.NEEDED, false),
    SET(8, 8, Part.NEEDED, true),
    ADD(8, 8, Part.NEEDED, true),
    REPLACE(8, 8, Part.NEEDED, true),
    DELETE(0, 0, Part.NEEDED, false),
    INCREMENT(20, 20, Part.NEEDED, false),
    DECREMENT(20, 20, Part.NEEDED, false),
    QUIT(0, 0, Part.NONE, false),
    FLUSH(0, 4, Part.NONE, false),
    NOOP(0, 0, Part.NONE, false),
    VERSION(0, 0, Part.NONE, false),
    APPEND(0, 0, Part.NEEDED, true),
    PREPEND(0, 0, Part.NEEDED, true),
    STAT(0, 0, Part.ALLOWED, false),
    VERBOSITY(4, 4, Part.NONE, false),
    TOUCH(4, 4, Part.NEEDED, false),
    GAT(4, 4, Part.NEEDED, false),
    GATK(4, 4, Part.NEEDED, false),
    SASL_LIST(0, 0, Part.NONE, false),
    SASL_AUTH(0, 0, Part.NEEDED, true),
    SASL_STEP(0, 0, Part.NEEDED, true);

    private final int extras;
    private final int orExtras;
    private final Part key;
    final boolean hasValue;

    Action(int extras, int orExtras, Part key, boolean hasValue) {
      this.extras = extras;
      this.orExtras = orExtras;
      this.key = key;
      this.hasValue = hasValue;
    }

    /** Returns whether a request of these lengths is this command. */
    boolean fits(int extrasBytes, int keyBytes, int valueBytes) {
      return (extrasBytes == extras || extrasBytes == orExtras)
          && (keyBytes > 0 ? key != Part.NONE : key != Part.NEEDED)
          && (hasValue || valueBytes == 0);
    }
  }

  private enum Part {
    NONE,
    ALLOWED,
    NEEDED
  }

  private static final @Nullable BinaryOpcode[] BY_CODE = new BinaryOpcode[1 << Byte.SIZE];

  static {
    for (BinaryOpcode opcode : values()) {
      BY_CODE[opcode.code] = opcode;
    }
  }

  private final int code;
  final Action action;

  /** Whether a client wants no reply if the command does what it usually does. */
  final boolean isQuiet;

  BinaryOpcode(int code, Action action, boolean isQuiet) {
    this.code = code;
    this.action = action;
    this.isQuiet = isQuiet;
  }

  /** Returns the command of a byte, or null if there is none. */
  static @Nullable BinaryOpcode of(byte code) {
    return BY_CODE[code & 0xff];
  }
}
