package io.howdah.testkit.disk;

import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.schedule.Mixer;
import io.howdah.testkit.schedule.Scheduling;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A disk, a kernel's page cache and a boot identity in memory, for programs written against {@link
 * Storage}. It dies like a real machine and then shows every state in which that machine could come
 * back.
 *
 * <p><b>What a power cut may do</b> ({@link #crashStates}, {@link #powerCut}). What a completed
 * {@code force} covered is there: the file it was called on, everything written before it began.
 * For the rest:
 *
 * <ul>
 *   <li>each dirty unit, of 8, 512 or 4096 bytes, is old, or new, or has any value it held between,
 *       independently of every other (torn, dropped and reordered writes);
 *   <li>each unit by which a file was extended may also read as zeros, or as bytes that the file,
 *       or a deleted file, once held there (stale laps);
 *   <li>the length of a file is any it has had since its last force, independently of the data
 *       (lost extensions);
 *   <li>each create, rename and delete is done or not, independently of other ones, until {@code
 *       forceDirectory} covered it (lost and reordered names);
 *   <li>{@code close} changes nothing of that;
 *   <li>what a failed force should have covered stays unknown, see {@link FailedForce};
 *   <li>stores to a shared mapping are writes like any other; direct writes are like buffered ones;
 *   <li>volatile places are gone, and the boot identity is another.
 * </ul>
 *
 * <p><b>What the death of a process does</b> ({@link #kill}): files, mapped ones too, stay as the
 * kernel sees them; open files, regions and locks go, and every use of them throws {@link
 * SimulatedCrash}. Between the two lie {@link #fileSystemShutdown} and {@link #replaceContainer}.
 *
 * <p><b>What else can go wrong</b>: any operation fails on request ({@link #inject}: input/output
 * errors, no space, no memory to map, denied access; one-shot or for ever; writes fail after a
 * part), the disk is full after so many bytes ({@link #setFreeBytes}; a store to a mapped page
 * without a block then throws {@link InternalError}, as on a JVM), bits flip, files shrink and
 * vanish ({@link #flipBit}, {@link #truncate}, {@link #remove}), the disk is read-only, another
 * process holds the lock or takes it away. {@link #crashAtOperation} and {@link #crashAtStore} kill
 * the process before, in the middle of and after any operation.
 *
 * <p>Bounds: of the values that a unit passed through between two forces, {@link
 * Builder#historyPerUnit} intermediate ones are kept, a spread over all of them; of lengths, 64; of
 * freed contents, the latest 256 pages; of the trace, the last 256 operations in words.
 *
 * <p>Everything follows from the seed and the order of calls, which {@link #traceHash} condenses.
 * Thread-safe; with a {@link SimulatedExecution}, calls are also scheduling points.
 */
public final class SimulatedDisk {

  static final long STORE_DEVICE = 0x801;
  static final long VOLATILE_DEVICE = 0x16;

  private final DiskOperations operations;
  private final Object lock;
  private final long seed;
  private final int directAlignmentBytes;

  private FileSystem files;
  private @Nullable FileSystem volatileFiles;

  // Cached between a question and its use: counting the states of a disk is the most expensive
  // step.
  private @Nullable CrashStates lastStates;
  private long lastStatesVersion;

  private final Map<FileSystem, SimulatedLock> locks = new HashMap<>();
  private @Nullable String foreignOwner;
  private long boots;

  private SimulatedDisk(Builder builder) {
    seed = builder.seed;
    operations =
        new DiskOperations(
            seed, builder.execution == null ? Scheduling.NONE : builder.execution.scheduling());
    lock = operations.lock();
    directAlignmentBytes = builder.directAlignmentBytes;
    files =
        new FileSystem(
            new DiskModel(true, builder.unit, builder.historyPerUnit, builder.failedForce),
            STORE_DEVICE,
            12,
            builder.capacityBytes / Pages.PAGE_BYTES);
    files.usedBefore(new SplittableRandom(seed));
    if (builder.volatileBytes > 0) {
      volatileFiles = newVolatileFiles(builder.volatileBytes / Pages.PAGE_BYTES);
    }
  }

  private SimulatedDisk(SimulatedDisk source, FileSystem files) {
    seed = source.seed;
    operations = new DiskOperations(seed, Scheduling.NONE);
    lock = operations.lock();
    directAlignmentBytes = source.directAlignmentBytes;
    this.files = files;
    volatileFiles = source.volatileFiles == null ? null : source.volatileFiles.fork();
    boots = source.boots;
    operations.trace().mix(source.operations.trace().hash());
  }

  /** Returns a disk with every setting at its default. */
  public static SimulatedDisk seeded(long seed) {
    return builder(seed).build();
  }

  /** Begins a disk. */
  public static Builder builder(long seed) {
    return new Builder(seed);
  }

  /** Settings of a disk. Not thread-safe. */
  public static final class Builder {

    private final long seed;
    private CrashUnit unit = CrashUnit.SECTOR;
    private int historyPerUnit = 8;
    private FailedForce failedForce = FailedForce.UNKNOWN_FOR_EVER;
    private long capacityBytes = 1L << 40;
    private long volatileBytes = 1L << 30;
    private int directAlignmentBytes = 512;
    private @Nullable SimulatedExecution execution;

    private Builder(long seed) {
      this.seed = seed;
    }

    /** Sets what a power cut keeps or loses as a whole; {@link CrashUnit#SECTOR} by default. */
    public Builder unit(CrashUnit value) {
      unit = value;
      return this;
    }

    /** Sets how many intermediate values are kept for a unit: 0 to 1024, 8 by default. */
    public Builder historyPerUnit(int value) {
      historyPerUnit = requireWithin("historyPerUnit", value, 0, 1024);
      return this;
    }

    /** Sets what a failed force leaves; {@link FailedForce#UNKNOWN_FOR_EVER} by default. */
    public Builder failedForce(FailedForce value) {
      failedForce = value;
      return this;
    }

    /** Sets how many bytes files may take, in whole pages; 1 TiB by default. */
    public Builder capacityBytes(long value) {
      capacityBytes = value;
      return this;
    }

    /** Sets how many bytes volatile places may take; 0 for none at all, 1 GiB by default. */
    public Builder volatileBytes(long value) {
      volatileBytes = value;
      return this;
    }

    /** Sets what direct access is aligned to: a power of two up to 4096, 512 by default. */
    public Builder directAlignmentBytes(int value) {
      directAlignmentBytes = requireWithin("directAlignmentBytes", value, 1, 4096);
      return this;
    }

    /** Makes every access a scheduling point; by default nothing is scheduled. */
    public Builder execution(SimulatedExecution value) {
      execution = value;
      return this;
    }

    /** Returns an empty disk. */
    public SimulatedDisk build() {
      SimulatedDisk disk = new SimulatedDisk(this);
      if (execution != null) {
        execution.whenKilled(disk::stopProcess);
      }
      return disk;
    }

    private static int requireWithin(String name, int value, int low, int high) {
      if (value < low || value > high) {
        throw new IllegalArgumentException(
            name + " is " + value + ", expected " + low + " to " + high);
      }
      return value;
    }
  }

  /** Returns the seed. */
  public long seed() {
    return seed;
  }

  /**
   * Returns the disk as the process running now sees it. It dies with that process; the next one
   * calls this again. Two storages of one process are two openers of one directory.
   */
  public Storage storage() {
    return storage("");
  }

  /** The same of a directory on this disk. The disk has one lock, whatever the directory. */
  public Storage storage(String directory) {
    String name = "simulated disk " + seed + (directory.isEmpty() ? "" : "/" + directory);
    synchronized (lock) {
      return new SimulatedStorage(this, operations, files, directory, operations.process(), name);
    }
  }

  // ---- deaths

  /**
   * The process dies. Files, mapped ones included, and volatile places stay as the kernel sees
   * them, with the same dirt; open files, regions and locks are gone.
   */
  public void kill() {
    synchronized (lock) {
      operations.trace().mix(1);
      endProcess();
    }
  }

  /** The power goes: the process dies, files are left as chosen, volatile places are gone. */
  public void powerCut(CrashChoice choice) {
    synchronized (lock) {
      operations.trace().mix(2);
      files = statesNow().apply(choice);
      lastStates = null;
      dropVolatileFiles();
      boots++;
      endProcess();
    }
  }

  /**
   * The file system is shut down and mounted again: dirty pages are lost as in a power cut, but the
   * kernel runs on, so boot identity and volatile places stay.
   */
  public void fileSystemShutdown(CrashChoice choice) {
    synchronized (lock) {
      operations.trace().mix(3);
      files = statesNow().apply(choice);
      lastStates = null;
      endProcess();
    }
  }

  /** The container is replaced: like {@link #kill}, but volatile places are gone. */
  public void replaceContainer() {
    synchronized (lock) {
      operations.trace().mix(4);
      dropVolatileFiles();
      endProcess();
    }
  }

  /** Returns the legal states of a power cut, or file system shutdown, at this moment. */
  public CrashStates crashStates() {
    synchronized (lock) {
      return statesNow();
    }
  }

  /**
   * Returns a disk of its own with the same contents and dirt, without faults, counts at 0, no
   * process running and not scheduled: for trying several ends of one run.
   */
  public SimulatedDisk fork() {
    synchronized (lock) {
      return new SimulatedDisk(this, files.fork());
    }
  }

  /** Makes every access a scheduling point, for storages and regions opened from now on. */
  public void scheduleWith(SimulatedExecution execution) {
    scheduleWith(execution, traceHash());
  }

  /**
   * The same, but the execution's random numbers follow from a number and not from what this disk
   * has been through: what runs is a function of what it reads. Lives that follow each other on one
   * disk have different numbers.
   */
  public void scheduleWith(SimulatedExecution execution, long life) {
    execution.whenKilled(this::stopProcess);
    execution.startAfter(life);
    operations.scheduleWith(execution.scheduling());
  }

  /** Returns the disk that a crash at this moment leaves; this one is not changed. */
  public SimulatedDisk after(Crash crash) {
    return after(crash, crash.kind().losesUnforced() ? crashStates() : null);
  }

  /** The same, if the legal states of this moment are known already. */
  public SimulatedDisk after(Crash crash, @Nullable CrashStates states) {
    synchronized (lock) {
      SimulatedDisk left =
          new SimulatedDisk(this, states == null ? files.fork() : states.apply(crash.choice()));
      switch (crash.kind()) {
        case POWER_CUT -> {
          left.dropVolatileFiles();
          left.boots++;
        }
        case CONTAINER_REPLACED -> left.dropVolatileFiles();
        case KILL, FILE_SYSTEM_SHUTDOWN -> {}
      }
      return left;
    }
  }

  /** Returns a hash of what a process sees at once: names, lengths, memory, the boot. */
  long frame() {
    synchronized (lock) {
      FileSystem place = volatileFiles;
      long memory = place == null ? 0 : Mixer.mix(place.frame(), place.contents());
      return Mixer.mix(files.frame(), memory, boots);
    }
  }

  /** Notes what is read of the files from now on. */
  ReadNotes watch() {
    synchronized (lock) {
      return files.watch();
    }
  }

  private CrashStates statesNow() {
    CrashStates known = lastStates;
    if (known == null || lastStatesVersion != files.version()) {
      known = new CrashStates(files.fork(), seed);
      lastStates = known;
      lastStatesVersion = files.version();
    }
    return known;
  }

  private void endProcess() {
    operations.nextProcess();
    locks.clear();
    files.full = false;
  }

  private void dropVolatileFiles() {
    if (volatileFiles != null) {
      volatileFiles = newVolatileFiles(volatileFiles.capacityPages);
    }
  }

  private static FileSystem newVolatileFiles(long capacityPages) {
    DiskModel untracked =
        new DiskModel(false, CrashUnit.PAGE, 0, FailedForce.UNKNOWN_UNTIL_REWRITTEN);
    return new FileSystem(untracked, VOLATILE_DEVICE, 2, capacityPages);
  }

  /** The process dies where it is; what becomes of the disk is decided later. */
  void stopProcess() {
    operations.process().die();
  }

  // ---- faults and damage

  /** Adds a fault. */
  public void inject(Fault fault) {
    synchronized (lock) {
      operations.faults().add(fault);
    }
  }

  /** Forgets every fault injected, met or not. What they left unknown stays unknown. */
  public void clearFaults() {
    synchronized (lock) {
      operations.faults().clear();
    }
  }

  /** Sets how many bytes files may take beyond what they do now. */
  public void setFreeBytes(long bytes) {
    synchronized (lock) {
      files.capacityPages += bytes / Pages.PAGE_BYTES - files.freePages();
    }
  }

  /** Makes the disk read-only, or writable again. */
  public void setReadOnly(boolean value) {
    synchronized (lock) {
      files.readOnly = value;
    }
  }

  /** Sets how much virtual time each write and force takes; 0 by default. */
  public void setDelayNanos(long nanos) {
    synchronized (lock) {
      operations.delayNanos(nanos);
    }
  }

  /** Flips a bit on the device. */
  public void flipBit(String file, long offset, int bit) {
    synchronized (lock) {
      Inode inode = existing(file);
      if (offset < 0 || offset >= inode.size) {
        throw new IndexOutOfBoundsException(
            "offset " + offset + " in " + file + ", " + inode.size + " bytes");
      }
      byte[] page = inode.pages.writable((int) (offset >>> Pages.PAGE_SHIFT));
      page[(int) (offset & (Pages.PAGE_BYTES - 1))] ^= (byte) (1 << bit);
      files.changed();
    }
  }

  /**
   * Truncates a file from outside, durably; a mapped page that goes with it can no longer be used.
   */
  public void truncate(String file, long lengthBytes) {
    synchronized (lock) {
      Inode inode = existing(file);
      files.setSize(inode, lengthBytes);
      inode.completeForce(inode.beginForce());
      files.changed();
    }
  }

  /** Deletes a file from outside, durably. */
  public void remove(String file) {
    synchronized (lock) {
      existing(file);
      files.delete(file);
      String parent = FileSystem.parent(file);
      files.completeForce(parent, files.beginForce(parent));
    }
  }

  /** Returns the contents of a file as the kernel sees them. */
  public byte[] contents(String file) {
    synchronized (lock) {
      Inode inode = existing(file);
      if (inode.size > Integer.MAX_VALUE - 16) {
        throw new IllegalArgumentException(file + " has " + inode.size + " bytes");
      }
      byte[] bytes = new byte[(int) inode.size];
      inode.read(0, ByteBuffer.wrap(bytes));
      return bytes;
    }
  }

  private Inode existing(String file) {
    Inode inode = files.find(file);
    if (inode == null || inode.directory) {
      throw new IllegalArgumentException("no file " + file + " on this disk");
    }
    return inode;
  }

  /** Another process holds the lock from now on. Null lets go of it. */
  public void setForeignLock(@Nullable String owner) {
    synchronized (lock) {
      foreignOwner = owner;
    }
  }

  /** Somebody replaces the lock file: whoever holds the lock holds it no more. */
  public void stealLock() {
    synchronized (lock) {
      locks.clear();
    }
  }

  // ---- operations

  /** Returns how many operations have begun. */
  public long operations() {
    synchronized (lock) {
      return operations.count();
    }
  }

  /** Returns how many operations of a kind have begun. */
  public long operations(Operation kind) {
    synchronized (lock) {
      return operations.count(kind);
    }
  }

  /** Returns the kind of the n-th operation, counted from 1. */
  public Operation operation(long n) {
    synchronized (lock) {
      return operations.operation(n);
    }
  }

  /** Returns how many stores, copies and clearings there were in shared regions on this disk. */
  public long stores() {
    synchronized (lock) {
      return operations.stores();
    }
  }

  /**
   * Lets the process die at the n-th operation, as {@link #operations} counts them, or at the next
   * one if there were as many already; -1 takes that back. The thread that asks for the operation
   * gets a {@link SimulatedCrash}, and so does everybody who uses this process's storage
   * afterwards. Then {@link #kill} or one of the other deaths says what becomes of the disk.
   */
  public void crashAtOperation(long n, CrashMoment moment) {
    synchronized (lock) {
      operations.crashAtOperation(n, moment);
    }
  }

  /** Lets the process die or meet a fault at a point, as far as it is one of the disk's. */
  public void disturbAt(CrashPoint point) {
    synchronized (lock) {
      operations.disturbAt(point);
    }
  }

  /**
   * Lets the process die at the n-th store to a shared region, as {@link #stores} counts them, or
   * at the next one if there were as many already.
   */
  public void crashAtStore(long n, CrashMoment moment) {
    synchronized (lock) {
      operations.crashAtStore(n, moment);
    }
  }

  /**
   * Returns whether the process running now has died and waits for {@link #kill} or another death.
   */
  public boolean hasCrashed() {
    return operations.process().isDead();
  }

  /** Returns a hash over everything asked of this disk so far: equal runs have equal hashes. */
  public long traceHash() {
    synchronized (lock) {
      return operations.trace().hash();
    }
  }

  /** Returns the last operations in words, oldest first. */
  public List<String> trace() {
    synchronized (lock) {
      return operations.trace().lines();
    }
  }

  // ---- for storages, files and regions

  int directAlignmentBytes() {
    return directAlignmentBytes;
  }

  UUID boot() {
    synchronized (lock) {
      return new UUID(Mixer.mix(seed, boots, 1) | 1, Mixer.mix(seed, boots, 2));
    }
  }

  /** Returns whether a private mapping made now has the file only up to its used part. */
  boolean isUnusedPartInMemory() {
    synchronized (lock) {
      return (Mixer.mix(seed, boots, 3) & 1) == 0;
    }
  }

  @Nullable FileSystem volatileFiles() {
    return volatileFiles;
  }

  /** Takes the lock of a directory; returns who has it instead, or null. */
  @Nullable String acquire(FileSystem where, SimulatedLock candidate) {
    if (foreignOwner != null) {
      return foreignOwner;
    }
    SimulatedLock holder = locks.putIfAbsent(where, candidate);
    return holder == null ? null : holder.owner();
  }

  boolean holds(FileSystem where, SimulatedLock candidate) {
    synchronized (lock) {
      return locks.get(where) == candidate;
    }
  }

  void release(FileSystem where, SimulatedLock candidate) {
    synchronized (lock) {
      locks.remove(where, candidate);
    }
  }
}
