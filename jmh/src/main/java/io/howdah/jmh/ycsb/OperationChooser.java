package io.howdah.jmh.ycsb;

import io.howdah.jmh.ycsb.Mix.Operation;
import site.ycsb.generator.DiscreteGenerator;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.SkewedLatestGenerator;

/** Draws operations and keys with YCSB's generators, as its CoreWorkload does. For one thread. */
final class OperationChooser {

  private final KeySpace space;
  private final NumberGenerator keys;
  private final DiscreteGenerator operations;

  OperationChooser(Mix mix, KeySpace space) {
    this.space = space;
    operations = mix.operations();
    keys =
        mix.readsLatest()
            ? new SkewedLatestGenerator(space.inserts())
            : new ScrambledZipfianGenerator(0, space.loaded() - 1);
  }

  Operation operation() {
    return Operation.valueOf(operations.nextValue());
  }

  /** Returns the number of an existing record. */
  long existing() {
    long last = space.inserts().lastValue();
    long number = keys.nextValue().longValue();
    while (number > last || number < 0) {
      number = keys.nextValue().longValue();
    }
    return number;
  }

  /** Returns the number of a new record. */
  long inserted() {
    return space.inserts().nextValue();
  }

  /** Notes an acknowledged write: the latest records are those up to the first that is not. */
  void stored(long number) {
    if (number >= space.loaded()) {
      space.inserts().acknowledge(number);
    }
  }
}
