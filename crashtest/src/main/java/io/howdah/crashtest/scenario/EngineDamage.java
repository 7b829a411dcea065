package io.howdah.crashtest.scenario;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.crashtest.oracle.History;
import io.howdah.log.RingPlace;
import io.howdah.testkit.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The whole engine over files that somebody or something has damaged after a kill: a bit that
 * flipped, a file cut short, a file gone. The store says so, or everything that had returned is
 * there; only where a ring is damaged may it open with what was forced.
 *
 * <p>Bits of the image are left alone: what it holds has no checksum of its own.
 */
final class EngineDamage implements Scenario {

  private static final int USUAL_STEPS = 20_000;
  private static final int FLIPS_IN_A_ROW = 8;
  private static final List<String> FOLDERS = List.of("log/0", "journal", RingPlace.DIRECTORY);

  EngineDamage() {}

  @Override
  public String name() {
    return "engine-damage";
  }

  @Override
  public String hazard() {
    return "damage goes unnoticed and costs, or changes, what had been committed";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> run(budget.seed()));
    }
  }

  private static void run(long seed) {
    EngineLives lives =
        new EngineLives(
            seed,
            SimulatedDisk.builder(seed).volatileBytes(seed % 3 == 0 ? 1 << 30 : 0),
            true,
            seed % 4 == 0);
    SplittableRandom random = lives.random;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      live(lives, 1 + random.nextInt(2 * USUAL_STEPS));
    }
    List<String> files = files(lives.disk);
    if (files.isEmpty()) {
      return; // killed before there was a store
    }
    String file = files.get(random.nextInt(files.size()));
    damage(lives.disk, file, random);
    if (file.startsWith(RingPlace.DIRECTORY)) {
      lives.ended(History.Ending.POWER_CUT);
    }
    live(lives, -1);
  }

  private static void live(EngineLives lives, long killAtStep) {
    lives.execution.use(lives.schedule(USUAL_STEPS));
    lives.execution.killAtStep(killAtStep);
    SplittableRandom life = lives.random.split();
    lives.execution.run(
        () -> {
          try {
            lives.live(life);
          } catch (CorruptStoreException
              | UnsupportedStoreException
              | StorageException
              | StoreFailedException e) {
            lives.refusedToOpen(e);
          }
        });
    lives.requireNothingSeen();
    lives.disk.kill();
    lives.ended(History.Ending.KILLED);
  }

  private static List<String> files(SimulatedDisk disk) {
    List<String> files = new ArrayList<>();
    Storage storage = disk.storage();
    if (storage.exists("store.howdah")) {
      files.add("store.howdah");
      for (String folder : FOLDERS) {
        storage.list(folder).forEach(name -> files.add(folder + "/" + name));
      }
    }
    return files;
  }

  private static void damage(SimulatedDisk disk, String file, SplittableRandom random) {
    byte[] contents = disk.contents(file);
    switch (contents.length == 0 ? 0 : random.nextInt(8)) {
      case 0 -> disk.remove(file);
      case 1 -> disk.truncate(file, random.nextInt(contents.length + 1));
      default -> {
        int offset = written(contents, random);
        for (int i = random.nextInt(3) == 0 ? FLIPS_IN_A_ROW : 1; i > 0; i--) {
          if (offset < contents.length) {
            disk.flipBit(file, offset++, random.nextInt(8));
          }
        }
      }
    }
  }

  /** Returns an offset, most often one where something stands: most of a file is zeros. */
  private static int written(byte[] contents, SplittableRandom random) {
    int offset = random.nextInt(contents.length);
    for (int i = 0; i < 10_000 && contents[offset] == 0; i++) {
      offset = random.nextInt(contents.length);
    }
    return offset;
  }
}
