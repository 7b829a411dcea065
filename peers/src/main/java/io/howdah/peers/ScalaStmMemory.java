package io.howdah.peers;

import io.howdah.jmh.workload.SixRefs;
import scala.Function1;
import scala.concurrent.stm.InTxn;
import scala.concurrent.stm.MaybeTxn;
import scala.concurrent.stm.TArray;
import scala.concurrent.stm.TxnExecutor;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/**
 * Words in ScalaSTM: a {@code TArray[Long]}, which keeps its elements in an array of primitive
 * numbers. Its interface takes and returns objects, so that values are boxed.
 */
final class ScalaStmMemory implements SixRefs.Memory {

  private final TArray<Object> words;
  private final TxnExecutor atomic = TxnExecutor.defaultAtomic();

  @SuppressWarnings("unchecked") // Scala's Long is Object to Java
  ScalaStmMemory(int length) {
    words = TArray.ofDim(length, (ClassTag<Object>) (ClassTag<?>) ClassTag$.MODULE$.Long());
  }

  @Override
  public int words() {
    return words.length();
  }

  @Override
  public Runnable addition(int[] chosen) {
    Function1<InTxn, BoxedUnit> body =
        txn -> {
          for (int word : chosen) {
            words.update(word, (long) words.apply(word, txn) + 1, txn);
          }
          return BoxedUnit.UNIT;
        };
    return () -> atomic.apply(body, MaybeTxn.unknown());
  }

  @Override
  public long sum() {
    TArray.View<Object> view = words.single();
    long sum = 0;
    for (int word = 0; word < words.length(); word++) {
      sum += (long) view.apply(word);
    }
    return sum;
  }
}
