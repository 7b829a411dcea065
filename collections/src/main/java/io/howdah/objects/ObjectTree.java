package io.howdah.objects;

import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Frees an object with all it owns, one object after the other, in one transaction. What is still
 * to be freed is a list on the heap, of no more objects than the transaction is going to free.
 */
final class ObjectTree extends ObjectWalk {

  private final Tx tx;
  private final Deque<Part> left = new ArrayDeque<>();
  private long freed;

  /** An object that is to be freed. */
  private record Part(String type, long reference) {}

  ObjectTree(Tx tx, Words words, StoredLayouts types) {
    super(words, types);
    this.tx = tx;
  }

  /** Frees an object with all it owns; the word that refers to it is the caller's. */
  void free(String type, long reference) {
    left.push(new Part(type, reference));
    try {
      while (!left.isEmpty()) {
        free(left.pop());
      }
    } catch (TransactionTooLargeException e) {
      throw new TransactionTooLargeException(
          "an object of "
              + type
              + " with all it owns does not fit into one transaction, of which "
              + freed
              + " objects do; free what it owns, and clear its collections in parts, in earlier"
              + " transactions, or raise StoreOptions.maxTransactionBytes",
          e);
    }
  }

  private void free(Part part) {
    ObjectLayout layout = layout(part.type);
    layout.requireObject(words, part.type, part.reference);
    walk(layout, part.reference);
    types.forgetOnCommit(tx, part.type, part.reference);
    freed++;
  }

  @Override
  void word(ObjectField field, long at) {
    long held = words.getUnchecked(at);
    if (held != 0 && field.kind() == FieldKind.OWNED) {
      left.push(new Part(field.target(), held));
    } else if (held != 0 && field.kind() == FieldKind.COLLECTION) {
      CollectionBlocks.drop(words, HeldCollection.found(words, field, at));
    } else if (held != 0 && field.kind().ownsBlock()) {
      words.heap.free(held);
    }
  }

  @Override
  void embedded(String type, long inner) {
    types.forgetOnCommit(tx, type, inner);
  }

  @Override
  void block(long block) {
    words.putUnchecked(block, 0); // at() tells it from an object even before the block is reused
    words.heap.free(block);
  }

  /** Finds out whether an object owns others. */
  static final class OwnsAny extends ObjectWalk {

    private boolean found;

    OwnsAny(Words words, StoredLayouts types) {
      super(words, types);
    }

    boolean test(String type, long reference) {
      walk(layout(type), reference);
      return found;
    }

    @Override
    void word(ObjectField field, long at) {
      found |= field.kind() == FieldKind.OWNED && words.getUnchecked(at) != 0;
    }
  }
}
