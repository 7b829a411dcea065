package io.howdah.server.watch;

/** Keys as words of a line, which may have any bytes. */
public final class KeyText {

  private static final String HEX = "0123456789ABCDEF";

  private KeyText() {}

  /** Returns a key as in a URI: what is no unreserved character is a percent sign and its code. */
  public static String of(byte[] key) {
    StringBuilder text = new StringBuilder(key.length);
    for (byte next : key) {
      boolean isPlain =
          (next >= 'a' && next <= 'z')
              || (next >= 'A' && next <= 'Z')
              || (next >= '0' && next <= '9')
              || "-._~".indexOf(next) >= 0;
      if (isPlain) {
        text.append((char) next);
      } else {
        text.append('%').append(HEX.charAt(next >> 4 & 0xf)).append(HEX.charAt(next & 0xf));
      }
    }
    return text.toString();
  }
}
