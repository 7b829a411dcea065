package io.howdah.cli.entries;

import io.howdah.cli.value.JsonValue;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named structure of a store, as the commands on single entries see it. Operands are texts of the
 * command line; which there are is said by lists of their names, one list for each way to call.
 */
interface Structure {

  /** Returns what it is: "map", "list" and so on. */
  String kind();

  /** Returns what {@link #get} takes. */
  List<List<String>> getOperands();

  /** Returns what {@link #put} takes. */
  List<List<String>> putOperands();

  /** Returns what {@link #remove} takes; empty if nothing can be removed. */
  List<List<String>> removeOperands();

  /** Returns what is there, or null. */
  @Nullable JsonValue get(Tx tx, List<String> operands);

  /** Puts or adds something. */
  void put(Tx tx, List<String> operands);

  /** Returns whether what is put has a time to live. */
  default boolean isExpiring() {
    return false;
  }

  /** Returns when something expires: {@link Instant#MAX} for never; null if it is not there. */
  default @Nullable Instant expiresAt(Tx tx, List<String> operands) {
    throw new IllegalStateException("a " + kind() + " does not expire");
  }

  /** Puts something for a time. */
  default void put(Tx tx, List<String> operands, Duration timeToLive) {
    throw new IllegalStateException("a " + kind() + " does not expire");
  }

  /** Removes something, and returns whether it was there. */
  boolean remove(Tx tx, List<String> operands);
}
