package io.howdah.testkit.disk;

import io.howdah.testkit.crash.FailedForce;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A file as the kernel sees it, with what a power cut could make of it. Guarded by the disk's lock.
 *
 * <p>Dirt is kept in layers. A force that begins puts a new layer on top; when it completes, every
 * layer below that one is gone, because what was written before the force began is durable. What is
 * written while it runs went to the new layer and stays dirty. A force that fails moves the layers
 * below to {@code unknown}, from where no force takes them away.
 */
final class Inode {

  /** Stands for bytes that somebody else once left on the device. No unit is empty. */
  private static final byte[] STALE = new byte[0];

  private static final byte[] ZEROS = new byte[Pages.PAGE_BYTES];

  final long number;
  final boolean directory;
  final Pages pages;
  long size;

  /** Whether a name leads here; only such files count as using space. */
  boolean linked;

  /** Notes which units are read before they are written; null if nobody asks. */
  @Nullable UnitWatch watch;

  private final DiskModel model;
  private final List<DirtyLayer> layers = new ArrayList<>();
  private @Nullable DirtyLayer unknown;

  Inode(long number, boolean directory, DiskModel model) {
    this(number, directory, model, new Pages());
  }

  private Inode(long number, boolean directory, DiskModel model, Pages pages) {
    this.number = number;
    this.directory = directory;
    this.model = model;
    this.pages = pages;
    layers.add(new DirtyLayer());
  }

  /** Returns a copy with the same dirt. */
  Inode fork() {
    Inode copy = settled();
    copy.layers.clear();
    for (DirtyLayer layer : layers) {
      copy.layers.add(new DirtyLayer(layer));
    }
    copy.unknown = unknown == null ? null : new DirtyLayer(unknown);
    return copy;
  }

  /** Returns a copy whose present contents are durable. */
  Inode settled() {
    Inode copy = new Inode(number, directory, model, pages.copy());
    copy.size = size;
    copy.linked = linked;
    return copy;
  }

  /**
   * Returns a page to be written in the range given, which may change all at once in the eyes of a
   * power cut only as far as it lies in one unit.
   */
  byte[] touch(int page, int from, int length, long sequence) {
    if (watch != null) {
      watch.overwritten(page, from, length);
    }
    if (!model.tracked()) {
      return pages.writable(page);
    }
    DirtyLayer top = layers.getLast();
    DirtyPage dirty = top.pages.get(page);
    if (dirty == null) {
      dirty = new DirtyPage(pages.freeze(page), model.unitBytes());
      top.pages.put(page, dirty);
    }
    byte[] bytes = pages.writable(page);
    dirty.touch(bytes, from, length, model.historyPerUnit());
    dirty.sequence = sequence;
    return bytes;
  }

  /**
   * Changes the length. What is cut off may come back as zeros, or as it was, after a power cut.
   */
  void setSize(long lengthBytes, long sequence) {
    if (lengthBytes == size) {
      return;
    }
    if (lengthBytes < size) {
      int firstGone = (int) ((lengthBytes + Pages.PAGE_BYTES - 1) >>> Pages.PAGE_SHIFT);
      int tail = (int) (lengthBytes & (Pages.PAGE_BYTES - 1));
      if (tail != 0 && pages.get(firstGone - 1) != null) {
        byte[] bytes = touch(firstGone - 1, tail, Pages.PAGE_BYTES - tail, sequence);
        Arrays.fill(bytes, tail, Pages.PAGE_BYTES, (byte) 0);
      }
      List<Integer> gone = new ArrayList<>();
      pages.forEach(firstGone, (_, page) -> gone.add(page));
      for (int page : gone) {
        touch(page, 0, Pages.PAGE_BYTES, sequence);
        pages.drop(page);
      }
    }
    if (model.tracked()) {
      layers.getLast().addSize(size);
    }
    size = lengthBytes;
  }

