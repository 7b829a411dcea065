package io.howdah.cli.value;

import org.jspecify.annotations.Nullable;

/**
 * A value of a collection.
 *
 * @param tree strings, booleans, numbers, null, lists and maps
 */
public record JsonValue(@Nullable Object tree) {

  /** Returns a string as it is, and anything else as JSON. */
  public String forPeople() {
    return tree instanceof String text ? text : toString();
  }

  /** Returns it as JSON. */
  @Override
  public String toString() {
    return JsonTree.of(tree);
  }
}
