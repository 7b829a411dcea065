package io.howdah.testkit.disk;

import io.howdah.testkit.schedule.Mixer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Names, files and free space of one simulated file system, as the kernel sees them and as far as
 * they are durable. Knows no process and throws no port's exceptions. Guarded by the disk's lock.
 */
final class FileSystem {

  /** There is no free page. */
  static final class NoSpace extends Exception {
    private static final long serialVersionUID = 1L;

    NoSpace() {
      super("no free page", null, false, false);
    }
  }

  private static final int GRAVEYARD_PAGES = 256;

  final DiskModel model;
  final long device;
  long capacityPages;
  boolean readOnly;

  /** Whether there is no space, however much there is. */
  boolean full;

  /** What the kernel shows. */
  private TreeMap<String, Inode> names = new TreeMap<>();

  /** What every power cut leaves. */
  private final Map<String, Inode> durableNames = new TreeMap<>();

  /** What leads from the durable names to the shown ones, in order. */
  private final List<NameOperation> operations = new ArrayList<>();

  /** Contents that were freed, by page index: what stale bytes are made of. Oldest first. */
  private final List<DeadPage> graveyard = new ArrayList<>();

  private long usedPages;
  private long nextInode;
  private long sequence;

  /** Changes with everything that changes what a power cut can leave. */
  private long version;

  /** The freed contents of a page, and where in its file it was. */
  private static final class DeadPage {
    final int page;
    final byte[] bytes;

    DeadPage(int page, byte[] bytes) {
      this.page = page;
      this.bytes = bytes;
    }
  }

  FileSystem(DiskModel model, long device, long firstInode, long capacityPages) {
    this.model = model;
    this.device = device;
    this.nextInode = firstInode;
    this.capacityPages = capacityPages;
  }

  /** Puts a page of noise among the freed ones, for when no other fits: the device was not new. */
  void usedBefore(RandomGenerator random) {
    byte[] noise = new byte[Pages.PAGE_BYTES];
    random.nextBytes(noise);
    graveyard.add(new DeadPage(-1, noise));
  }

  static String parent(String name) {
    int slash = name.lastIndexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }

  // ---- names

  @Nullable Inode find(String name) {
    return names.get(name);
  }

  boolean isDirectory(String name) {
    Inode inode = names.get(name);
    return name.isEmpty() || (inode != null && inode.directory);
  }

  List<String> children(String directory) {
    String prefix = directory.isEmpty() ? "" : directory + "/";
    List<String> children = new ArrayList<>();
    for (String name : names.tailMap(prefix).keySet()) {
      if (!name.startsWith(prefix)) {
        break;
      }
      String rest = name.substring(prefix.length());
      if (rest.indexOf('/') < 0) {
        children.add(rest);
      }
    }
    return children;
  }

  Inode create(String name, boolean directory) {
    Inode inode = new Inode(nextInode++, directory, model);
    record(NameOperation.create(name, inode, ++sequence));
    inode.linked = true;
    return inode;
  }

  void delete(String name) {
    Inode inode = names.get(name);
    if (inode != null) {
      record(NameOperation.delete(name, inode, ++sequence));
      unlinked(inode);
    }
  }

  void rename(String from, String to) {
    Inode inode = names.get(from);
    if (inode == null || from.equals(to)) {
      return;
    }
    Inode replaced = names.get(to);
    record(NameOperation.rename(from, to, inode, ++sequence));
    if (replaced != null) {
      unlinked(replaced);
    }
  }

  private void record(NameOperation operation) {
    changed();
    operation.applyTo(names);
    if (model.tracked()) {
      operations.add(operation);
    }
  }

  private void unlinked(Inode inode) {
    inode.linked = false;
    usedPages -= inode.pages.allocated();
    inode.pages.forEach(0, this::bury);
  }

  /** Begins the force of a directory; returns what it covers. */
  List<NameOperation> beginForce(String directory) {
    List<NameOperation> covered = new ArrayList<>();
    for (NameOperation operation : operations) {
      if (!operation.isDurable() && operation.isIn(directory)) {
        covered.add(operation);
      }
    }
    return covered;
  }

  void completeForce(String directory, List<NameOperation> covered) {
    changed();
    for (NameOperation operation : covered) {
      operation.forced(directory);
    }
    Iterator<NameOperation> oldest = operations.iterator();
    while (oldest.hasNext()) {
      NameOperation operation = oldest.next();
      if (!operation.isDurable()) {
        break;
      }
      operation.applyTo(durableNames);
      oldest.remove();
    }
  }

  void failForce(List<NameOperation> covered) {
    changed();
    covered.forEach(NameOperation::forceFailed);
  }

  /** Returns the changes of names that a power cut may lose, in order. */
  List<NameOperation> unforcedOperations() {
    return operations.stream().filter(o -> !o.isDurable()).toList();
  }

  /** Returns every file that some power cut can leave a name for, each once. */
  Collection<Inode> possibleFiles() {
    Set<Inode> files = new LinkedHashSet<>(durableNames.values());
    for (NameOperation operation : operations) {
      files.add(operation.inode);
    }
    files.addAll(names.values());
    return files;
  }

  /** Returns a name that leads to a file, or did. */
  String nameOf(Inode inode) {
    for (Map<String, Inode> all : List.of(names, durableNames)) {
      for (Map.Entry<String, Inode> entry : all.entrySet()) {
        if (entry.getValue().equals(inode)) {
          return entry.getKey();
        }
      }
    }
    return "inode " + inode.number;
  }

  // ---- contents

  long version() {
    return version;
  }

