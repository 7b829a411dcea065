package io.howdah.objects;

import io.howdah.collections.structure.CollectionHome;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.stm.TxHandle;

/** The property of an object that holds a collection of its own, as ADR 53 describes it. */
final class OwnCollection implements CollectionHome {

  private final PersistentObject object;
  private final ObjectField field;
  private final int number;

  OwnCollection(PersistentObject object, ObjectField field) {
    this.object = object;
    this.field = field;
    this.number = TxHandle.of(object.tx).number();
  }

  @Override
  public void requireTransaction(TxContext context, Tx tx) {
    if (!tx.equals(object.tx) || TxHandle.of(tx).number() != number) {
      throw context.refuse(
          new TransactionStateException(
              "\""
                  + this
                  + "\" was got in another transaction than the one that it is used in; call the"
                  + " getter of the object in each"));
    }
  }

  @Override
  public long find(TxContext context) {
    requireObject(context);
    long base = object.base(field.since());
    return base == 0 ? 0 : context.getUnchecked(base + field.offset());
  }

  @Override
  public void keep(TxContext context, long address) {
    context.putUnchecked(object.writableBase(field.since()) + field.offset(), address);
  }

  private void requireObject(TxContext context) {
    if (!isThere(context, object.holder())) {
      throw context.refuse(
          new InvalidAddressException("\"" + this + "\" was freed, with its object"));
    }
  }

  private static boolean isThere(TxContext context, long reference) {
    long identity = context.getUnchecked(ObjectLayout.address(reference));
    return identity != 0
        && ReferenceLayout.incarnation(identity) == ReferenceLayout.incarnation(reference);
  }

  @Override
  public String toString() {
    return field.name() + " of " + object;
  }
}
