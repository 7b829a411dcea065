package io.howdah.crashtest.power;

import io.howdah.core.HowdahException;
import io.howdah.core.storage.Storage;
import io.howdah.crashtest.kill.Death;
import io.howdah.crashtest.kill.Sabotage;
import io.howdah.process.ChildJvm;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A folder whose files a power cut leaves in one of the states that the simulated disk knows: old
 * or new in each unit that was not forced, torn, without names that were not forced. The process
 * under load is a real one, on the machine's own file system; {@link NotedCalls} notes what it asks
 * of the kernel. A cut kills it, does the same on a {@link SimulatedDisk}, cuts that disk's power,
 * and writes what it holds to the folder.
 *
 * <p>So what is tested is the way from the engine's forces to the calls of the kernel, and every
 * state that a disk without any order of its own may leave; the kernel's own file systems, which
 * keep more order than they must, are tested by {@link LossyDisk}. Needs neither root nor a device.
 * For one thread.
 */
final class NotedDisk implements PowerDisk {

  /** Values between the durable and the latest one that are kept for a unit. */
  private static final int HISTORY = 2;

  /** One cut in so many loses all that was not forced, and another one nothing. */
  private static final int CUTS_PER_EXTREME = 6;

  private final Path folder;
  private final Path root;
  private final Path notes;
  private final NotedCalls calls;
  private boolean kept;

  private NotedDisk(Path folder, NotedCalls calls) throws IOException {
    this.folder = folder;
    this.calls = calls;
    this.root = Files.createDirectory(folder.resolve("files"));
    this.notes = Files.createFile(folder.resolve("notes"));
  }

  /**
   * Makes one.
   *
   * @param folder empty; deleted with the disk
   */
  static NotedDisk create(Path folder) throws IOException, InterruptedException {
    return new NotedDisk(folder, NotedCalls.build(folder));
  }

  @Override
  public Path root() {
    return root;
  }

  @Override
  public Death cut(long seed) {
    return new Cut(new SplittableRandom(seed));
  }

  /** Cuts the power of all files below the root. */
  private final class Cut implements Death {

    private final SplittableRandom random;
    private SimulatedDisk disk = SimulatedDisk.seeded(0);

    Cut(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public boolean losesUnforced() {
      return true;
    }

    @Override
    public Map<String, String> prepare() throws IOException {
      CrashUnit[] units = CrashUnit.values();
      disk =
          SimulatedDisk.builder(random.nextLong())
              .unit(units[random.nextInt(units.length)])
              .historyPerUnit(HISTORY)
              .build();
      try (Storage storage = disk.storage()) {
        DiskFiles.load(root, storage);
      }
      Files.write(notes, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
      return calls.environment(root, notes);
    }

    @Override
    public void strike(ChildJvm child, Path store) throws IOException, InterruptedException {
      child.kill();
      try (Storage storage = disk.storage()) {
        CallReplay.replay(notes, storage);
      }
      disk.powerCut(choose(disk.crashStates()));
      try (Storage storage = disk.storage()) {
        DiskFiles.store(storage, root);
      }
      try {
        Sabotage.removeRings(store);
      } catch (HowdahException e) {
        // The superblock names the rings. If it is lost, the next opening finds that, and no rings.
      }
    }

    private CrashChoice choose(CrashStates states) {
      int draw = random.nextInt(CUTS_PER_EXTREME);
      if (draw == 0) {
        return CrashChoice.LOSE_ALL;
      }
      if (draw == 1) {
        return CrashChoice.KEEP_ALL;
      }
      // Twice as far as what is enumerated: half of the choices are random ones.
      long end = states.isExhaustive() ? states.count() : 2 * states.count();
      return states.choice(random.nextLong(end));
    }
  }

  @Override
  public Path keep() {
    kept = true;
    return root;
  }

  @Override
  public void close() throws IOException {
    calls.delete();
    Files.deleteIfExists(notes);
    if (!kept) {
      DiskFiles.delete(root);
      Files.delete(folder);
    }
  }
}
