package io.howdah.store.export;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Names in the order of their bytes in UTF-8. */
final class NameOrder {

  static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private NameOrder() {}
}
