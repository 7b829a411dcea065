package io.howdah.server.protocol.binary;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests and responses of the binary protocol as lines of text.
 *
 * <p>A request is the name of a command and what it has of {@code key= flags= exp= delta= initial=
 * opaque= cas= value=}, or {@code hex} and bytes. Lengths follow from the rest. A response is the
 * name, the status, {@code flags= number= key= opaque=}, {@code cas} if the response has one, and
 * {@code value=} up to the end of the line. {@code {n*c}} is n times c, {@code \0} a zero byte.
 * {@code cas=last} in a request is the CAS value of the last response that had one.
 */
public final class BinaryMessages {

  private static final Pattern FIELD = Pattern.compile(" (\\w+)=(?=(.*))");
  private static final Pattern REPEAT = Pattern.compile("\\{(\\d+)\\*(.)}");
  private static final int HEADER = 24;

  private BinaryMessages() {}

  public static byte[] request(String line, long lastCas) {
    int space = (line + " ").indexOf(' ');
    String name = line.substring(0, space);
    if (name.equals("hex")) {
      return HexFormat.of().parseHex(line.substring(4).replace(" ", ""));
    }
    Map<String, String> fields = new HashMap<>();
    String rest = line.substring(space);
    Matcher matcher = FIELD.matcher(rest);
    while (matcher.find()) {
      String value = matcher.group(2);
      boolean isLast = matcher.group(1).equals("value");
      fields.put(matcher.group(1), unescape(isLast ? value : value.split(" ", 2)[0]));
      if (isLast) {
        break;
      }
    }
    BinaryOpcode opcode = BinaryOpcode.valueOf(name.toUpperCase(Locale.ROOT));
    byte[] extras = extras(opcode.action, fields);
    byte[] key = bytes(fields.getOrDefault("key", ""));
    byte[] value = bytes(fields.getOrDefault("value", ""));
    String cas = fields.getOrDefault("cas", "0");
    return ByteBuffer.allocate(HEADER + extras.length + key.length + value.length)
        .put((byte) 0x80)
        .put(code(opcode))
        .putShort((short) key.length)
        .put((byte) extras.length)
        .put((byte) 0)
        .putShort((short) 0)
        .putInt(extras.length + key.length + value.length)
        .putInt(Integer.parseInt(fields.getOrDefault("opaque", "0")))
        .putLong(cas.equals("last") ? lastCas : Long.parseLong(cas))
        .put(extras)
        .put(key)
        .put(value)
        .array();
  }

  private static byte code(BinaryOpcode wanted) {
    for (int code = 0; code < 256; code++) {
      if (BinaryOpcode.of((byte) code) == wanted) {
        return (byte) code;
      }
    }
    throw new AssertionError(wanted);
  }

  private static byte[] extras(BinaryOpcode.Action action, Map<String, String> fields) {
    int exp = Integer.parseUnsignedInt(fields.getOrDefault("exp", "0"));
    return switch (action) {
      case SET, ADD, REPLACE ->
          ByteBuffer.allocate(8)
              .putInt(Integer.parseUnsignedInt(fields.getOrDefault("flags", "0")))
              .putInt(exp)
              .array();
      case INCREMENT, DECREMENT ->
          ByteBuffer.allocate(20)
              .putLong(Long.parseUnsignedLong(fields.getOrDefault("delta", "1")))
              .putLong(Long.parseUnsignedLong(fields.getOrDefault("initial", "0")))
              .putInt(exp)
              .array();
      case TOUCH, GAT, GATK, VERBOSITY -> ByteBuffer.allocate(4).putInt(exp).array();
      case FLUSH ->
          fields.containsKey("exp") ? ByteBuffer.allocate(4).putInt(exp).array() : new byte[0];
      default -> new byte[0];
    };
  }

  /** Returns the length of the response at the start of a buffer, or -1 if it is not complete. */
  static int responseBytes(ByteBuffer buffer) {
    int at = buffer.position();
    if (buffer.remaining() < HEADER) {
      return -1;
    }
    int length = HEADER + buffer.getInt(at + 8);
    return buffer.remaining() < length ? -1 : length;
  }

  /** Takes a response from a buffer; it is complete. */
  public static String response(ByteBuffer buffer, long[] lastCas) {
    int magic = buffer.get() & 0xff;
    byte code = buffer.get();
    int keyBytes = Short.toUnsignedInt(buffer.getShort());
    int extrasBytes = buffer.get() & 0xff;
    int dataType = buffer.get();
    int status = buffer.getShort();
    int bodyBytes = buffer.getInt();
    int opaque = buffer.getInt();
    long cas = buffer.getLong();
    BinaryOpcode opcode = BinaryOpcode.of(code);
    StringBuilder text = new StringBuilder();
    if (magic != 0x81 || dataType != 0) {
      text.append("magic ").append(magic).append(" type ").append(dataType).append(' ');
    }
    text.append(opcode == null ? "0x" + HexFormat.of().toHexDigits(code) : opcode.name());
    text.append(' ').append(status(status));
    if (extrasBytes == 4) {
      text.append(" flags=").append(Integer.toUnsignedString(buffer.getInt()));
    } else if (extrasBytes != 0) {
      text.append(" extras ").append(extrasBytes);
      buffer.position(buffer.position() + extrasBytes);
    }
    byte[] key = new byte[keyBytes];
    buffer.get(key);
    byte[] value = new byte[bodyBytes - extrasBytes - keyBytes];
    buffer.get(value);
    boolean isNumber =
        status == 0
            && opcode != null
            && (opcode.action == BinaryOpcode.Action.INCREMENT
                || opcode.action == BinaryOpcode.Action.DECREMENT);
    if (isNumber) {
      text.append(" number=").append(Long.toUnsignedString(ByteBuffer.wrap(value).getLong()));
    }
    if (keyBytes > 0) {
      text.append(" key=").append(text(key));
    }
    if (opaque != 0) {
      text.append(" opaque=").append(opaque);
    }
    if (cas != 0) {
      text.append(" cas");
      lastCas[0] = cas;
    }
    if (!isNumber && value.length > 0) {
      text.append(" value=").append(text(value));
    }
    return text.toString().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String status(int code) {
    for (BinaryStatus status : BinaryStatus.values()) {
      if (status.code == code) {
        return status.name();
      }
    }
    return "0x" + Integer.toHexString(code);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1).replace("\0", "\\0");
  }

  private static String unescape(String text) {
    return repeat(text).replace("\\0", "\0");
  }

  public static String repeat(String text) {
    return REPEAT
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(found.group(2).repeat(Integer.parseInt(found.group(1)))));
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
