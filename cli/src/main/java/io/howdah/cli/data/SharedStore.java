package io.howdah.cli.data;

import io.howdah.Store;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes commands that work on a store which is open already, and stays open. */
final class SharedStore implements IFactory {

  private final Store store;

  SharedStore(Store store) {
    this.store = store;
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type == StoreOption.class
        ? type.cast(new StoreOption(store))
        : CommandLine.defaultFactory().create(type);
  }
}
