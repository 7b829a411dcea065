package io.howdah.cli.command;

import io.howdah.Store;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes commands that work on a store which is open already, and stays open. */
public final class SharedStore implements IFactory {

  private final Store store;

  /** Uses a store, which the caller closes. */
  public SharedStore(Store store) {
    this.store = store;
  }

  /**
   * Makes sure that there is a store, so that none is created by mistake.
   *
   * @throws io.howdah.core.HowdahException if there is none
   * @throws CommandLine.ParameterException if there is no such folder
   */
  public static void requireStore(Path folder, CommandLine command) {
    StoreOption.requireStore(folder, command);
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type == StoreOption.class
        ? type.cast(new StoreOption(store))
        : CommandLine.defaultFactory().create(type);
  }
}
