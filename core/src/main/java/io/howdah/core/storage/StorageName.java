package io.howdah.core.storage;

/**
 * The rule for names of files in a {@link Storage}: components of ASCII letters, digits, {@code .},
 * {@code _} and {@code -}, not starting with a dot, separated by single slashes. So a name leads
 * below its storage, whatever it was read from.
 */
public final class StorageName {

  /** Longest name, slashes included. */
  public static final int MAX_LENGTH = 200;

  private StorageName() {}

  /**
   * Returns the name if it follows the rule.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static String requireValid(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      throw invalid(name);
    }
    boolean componentStarts = true;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean separator = c == '/';
      if (separator ? componentStarts : !isAllowed(c) || (componentStarts && c == '.')) {
        throw invalid(name);
      }
      componentStarts = separator;
    }
    if (componentStarts) {
      throw invalid(name);
    }
    return name;
  }

  /**
   * Returns the name if it follows the rule and has one component.
   *
   * @throws IllegalArgumentException if not
   */
  public static String requireSingle(String name) {
    if (requireValid(name).indexOf('/') >= 0) {
      throw invalid(name);
    }
    return name;
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  private static IllegalArgumentException invalid(String name) {
    return new IllegalArgumentException(
        "not a name of a file in a storage: \""
            + name.substring(0, Math.min(name.length(), MAX_LENGTH))
            + "\" ("
            + name.length()
            + " characters; at most "
            + MAX_LENGTH
            + ", components of A-Z a-z 0-9 . _ - separated by /)");
  }
}
