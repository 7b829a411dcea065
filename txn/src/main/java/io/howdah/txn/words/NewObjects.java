package io.howdah.txn.words;

import java.util.ArrayList;
import java.util.List;

/**
 * The objects that one attempt has created and whose types have properties that do not persist. If
 * the attempt does not commit, this list drops the values of those properties, because no later
 * transaction can free an object that was never committed. Not thread-safe.
 */
public final class NewObjects {

  private static final int KEPT = 1 << 12;

  /** A type that keeps properties of its objects outside the store. */
  public interface Owner {

    /** Drops the properties of an object that do not persist. */
    void forgetNotPersistent(long reference);
  }

  private record Made(Owner type, long reference) {}

  private List<Made> made = new ArrayList<>(0);

  /** Whether the list has contained more than {@link #KEPT} objects. */
  private boolean isLarge;

  /** Adds an object that the attempt creates, or a further block of one. */
  public void add(Owner type, long reference) {
    made.add(new Made(type, reference));
  }

  /** Returns the number of objects, for {@link #rollBack}. */
  public int count() {
    return made.size();
  }

  /** Removes the objects after the first {@code count}, and drops their properties. */
  public void rollBack(int count) {
    for (int i = made.size() - 1; i >= count; i--) {
      Made last = made.get(i);
      last.type.forgetNotPersistent(last.reference);
      made.remove(i);
    }
  }

  /** Called when the attempt has ended. Allocates nothing, since the attempt may have committed. */
  public void end(boolean committed) {
    if (made.isEmpty()) {
      return;
    }
    isLarge |= made.size() > KEPT;
    if (!committed) {
      rollBack(0);
    }
    made.clear();
  }

  /** Frees memory that an unusually large transaction needed. Called after its end. */
  public void trim() {
    if (isLarge) {
      made = new ArrayList<>(0);
      isLarge = false;
    }
  }
}
