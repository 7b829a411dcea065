package io.howdah.archive;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of an object of the archive. Object stores cannot append, so an object that the archive
 * appends to is a sequence of parts, each of which is an object of the store. Its key is
 *
 * <pre>
 *   NAME / OFFSET - LENGTH - CRC
 * </pre>
 *
 * in hexadecimal digits of lower case: 16 for the offset of the part in the object, 8 for its
 * length in bytes, 8 for the CRC32C of its bytes. So the keys are the manifest: a listing says
 * which bytes the object has, and what they are, and no second object has to be kept in step with
 * the parts. An object that was put as a whole has the key {@code NAME}, and no checksum.
 *
 * @param key in the object store
 * @param offset in the object
 * @param length in bytes
 * @param crc the CRC32C, or -1 if the key has none
 */
record ObjectPart(String key, long offset, int length, long crc) {

  private static final Pattern NAME =
      Pattern.compile("([0-7][0-9a-f]{15})-([0-7][0-9a-f]{7})-([0-9a-f]{8})");

  static final long NO_CRC = -1;

  /** Returns a part whose key names its place and checksum. */
  static ObjectPart of(String objectKey, long offset, int length, int crc) {
    return new ObjectPart(
        String.format(Locale.ROOT, "%s/%016x-%08x-%08x", objectKey, offset, length, crc),
        offset,
        length,
        Integer.toUnsignedLong(crc));
  }

  /**
   * Returns what a key says.
   *
   * @param objectKey key of the object, without a slash at its end
   * @return empty if it is the key of no part of this object
   */
  static Optional<ObjectPart> parse(String objectKey, String key) {
    if (!key.startsWith(objectKey + "/")) {
      return Optional.empty();
    }
    Matcher name = NAME.matcher(key.substring(objectKey.length() + 1));
    if (!name.matches()) {
      return Optional.empty();
    }
    long offset = Long.parseLong(name.group(1), 16);
    int length = Integer.parseInt(name.group(2), 16);
    return offset + length < 0
        ? Optional.empty()
        : Optional.of(new ObjectPart(key, offset, length, Long.parseLong(name.group(3), 16)));
  }

  /** Returns the offset behind the part. */
  long end() {
    return offset + length;
  }
}
