package io.howdah.codec;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of the records, enums and sealed interfaces whose values it holds: a text for
 * each, by the name of the type. Codecs ask it when they are bound. Thread-safe.
 */
public interface Shapes {

  /**
   * What the store holds of a type.
   *
   * @param name under which the store has it: the name it was first stored by
   * @param text as {@code ShapeTextLayout} describes it
   */
  record Entry(String name, String text) {}

  /**
   * Returns whether the codec is for keys or for the elements of a set, whose bytes are compared:
   * equal values must give equal bytes for ever, so the shape of a key cannot change.
   */
  boolean isForKeys();

  /**
   * Finds the text of a type, lets the codec bring it up to date, and stores it if it has changed.
   * It is durable when this returns, so before the first value that depends on it. A store that is
   * open for reading only keeps what it has.
   *
   * @param formerNames names to look for if there is no entry of the name
   * @param update from the text, or null if there is none, to the new one; may be called again
   */
  Entry open(String name, List<String> formerNames, UnaryOperator<@Nullable String> update);

  /** Returns the newest text of a type that was opened, or null if there is none. */
  @Nullable String text(String name);

  /**
   * Called by a codec whose program is older than what the store has of a type, and can use the
   * type but not wholly. A rehearsal reports it. Does nothing by default.
   *
   * @param name under which the store has the type
   * @param limits what the program refuses to do
   */
  default void limited(String name, String limits) {}
}
