package io.howdah.jmh.ycsb;

import site.ycsb.generator.DiscreteGenerator;

/** YCSB's core workloads that need no scan, with the proportions of their published files. */
public enum Mix {
  /** Half reads, half updates. */
  A(0.5, 0.5, 0, 0),
  /** 95 % reads, 5 % updates. */
  B(0.95, 0.05, 0, 0),
  /** Reads only. */
  C(1, 0, 0, 0),
  /** 95 % reads of the latest records, 5 % inserts. */
  D(0.95, 0, 0.05, 0),
  /** Half reads, half reads followed by an update of the same record. */
  F(0.5, 0, 0, 0.5);

  private final double reads;
  private final double updates;
  private final double inserts;
  private final double readModifyWrites;

  Mix(double reads, double updates, double inserts, double readModifyWrites) {
    this.reads = reads;
    this.updates = updates;
    this.inserts = inserts;
    this.readModifyWrites = readModifyWrites;
  }

  /** One operation of YCSB. */
  enum Operation {
    READ,
    UPDATE,
    INSERT,
    READ_MODIFY_WRITE
  }

  /** Returns whether keys are chosen among the latest; otherwise they are scrambled Zipfian. */
  boolean readsLatest() {
    return this == D;
  }

  /** Returns YCSB's generator of operations, by their names. */
  DiscreteGenerator operations() {
    DiscreteGenerator operations = new DiscreteGenerator();
    add(operations, reads, Operation.READ);
    add(operations, updates, Operation.UPDATE);
    add(operations, inserts, Operation.INSERT);
    add(operations, readModifyWrites, Operation.READ_MODIFY_WRITE);
    return operations;
  }

  private static void add(DiscreteGenerator operations, double share, Operation operation) {
    if (share > 0) {
      operations.addValue(share, operation.name());
    }
  }
}
