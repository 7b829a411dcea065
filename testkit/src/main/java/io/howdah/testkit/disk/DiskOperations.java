package io.howdah.testkit.disk;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.schedule.Mixer;
import io.howdah.testkit.schedule.Scheduling;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations that a process asks of a {@link SimulatedDisk}: each is a scheduling point, is
 * counted and traced, and fails or crashes where a test asked for it. Guarded by {@link #lock},
 * unless a method says otherwise.
 */
final class DiskOperations {

  private final Object lock = new Object();
  private final long seed;
  private final Trace trace = new Trace();
  private final Faults faults = new Faults();
  private final Map<Operation, Long> counts = new EnumMap<>(Operation.class);
  private final List<Operation> history = new ArrayList<>();

  private volatile Scheduling scheduling;
  private volatile Incarnation process = new Incarnation();
  private long stores;
  private long delayNanos;

  private long crashOperation = -1;
  private long crashStore = -1;
  private CrashMoment crashMoment = CrashMoment.BEFORE;
  private CrashPoint disturbance = CrashPoint.END;

  DiskOperations(long seed, Scheduling scheduling) {
    this.seed = seed;
    this.scheduling = scheduling;
  }

  /** Returns what guards the disk, its files and these operations. */
  Object lock() {
    return lock;
  }

  Scheduling scheduling() {
    return scheduling;
  }

  void scheduleWith(Scheduling value) {
    scheduling = value;
  }

  Trace trace() {
    return trace;
  }

  Faults faults() {
    return faults;
  }

  /** Returns the process that uses the disk now. Any thread. */
  Incarnation process() {
    return process;
  }

  /** Ends the current process and starts the next one, without a crash or fault planned. */
  void nextProcess() {
    process.die();
    process = new Incarnation();
    disturbance = CrashPoint.END;
    crashOperation = -1;
    crashStore = -1;
  }

  void delayNanos(long nanos) {
    delayNanos = nanos;
  }

  long count() {
    return history.size();
  }

  long count(Operation kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** Returns the kind of the n-th operation, counted from 1. */
  Operation operation(long n) {
    return history.get(Math.toIntExact(n - 1));
  }

  long stores() {
    return stores;
  }

  void crashAtOperation(long n, CrashMoment moment) {
    crashOperation = next(n, count());
    crashStore = -1;
    crashMoment = moment;
  }

  void crashAtStore(long n, CrashMoment moment) {
    crashStore = next(n, stores);
    crashOperation = -1;
    crashMoment = moment;
  }

  /** Another thread may have come to a number since the caller has counted up to it. */
  private static long next(long number, long counted) {
    return number < 0 ? number : Math.max(number, counted + 1);
  }

  void disturbAt(CrashPoint point) {
    disturbance = point;
    switch (point.where()) {
      case OPERATION -> crashAtOperation(point.number(), point.moment());
      case STORE -> crashAtStore(point.number(), point.moment());
      case STEP, FAULT, FAULTS, FULL, END -> crashAtOperation(-1, CrashMoment.BEFORE);
    }
  }

  /** What an operation does, given how many of its bytes it gets done. */
  interface Effect<T> {
    T apply(long doneBytes) throws FileSystem.NoSpace;
  }

  /**
   * Runs one operation: counts and traces it, and lets it crash or fail where that was asked for.
   *
   * @param content a hash of the bytes given, for the trace
   * @param effect called with the lock held, with the full length, or with a part of it before a
   *     fault or a crash in the middle
   */
  <T> T perform(
      Incarnation caller,
      FileSystem target,
      Operation kind,
      String file,
      long offset,
      long length,
      long content,
      Effect<T> effect) {
    scheduling.step(Step.STORAGE, kind.code(), offset);
    T result;
    synchronized (lock) {
      boolean crashAfter = begin(caller, target, kind, file, offset, length, content, effect);
      try {
        result = effect.apply(length);
      } catch (FileSystem.NoSpace e) {
        throw failure(kind, file, offset, length, Reason.NO_SPACE);
      }
      if (crashAfter) {
        throw crash("after", kind, file);
      }
    }
    if (delayNanos > 0 && kind == Operation.WRITE) {
      scheduling.delay(delayNanos);
    }
    return result;
  }

  /** What a force does, in the three steps in which others can come between. */
  interface ForceEffect<M> {
    M begin();

    void complete(M mark);

    void fail(M mark);
  }

  /** Runs a force: what is written while it runs is not covered. */
  <M> void performForce(
      Incarnation caller, FileSystem target, Operation kind, String file, ForceEffect<M> effect) {
    scheduling.step(Step.STORAGE, kind.code(), 0);
    M mark;
    boolean crashAfter;
    synchronized (lock) {
      Effect<Boolean> failing =
          _ -> {
            effect.fail(effect.begin());
            return true;
          };
      crashAfter = begin(caller, target, kind, file, 0, 0, 0, failing);
      mark = effect.begin();
    }
    scheduling.step(Step.STORAGE, kind.code(), 1);
    if (delayNanos > 0) {
      scheduling.delay(delayNanos);
    }
    synchronized (lock) {
      caller.checkAlive();
      effect.complete(mark);
      if (crashAfter) {
        throw crash("after", kind, file);
      }
    }
  }

  private <T> boolean begin(
      Incarnation caller,
      FileSystem target,
      Operation kind,
      String file,
      long offset,
      long length,
      long content,
      Effect<T> effect) {
    caller.checkAlive();
    history.add(kind);
    counts.merge(kind, 1L, Long::sum);
    long number = history.size();
    trace.add(number, kind, file, offset, length, content);
    boolean crashing = number == crashOperation;
    if (crashing && crashMoment == CrashMoment.BEFORE) {
      throw crash("before", kind, file);
    }
    if (crashing && crashMoment == CrashMoment.MIDDLE) {
      if (kind == Operation.WRITE) {
        partially(effect, number, length);
      }
      throw crash("in the middle of", kind, file);
    }
    if (target.readOnly && kind.isDeniedWhenReadOnly()) {
      throw failure(kind, file, offset, length, Reason.ACCESS_DENIED);
    }
    Reason reason = fault(target, kind, file);
    if (reason != null) {
      if (kind == Operation.WRITE || kind == Operation.FORCE || kind == Operation.FORCE_DIRECTORY) {
        partially(effect, number, length);
      }
      if (crashing) {
        throw crash("after the failure of", kind, file);
      }
      throw failure(kind, file, offset, length, reason);
    }
    return crashing;
  }

  private <T> void partially(Effect<T> effect, long number, long length) {
    long part = length == 0 ? 0 : Long.remainderUnsigned(Mixer.mix(seed, number), length);
    try {
      effect.apply(part);
    } catch (FileSystem.NoSpace e) {
      // A full disk stops the part even earlier; the caller reports its own failure.
      return;
    }
  }

  private SimulatedCrash crash(String moment, Operation kind, String file) {
    diesNow();
    return new SimulatedCrash(
        "simulated crash " + moment + " operation " + history.size() + ", " + kind + " " + file);
  }

  private void diesNow() {
    process.die();
    scheduling.processDied();
  }

  private static StorageException failure(
      Operation kind, String file, long offset, long length, Reason reason) {
    String where = length == 0 ? "" : " at " + offset + ", " + length + " bytes";
    return new StorageException(reason, kind + " " + file + where, null);
  }

  /**
   * Counts a store to a shared region and lets it crash where that was asked for. Called with the
   * lock.
   *
   * @param partly does part of it, given a number to draw from
   * @return whether to call {@link #crashAfterStore} when it is done
   */
  boolean beginStore(long address, long value, LongConsumer partly) {
    stores++;
    trace.mix(Mixer.mix(address, value));
    if (stores != crashStore) {
      return false;
    }
    if (crashMoment == CrashMoment.AFTER) {
      return true;
    }
    if (crashMoment == CrashMoment.MIDDLE) {
      partly.accept(Mixer.mix(seed, stores));
    }
    diesNow();
    throw new SimulatedCrash("simulated crash at store " + stores + " to address " + address);
  }

  void crashAfterStore() {
    diesNow();
    throw new SimulatedCrash("simulated crash after store " + stores);
  }

  /** Returns why the operation that has just been counted fails, or null if it does not. */
  private @Nullable Reason fault(FileSystem target, Operation kind, String file) {
    long number = history.size();
    Reason planned =
        switch (disturbance.where()) {
          case FAULT -> number == disturbance.number() ? Reason.IO : null;
          case FAULTS ->
              number >= disturbance.number() && kind == operation(disturbance.number())
                  ? Reason.IO
                  : null;
          case FULL -> {
            boolean full =
                number >= disturbance.number() && target.device == SimulatedDisk.STORE_DEVICE;
            target.full = full;
            yield full && kind.takesSpace() ? Reason.NO_SPACE : null;
          }
          case OPERATION, STORE, STEP, END -> null;
        };
    Reason injected = faults.meet(kind, file);
    return planned == null ? injected : planned;
  }
}
