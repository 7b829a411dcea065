package io.howdah.examples.crashtest;

import io.howdah.Store;

/** Works as well as the other one, until somebody pulls the plug. */
final class CarelessWallet extends Wallet {

  CarelessWallet(Store store) {
    super(store);
  }

  @Override
  void move(long coins) {
    store.run(tx -> add(tx, LEFT, -coins));
    store.run(tx -> add(tx, RIGHT, coins));
  }
}
