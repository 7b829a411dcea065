package io.howdah.testkit.disk;

import io.howdah.core.storage.StorageException.Reason;
import java.util.Objects;

/**
 * A failure to be met by an operation: the n-th of its kind from now on, in files whose name
 * contains a text. A write that fails has written a part of its bytes, as a short write leaves
 * them; a force that fails leaves what it covered unknown; every other operation that fails has
 * done nothing.
 *
 * @param operation the kind that fails
 * @param nth which one of that kind, counted from 1 when the fault is injected
 * @param file part of the file's name; empty for any file
 * @param reason what the port reports
 * @param sticky whether every later one of that kind fails too
 */
public record Fault(Operation operation, long nth, String file, Reason reason, boolean sticky) {

  /** Checks the position. */
  public Fault {
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(file, "file");
    if (nth < 1) {
      throw new IllegalArgumentException("nth is " + nth + ", expected at least 1");
    }
  }

  /** Returns a one-shot input/output error of the n-th operation of a kind, in any file. */
  public static Fault onNth(Operation operation, long nth) {
    return new Fault(operation, nth, "", Reason.IO, false);
  }

  /** Returns the same fault, counting and failing only files whose name contains a text. */
  public Fault in(String part) {
    return new Fault(operation, nth, part, reason, sticky);
  }

  /** Returns the same fault with another reason. */
  public Fault with(Reason other) {
    return new Fault(operation, nth, file, other, sticky);
  }

  /** Returns the same fault, failing every later operation too. */
  public Fault forEver() {
    return new Fault(operation, nth, file, reason, true);
  }
}
