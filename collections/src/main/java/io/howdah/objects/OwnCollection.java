package io.howdah.objects;

import io.howdah.collections.structure.CollectionHome;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Words;

/** The property of an object that holds a collection of its own, as ADR 53 describes it. */
final class OwnCollection implements CollectionHome {

  private final PersistentObject object;
  private final ObjectField field;
  private final int number;

  OwnCollection(PersistentObject object, ObjectField field) {
    this.object = object;
    this.field = field;
    this.number = RunningTx.of(object.tx).number();
  }

  @Override
  public void requireTransaction(Words words, Tx tx) {
    if (!tx.equals(object.tx) || RunningTx.of(tx).number() != number) {
      throw words.refuse(
          new TransactionStateException(
              "\""
                  + this
                  + "\" was got in another transaction than the one that it is used in; call the"
                  + " getter of the object in each"));
    }
  }

  @Override
  public long find(Words words) {
    requireObject(words);
    long base = object.base(field.since());
    return base == 0 ? 0 : words.getUnchecked(base + field.offset());
  }

  @Override
  public void keep(Words words, long address) {
    words.putUnchecked(object.writableBase(field.since()) + field.offset(), address);
  }

  private void requireObject(Words words) {
    if (!isThere(words, object.holder())) {
      throw words.refuse(
          new InvalidAddressException("\"" + this + "\" was freed, with its object"));
    }
  }

  private static boolean isThere(Words words, long reference) {
    long identity = words.getUnchecked(ObjectLayout.address(reference));
    return identity != 0
        && ReferenceLayout.incarnation(identity) == ReferenceLayout.incarnation(reference);
  }

  @Override
  public String toString() {
    return field.name() + " of " + object;
  }
}
