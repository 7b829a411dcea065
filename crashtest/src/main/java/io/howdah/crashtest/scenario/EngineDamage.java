package io.howdah.crashtest.scenario;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.crashtest.oracle.History;
import io.howdah.log.commit.RingDirectory;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The whole engine over files that somebody or something has damaged after a kill: a bit that
 * flipped, a file cut short, a file gone. The store says so, or everything that had returned is
 * there; only where a ring is damaged may it open with what was forced.
 *
 * <p>The last opening loads the image, which holds every page of it to its checksum.
 */
final class EngineDamage implements Scenario {

  private static final int USUAL_STEPS = 20_000;
  private static final List<String> FOLDERS = List.of("log/0", "journal", RingDirectory.DIRECTORY);

  private final StoreMemory memory;

  EngineDamage(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("engine-damage");
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

  private void run(long seed) {
    EngineLives lives =
        new EngineLives(
            seed,
            SimulatedDisk.builder(seed).volatileBytes(memory.volatileBytes(seed, seed % 3 != 0)),
            true,
            seed % 4 == 0);
    SplittableRandom random = lives.random;
    if (memory == StoreMemory.SHARED && memory.volatileBytes(seed, true) > 0) {
      lives.shareMemory();
    }
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      live(lives, 1 + random.nextInt(2 * USUAL_STEPS));
    }
    List<String> files = files(lives.disk);
    if (files.isEmpty()) {
      return; // killed before there was a store
    }
    String file = files.get(random.nextInt(files.size()));
    Damage.any(lives.disk, file, random);
    if (file.startsWith(RingDirectory.DIRECTORY)) {
      lives.ended(History.Ending.POWER_CUT);
    }
    lives.loadImage();
    live(lives, -1);
  }

  private void live(EngineLives lives, long killAtStep) {
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
    if (killAtStep >= 0) {
      memory.judge(lives.disk); // later, damage may be in a part of the log that memory replaces
    }
    lives.ended(History.Ending.KILLED);
  }

  private static List<String> files(SimulatedDisk disk) {
    List<String> files = new ArrayList<>();
    Storage storage = disk.storage();
    if (storage.exists("store.howdah")) {
      files.addAll(List.of("store.howdah", "image", "image.sums"));
      for (String folder : FOLDERS) {
        storage.list(folder).forEach(name -> files.add(folder + "/" + name));
      }
    }
    return files;
  }
}
