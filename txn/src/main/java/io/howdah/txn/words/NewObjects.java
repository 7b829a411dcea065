package io.howdah.txn.words;

import java.util.ArrayList;
import java.util.List;

/**
 * The objects that one attempt has made, as far as their types have properties that do not persist.
 * If the attempt does not commit, the values of those properties are forgotten: nobody else can
 * free an object that never was. Not thread-safe.
 */
public final class NewObjects {

  private static final int KEPT = 1 << 12;

  /** A type that keeps properties of objects outside the store. */
  public interface Owner {

    /** Forgets the properties of an object. */
    void forgetNotPersistent(long reference);
  }

  private record Made(Owner type, long reference) {}

  private List<Made> made = new ArrayList<>(0);

  /** Whether the list has had unusually many objects. */
  private boolean isLarge;

  /** The attempt makes an object, or a block that continues one. */
  public void add(Owner type, long reference) {
    made.add(new Made(type, reference));
  }

  /** Returns the number of objects, for {@link #rollBack}. */
  public int count() {
    return made.size();
  }

  /** Forgets the objects after the first ones. */
  public void rollBack(int count) {
    for (int i = made.size() - 1; i >= count; i--) {
      Made last = made.get(i);
      last.type.forgetNotPersistent(last.reference);
      made.remove(i);
    }
  }

  /** The attempt has ended. Allocates nothing, since it may have committed. */
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

  /** Gives memory back that an unusually large transaction needed, once it has ended. */
  public void trim() {
    if (isLarge) {
      made = new ArrayList<>(0);
      isLarge = false;
    }
  }
}
