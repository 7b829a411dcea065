package io.howdah.crashtest.scenario;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import io.howdah.archive.ObjectStore;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.schedule.Scheduling;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;

/**
 * An object store in memory, which does the worst that {@link ObjectStore} allows. It loses
 * nothing. A request that fails, or whose process dies in it, is carried out at once, later, in
 * another life of the process, or never; a removal of several objects also in part. A listing is
 * answered in pages, between which other requests are carried out.
 */
final class ObjectSite implements ArchiveSite {

  private static final int PAGE_KEYS = 3;
  private static final int LATE_ONE_IN = 8;

  private final Scheduling scheduling;
  private final SplittableRandom random;
  private final Duration keep;
  private final TreeMap<String, byte[]> objects = new TreeMap<>();

  /** Requests that were given up and not carried out yet. */
  private final List<Runnable> late = new ArrayList<>();

  private long operations;
  private long crashOperation = -1;
  private CrashMoment crashMoment = CrashMoment.BEFORE;
  private boolean isAway;

  /**
   * Creates an empty one.
   *
   * @param keep how long the archive keeps moments
   */
  ObjectSite(Scheduling scheduling, long seed, Duration keep) {
    this.scheduling = scheduling;
    this.random = new SplittableRandom(seed);
    this.keep = keep;
  }

  @Override
  public Archive archive() {
    return Archive.to(() -> ArchiveTarget.over(new Client()), Duration.ofMillis(10)).withKeep(keep);
  }

  @Override
  public long operations() {
    return operations;
  }

  @Override
  public void crashAtOperation(long number, CrashMoment moment) {
    crashOperation = number;
    crashMoment = moment;
  }

  @Override
  public void setAway(boolean away) {
    isAway = away;
  }

  @Override
  public void die(SplittableRandom choice) {
    crashOperation = -1;
    for (int i = late.size() - 1; i >= 0; i--) {
      switch (choice.nextInt(3)) {
        case 0 -> late.remove(i).run();
        case 1 -> late.remove(i);
        default -> {} // in another life
      }
    }
  }

  /** Asks for changes, each of which is carried out or not. */
  private void change(String what, List<Runnable> changes) {
    boolean isLast = begin(what);
    if (isAway || (isLast && crashMoment == CrashMoment.MIDDLE)) {
      for (Runnable change : changes) {
        if (random.nextBoolean()) {
          late.add(change);
        } else if (random.nextBoolean()) {
          change.run();
        }
      }
    } else {
      changes.forEach(Runnable::run);
    }
    end(what, isLast);
    if (isAway) {
      throw new StorageException(StorageException.Reason.IO, what, null);
    }
  }

  /** Begins a request; returns whether the process dies in it. */
  private boolean begin(String what) {
    scheduling.step(Step.STORAGE, 0, operations);
    if (scheduling.isActive()) {
      operations++;
      if (!late.isEmpty() && random.nextInt(LATE_ONE_IN) == 0) {
        late.remove(random.nextInt(late.size())).run();
      }
    }
    boolean isLast = operations == crashOperation;
    if (isLast && crashMoment == CrashMoment.BEFORE) {
      crash(what);
    }
    return isLast;
  }

  private void end(String what, boolean isLast) {
    if (isLast) {
      crash(what);
    }
    scheduling.step(Step.STORAGE, 1, operations);
  }

  private void crash(String what) {
    scheduling.processDied();
    throw new SimulatedCrash("simulated crash at request " + operations + ", " + what);
  }

  /** The connection of one process. */
  private final class Client implements ObjectStore {

    @Override
    public String describe() {
      return "simulated objects";
    }

    @Override
    public void put(String key, byte[] bytes, int from, int length) {
      byte[] copy = Arrays.copyOfRange(bytes, from, from + length);
      change("put " + key, List.of(() -> objects.put(key, copy)));
    }

    @Override
    public Optional<byte[]> get(String key, long from, int length) {
      boolean isLast = begin("get " + key);
      byte[] object = objects.get(key);
      end("get " + key, isLast);
      return Optional.ofNullable(object)
          .map(bytes -> Arrays.copyOfRange(bytes, (int) from, (int) from + length));
    }

    @Override
    public void list(String prefix, ObjLongConsumer<String> found) {
      String from = prefix;
      boolean isInclusive = true;
      while (true) {
        boolean isLast = begin("list " + prefix);
        List<Map.Entry<String, byte[]>> page =
            objects.tailMap(from, isInclusive).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .limit(PAGE_KEYS)
                .map(Map.Entry::copyOf)
                .toList();
        end("list " + prefix, isLast);
        for (Map.Entry<String, byte[]> entry : page) {
          found.accept(entry.getKey(), entry.getValue().length);
        }
        if (page.size() < PAGE_KEYS) {
          return;
        }
        from = page.getLast().getKey();
        isInclusive = false;
      }
    }

    @Override
    public boolean hasAny(String prefix) {
      boolean isLast = begin("list " + prefix);
      String first = objects.ceilingKey(prefix);
      end("list " + prefix, isLast);
      return first != null && first.startsWith(prefix);
    }

    @Override
    public void remove(List<String> keys) {
      List<Runnable> changes = new ArrayList<>();
      for (String key : keys) {
        changes.add(() -> objects.remove(key));
      }
      change("remove " + keys.size(), changes);
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }
}