  /** Shortens a file that has no dirt, as it comes from a crash, or lengthens it with a hole. */
  void cutTo(long lengthBytes) {
    int firstGone = (int) ((lengthBytes + Pages.PAGE_BYTES - 1) >>> Pages.PAGE_SHIFT);
    int tail = (int) (lengthBytes & (Pages.PAGE_BYTES - 1));
    if (tail != 0 && pages.get(firstGone - 1) != null) {
      Arrays.fill(pages.writable(firstGone - 1), tail, Pages.PAGE_BYTES, (byte) 0);
    }
    List<Integer> gone = new ArrayList<>();
    pages.forEach(firstGone, (_, page) -> gone.add(page));
    gone.forEach(pages::drop);
    size = lengthBytes;
  }

  /** Fills the target from an offset on, as far as the file reaches; returns how many bytes. */
  int read(long offset, ByteBuffer target) {
    int length = (int) Math.max(0, Math.min(target.remaining(), size - offset));
    int done = 0;
    while (done < length) {
      long at = offset + done;
      int from = (int) (at & (Pages.PAGE_BYTES - 1));
      int part = Math.min(length - done, Pages.PAGE_BYTES - from);
      int page = (int) (at >>> Pages.PAGE_SHIFT);
      noteRead(page, from, part);
      byte[] bytes = pages.get(page);
      if (bytes == null) {
        target.put(ZEROS, 0, part);
      } else {
        target.put(bytes, from, part);
      }
      done += part;
    }
    return length;
  }

  /** Tells the watch, if there is one, that a range of a page is read. */
  void noteRead(int page, int from, int length) {
    if (watch != null) {
      watch.read(page, from, length);
    }
  }

  /** Begins a force; what it covers is what has been written so far. Returns what ends it. */
  Object beginForce() {
    DirtyLayer covered = layers.getLast();
    layers.add(new DirtyLayer());
    return covered;
  }

  /** The force made durable what it covers, but for what an earlier failure left unknown. */
  void completeForce(Object force) {
    for (DirtyLayer layer : takeLayers(force)) {
      if (unknown == null) {
        continue;
      }
      if (model.failedForce() == FailedForce.UNKNOWN_UNTIL_REWRITTEN) {
        unknown.settleWhereTouched(layer);
      } else {
        unknown.absorbWhereTouched(layer, model.historyPerUnit());
      }
    }
  }

  /** The force failed: of what it covers, nothing is known any more. */
  void failForce(Object force) {
    for (DirtyLayer layer : takeLayers(force)) {
      if (unknown == null) {
        unknown = new DirtyLayer();
      }
      unknown.absorb(layer, model.historyPerUnit());
    }
  }

  private List<DirtyLayer> takeLayers(Object force) {
    int index = layers.indexOf(force);
    List<DirtyLayer> covered = layers.subList(0, index + 1);
    List<DirtyLayer> taken = List.copyOf(covered);
    covered.clear();
    return taken;
  }

