package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.store.archive.ArchiveIndex.Base;
import io.howdah.store.archive.ArchiveIndex.LogObject;
import io.howdah.store.archive.ArchiveIndex.Stretch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Removes what no kept moment needs. The oldest kept moment is restored from the newest base that
 * has a moment before it; this base and all that is newer stay, and the bases that these refer to.
 * So the newest base that can be restored never goes (docs/protocol.md, R56).
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
            .max(Comparator.comparing(Base::object)); // names are in the order of runs and bases
    if (oldest.isEmpty()) {
      return List.of();
    }
    Base kept = oldest.get();
    Set<String> needed = new HashSet<>();
    index.bases().stream()
        .filter(base -> base.object().compareTo(kept.object()) >= 0)
        .forEach(base -> needed.addAll(base.chain().objects()));
    List<String> bases = new ArrayList<>();
    List<String> log = new ArrayList<>();
    Stretch behind = index.behind(kept).orElseThrow();
    for (String name : objects.keySet()) {
      Optional<ArchiveNames.Part> part = ArchiveNames.part(name);
      int run = part.isEmpty() ? 1 : runOf(name).compareTo(runOf(kept.object()));
      if (run > 0) {
        continue;
      }
      boolean isOlder = run < 0;
      if (part.get().isBase()) {
        if (!needed.contains(name) && (isOlder || part.get().number() < kept.number())) {
          bases.addFirst(name); // before those that it may refer to
        }
      } else if (isOlder || isBefore(behind, name, kept)) {
        log.add(name);
      }
    }
    bases.addAll(log);
    return bases;
  }

  private static String runOf(String object) {
    return ArchiveNames.run(object);
  }

  private static boolean hasMomentUpTo(ArchiveIndex index, Base base, long millis) {
    return index
        .behind(base)
        .flatMap(stretch -> stretch.marks.firstFrom(base.lsn()))
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
