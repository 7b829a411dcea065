package io.howdah.testkit.disk;

import java.util.BitSet;

/**
 * Notes the first read of each unit of a file that a crash left, with what the unit held at the
 * crash. A unit that was overwritten as a whole before is not read: it holds what the process under
 * watch wrote. Guarded by the disk's lock.
 */
final class UnitWatch {

  private final ReadNotes notes;
  private final Inode base;
  private final int unitBytes;

  /** Units that are noted already. Private copies of the file share it. */
  private final BitSet noted;

  /** Units that hold only what was written since the crash. */
  private final BitSet overwritten = new BitSet();

  /**
   * Watches a file.
   *
   * @param base the file at the crash, which does not change
   */
  UnitWatch(ReadNotes notes, Inode base, int unitBytes) {
    this(notes, base, unitBytes, new BitSet());
  }

  private UnitWatch(ReadNotes notes, Inode base, int unitBytes, BitSet noted) {
    this.notes = notes;
    this.base = base;
    this.unitBytes = unitBytes;
    this.noted = noted;
  }

  /**
   * Returns the watch of a private mapping. A page that it has copied keeps what the file held,
   * even if the file is overwritten later, so only writes to the mapping itself count as such.
   */
  UnitWatch ofPrivateCopy() {
    return new UnitWatch(notes, base, unitBytes, noted);
  }

  void read(int page, int from, int length) {
    if (length == 0) {
      return;
    }
    int first = unit(page, from);
    int last = unit(page, from + length - 1);
    for (int unit = first; unit <= last; unit++) {
      if (!noted.get(unit) && !overwritten.get(unit)) {
        noted.set(unit);
        int inPage = unit % units();
        notes.add(
            ReadNotes.place(base.number, page, inPage),
            ReadNotes.hash(base.pages.get(page), inPage * unitBytes, unitBytes));
      }
    }
  }

  void overwritten(int page, int from, int length) {
    int first = unit(page, from + unitBytes - 1);
    int end = unit(page, from + length);
    if (end > first) {
      overwritten.set(first, end);
    }
  }

  private int unit(int page, int offset) {
    return page * units() + offset / unitBytes;
  }

  private int units() {
    return Pages.PAGE_BYTES / unitBytes;
  }
}
