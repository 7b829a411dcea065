package io.howdah.testkit.disk;

import io.howdah.core.storage.StorageException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The faults still to come, and how far each has counted. Guarded by the disk's lock. */
final class Faults {

  private static final class Pending {
    final Fault fault;
    long seen;

    Pending(Fault fault) {
      this.fault = fault;
    }
  }

  private final List<Pending> pending = new ArrayList<>();

  void add(Fault fault) {
    pending.add(new Pending(fault));
  }

  void clear() {
    pending.clear();
  }

  /** Counts an operation; returns why it fails, or null if it does not. */
  @Nullable Reason meet(Operation operation, String file) {
    Reason reason = null;
    for (Pending p : pending) {
      if (p.fault.operation() == operation && file.contains(p.fault.file())) {
        p.seen++;
        boolean hit = p.fault.sticky() ? p.seen >= p.fault.nth() : p.seen == p.fault.nth();
        if (hit && reason == null) {
          reason = p.fault.reason();
        }
      }
    }
    return reason;
  }
}
