package io.howdah.objects;

import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;

/** The types of a store, by the names of their interfaces, whether these are open or not. */
interface StoredLayouts {

  /** Returns the layout that the store has of a type. */
  ObjectLayout layout(Words words, String type);

  /** Returns the name of a type by its number, for messages. */
  String name(Words words, int id);

  /** An object is freed, so what does not persist of it goes when the transaction commits. */
  void forgetOnCommit(Tx tx, String type, long reference);
}