  /** Returns whether a power cut could change anything here. */
  boolean isDirty() {
    if (unknown != null && !unknown.isEmpty()) {
      return true;
    }
    for (DirtyLayer layer : layers) {
      if (!layer.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the lengths the file may have after a power cut, the durable one first, the last last.
   */
  List<Long> possibleSizes() {
    List<Long> sizes = new ArrayList<>();
    for (DirtyLayer layer : dirt()) {
      for (long earlier : layer.sizes) {
        if (!sizes.contains(earlier)) {
          sizes.add(earlier);
        }
      }
    }
    if (sizes.isEmpty() || sizes.get(0) != size) {
      sizes.remove((Object) size);
    }
    sizes.add(size);
    return sizes;
  }

  /** Returns the pages with dirty units, in order. */
  SortedSet<Integer> dirtyPages() {
    SortedSet<Integer> found = new TreeSet<>();
    for (DirtyLayer layer : dirt()) {
      found.addAll(layer.pages.keySet());
    }
    return found;
  }

  /** Returns when a dirty page was last written. */
  long sequence(int page) {
    long sequence = 0;
    for (DirtyLayer layer : dirt()) {
      DirtyPage dirty = layer.pages.get(page);
      if (dirty != null) {
        sequence = Math.max(sequence, dirty.sequence);
      }
    }
    return sequence;
  }

  /**
   * Returns how many {@link #possibleValues} there are. Most units were written once, and there are
   * many of them, so that case makes no copies.
   */
  int countPossibleValues(int page, int unit, long extendedFrom) {
    DirtyPage only = null;
    for (DirtyLayer layer : dirt()) {
      DirtyPage dirty = layer.pages.get(page);
      if (dirty != null && dirty.isTouched(unit)) {
        if (only != null || dirty.hasBetween(unit)) {
          return possibleValues(page, unit, extendedFrom).size();
        }
        only = dirty;
      }
    }
    if (only == null) {
      return 0;
    }
    int unitBytes = model.unitBytes();
    int from = unit * unitBytes;
    byte[] before = only.before == null ? ZEROS : only.before;
    byte[] bytes = pages.get(page);
    byte[] now = bytes == null ? ZEROS : bytes;
    boolean same = Arrays.equals(before, from, from + unitBytes, now, from, from + unitBytes);
    if (((long) page << Pages.PAGE_SHIFT) + from < extendedFrom) {
      return same ? 0 : 2;
    }
    boolean zeroIsNew =
        !Arrays.equals(ZEROS, from, from + unitBytes, before, from, from + unitBytes)
            && !Arrays.equals(ZEROS, from, from + unitBytes, now, from, from + unitBytes);
    return zeroIsNew ? 4 : 3;
  }

  /** Copies the first of {@link #possibleValues} to the same place in another page. */
  void copyDurable(int page, int unit, byte[] target) {
    for (DirtyLayer layer : dirt()) {
      DirtyPage dirty = layer.pages.get(page);
      if (dirty != null && dirty.isTouched(unit)) {
        int from = unit * model.unitBytes();
        byte[] before = dirty.before == null ? ZEROS : dirty.before;
        System.arraycopy(before, from, target, from, model.unitBytes());
        return;
      }
    }
  }

  /**
   * Returns the values that a unit may have after a power cut: the durable one first, the latest
   * last, between them every intermediate value that is kept and, where the file was extended,
   * zeros and, last but one, something that stands for stale bytes. Empty if there is only one.
   *
   * @param extendedFrom the shortest of {@link #possibleSizes}
   */
  List<byte[]> possibleValues(int page, int unit, long extendedFrom) {
    List<byte[]> history = new ArrayList<>();
    for (DirtyLayer layer : dirt()) {
      DirtyPage dirty = layer.pages.get(page);
      if (dirty != null && dirty.isTouched(unit)) {
        dirty.collect(unit, history);
      }
    }
    if (history.isEmpty()) {
      return List.of();
    }
    int unitBytes = model.unitBytes();
    byte[] first = history.get(0);
    byte[] bytes = pages.get(page);
    byte[] last =
        bytes == null
            ? new byte[unitBytes]
            : Arrays.copyOfRange(bytes, unit * unitBytes, (unit + 1) * unitBytes);
    List<byte[]> values = new ArrayList<>();
    values.add(first);
    long offset = ((long) page << Pages.PAGE_SHIFT) + (long) unit * unitBytes;
    boolean extended = offset >= extendedFrom;
    if (extended) {
      history.add(new byte[unitBytes]);
    }
    for (byte[] value : history) {
      if (!Arrays.equals(value, last) && values.stream().noneMatch(v -> Arrays.equals(v, value))) {
        values.add(value);
      }
    }
    if (extended) {
      values.add(STALE);
    }
    if (values.size() == 1 && Arrays.equals(first, last)) {
      return List.of();
    }
    values.add(last);
    return values;
  }

  private List<DirtyLayer> dirt() {
    if (unknown == null) {
      return layers;
    }
    List<DirtyLayer> all = new ArrayList<>();
    all.add(unknown);
    all.addAll(layers);
    return all;
  }
}