  /** Something changed that did not go through here. */
  void changed() {
    version++;
  }

  /** Returns a page of the file to be written in the range given. */
  byte[] touch(Inode inode, int page, int from, int length) throws NoSpace {
    changed();
    if (inode.pages.get(page) == null && inode.linked) {
      if (full || usedPages >= capacityPages) {
        throw new NoSpace();
      }
      usedPages++;
    }
    return inode.touch(page, from, length, ++sequence);
  }

  void setSize(Inode inode, long lengthBytes) {
    changed();
    int before = inode.pages.allocated();
    if (lengthBytes < inode.size) {
      int firstGone = (int) ((lengthBytes + Pages.PAGE_BYTES - 1) >>> Pages.PAGE_SHIFT);
      inode.pages.forEach(firstGone, this::bury);
    }
    inode.setSize(lengthBytes, ++sequence);
    if (inode.linked) {
      usedPages += inode.pages.allocated() - before;
    }
  }

  long freePages() {
    return full ? 0 : Math.max(0, capacityPages - usedPages);
  }

  /**
   * Returns what a page of a file may show that was never written there: what other files held at
   * the same place, or else anything that was freed. Not empty.
   */
  List<byte[]> stalePages(int page) {
    List<byte[]> same = new ArrayList<>();
    List<byte[]> any = new ArrayList<>();
    for (DeadPage dead : graveyard) {
      any.add(dead.bytes);
      if (dead.page == page) {
        same.add(dead.bytes);
      }
    }
    return same.isEmpty() ? any : same;
  }

  private void bury(byte[] bytes, int page) {
    if (graveyard.size() == GRAVEYARD_PAGES) {
      graveyard.removeFirst();
    }
    graveyard.add(new DeadPage(page, bytes.clone()));
  }

  // ---- what a process can see of it

  /** Returns a hash of all names and lengths, and of the numbers that new files will get. */
  long frame() {
    long frame = Mixer.mix(nextInode, readOnly ? 1 : 0);
    for (Map.Entry<String, Inode> entry : names.entrySet()) {
      Inode inode = entry.getValue();
      frame = Mixer.mix(frame ^ entry.getKey().hashCode(), inode.number, inode.size);
      frame = Mixer.mix(frame, inode.directory ? 1 : 0);
    }
    return frame;
  }

  /** Returns a hash of all contents. */
  long contents() {
    long[] hash = {0};
    for (Inode inode : names.values()) {
      hash[0] = Mixer.mix(hash[0], inode.number);
      inode.pages.forEach(
          0,
          (bytes, page) ->
              hash[0] = Mixer.mix(hash[0], page, ReadNotes.hash(bytes, 0, bytes.length)));
    }
    return hash[0];
  }

  /** Notes what is read of its files from now on. */
  ReadNotes watch() {
    ReadNotes notes = new ReadNotes();
    for (Inode inode : names.values()) {
      inode.watch = new UnitWatch(notes, inode.settled(), model.unitBytes());
    }
    return notes;
  }

  // ---- copies

  /** Returns a copy with the same contents and the same dirt. */
  FileSystem fork() {
    FileSystem copy = new FileSystem(model, device, nextInode, capacityPages);
    Map<Inode, Inode> copies = new HashMap<>();
    for (Inode inode : possibleFiles()) {
      copies.put(inode, inode.fork());
    }
    names.forEach((name, inode) -> copy.names.put(name, copyOf(copies, inode)));
    durableNames.forEach((name, inode) -> copy.durableNames.put(name, copyOf(copies, inode)));
    for (NameOperation operation : operations) {
      copy.operations.add(operation.fork(copyOf(copies, operation.inode)));
    }
    copy.graveyard.addAll(graveyard);
    copy.readOnly = readOnly;
    copy.usedPages = usedPages;
    copy.sequence = sequence;
    return copy;
  }

  private static Inode copyOf(Map<Inode, Inode> copies, Inode inode) {
    Inode copy = copies.get(inode);
    if (copy == null) {
      throw new IllegalStateException("a file that no name can lead to: inode " + inode.number);
    }
    return copy;
  }

  /**
   * Returns the file system that a power cut leaves.
   *
   * @param lost the changes of names that did not reach the device
   * @param contents gives each file as it is on the device
   */
  FileSystem afterPowerCut(Set<NameOperation> lost, Function<Inode, Inode> contents) {
    FileSystem copy = new FileSystem(model, device, nextInode, capacityPages);
    TreeMap<String, Inode> left = new TreeMap<>(durableNames);
    for (NameOperation operation : operations) {
      if (!lost.contains(operation)) {
        operation.applyTo(left);
      }
    }
    left.keySet().removeIf(name -> !hasParents(left, name));
    copy.graveyard.addAll(graveyard);
    Set<Inode> kept = new HashSet<>();
    left.forEach(
        (name, inode) -> {
          Inode settled = contents.apply(inode);
          settled.linked = true;
          kept.add(inode);
          copy.names.put(name, settled);
          copy.durableNames.put(name, settled);
          copy.usedPages += settled.pages.allocated();
        });
    for (Inode inode : possibleFiles()) {
      if (!kept.contains(inode) && inode.linked) {
        inode.pages.forEach(0, copy::bury);
      }
    }
    copy.readOnly = readOnly;
    copy.sequence = sequence;
    return copy;
  }

  private static boolean hasParents(Map<String, Inode> names, String name) {
    for (String parent = parent(name); !parent.isEmpty(); parent = parent(parent)) {
      Inode inode = names.get(parent);
      if (inode == null || !inode.directory) {
        return false;
      }
    }
    return true;
  }
}
