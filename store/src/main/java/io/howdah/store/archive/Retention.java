package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.store.archive.ArchiveIndex.Base;
import io.howdah.store.archive.ArchiveIndex.LogObject;
import io.howdah.store.archive.ArchiveIndex.Stretch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Removes what no kept moment needs. The oldest kept moment is restored from the newest base that
 * has a moment before it; this base and all that is newer stay. So the newest base that can be
 * restored never goes (docs/protocol.md, R56).
 */
final class Retention {

  private Retention() {}

  /**
   * Returns the names of the objects that may be removed, in the order in which they are: first the
   * bases, so that no base is left without its log.
   *
   * @param keptSinceMillis the oldest moment that must be restorable, since 1970
   */
  static List<String> removable(
      ArchiveIndex index, SortedMap<String, Long> objects, long keptSinceMillis) {
    Optional<Base> oldest =
        index.usableBases().stream()
            .filter(base -> hasMomentUpTo(index, base, keptSinceMillis))
            .max(order());
    if (oldest.isEmpty()) {
      return List.of();
    }
    Base kept = oldest.get();
    List<String> bases = new ArrayList<>();
    List<String> log = new ArrayList<>();
    Stretch behind = index.behind(kept).orElseThrow();
    for (String name : objects.keySet()) {
      Optional<ArchiveNames.Part> part = ArchiveNames.part(name);
      if (part.isEmpty() || part.get().run() > kept.run().number()) {
        continue;
      }
      boolean isOlder = part.get().run() < kept.run().number();
      if (part.get().isBase() && (isOlder || part.get().number() < kept.number())) {
        bases.add(name);
      } else if (!part.get().isBase() && (isOlder || isBefore(behind, name, kept))) {
        log.add(name);
      }
    }
    bases.addAll(log);
    return bases;
  }

  private static Comparator<Base> order() {
    return Comparator.<Base>comparingLong(base -> base.run().number())
        .thenComparingLong(Base::number);
  }

  private static boolean hasMomentUpTo(ArchiveIndex index, Base base, long millis) {
    return index.behind(base).orElseThrow().marks.stream()
        .filter(mark -> mark.lsn() >= base.lsn())
        .findFirst()
        .filter(mark -> mark.millis() <= millis)
        .isPresent();
  }

  /** Returns whether the log that a base needs begins behind an object. */
  private static boolean isBefore(Stretch behind, String object, Base base) {
    List<LogObject> parts = behind.objects;
    for (int i = 0; i + 1 < parts.size(); i++) {
      if (parts.get(i).name().equals(object)) {
        return parts.get(i + 1).firstBatch() <= base.firstBatch();
      }
    }
    return false;
  }

  /** Removes objects. A failure leaves the others, and each state between is a whole archive. */
  static void remove(ArchiveTarget target, List<String> names) {
    names.forEach(target::remove);
  }
}
