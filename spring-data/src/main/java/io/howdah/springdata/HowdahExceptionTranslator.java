package io.howdah.springdata;

import io.howdah.NotYetDurableException;
import io.howdah.codec.CodecException;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.EntryTooLargeException;
import io.howdah.collections.UniqueIndexException;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.LogFullException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.RegionFullException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.UnavailablePageException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.SnapshotLostException;
import io.howdah.txn.TransactionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/**
 * Makes exceptions of a store those of Spring. What may succeed when it is repeated becomes a
 * {@code TransientDataAccessException}, and nothing else does. {@link NotYetDurableException} stays
 * what it is: the transaction has committed, so no code may take it for a failure and repeat it.
 */
public final class HowdahExceptionTranslator implements PersistenceExceptionTranslator {

  /** Creates one. */
  public HowdahExceptionTranslator() {}

  @Override
  public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException thrown) {
    String message = String.valueOf(thrown.getMessage());
    return switch (thrown) {
      case ConflictException e ->
          new OptimisticLockingFailureException(
              "the transaction had a conflict and no effect: repeat it", e);
      case TransactionTimeoutException e -> new QueryTimeoutException(message, e);
      case SnapshotLostException e -> new TransientDataAccessResourceException(message, e);
      case LogFullException e -> new TransientDataAccessResourceException(message, e);
      case UnavailablePageException e -> new TransientDataAccessResourceException(message, e);
      case UniqueIndexException e -> new DuplicateKeyException(message, e);
      case RegionFullException e -> new DataAccessResourceFailureException(message, e);
      case StoreClosedException e -> new DataAccessResourceFailureException(message, e);
      case StoreFailedException e -> new DataAccessResourceFailureException(message, e);
      case CorruptStoreException e -> new DataAccessResourceFailureException(message, e);
      case TransactionTooLargeException e -> new InvalidDataAccessApiUsageException(message, e);
      case EntryTooLargeException e -> new InvalidDataAccessApiUsageException(message, e);
      case ReadOnlyStoreException e -> new InvalidDataAccessApiUsageException(message, e);
      case TransactionStateException e -> new InvalidDataAccessApiUsageException(message, e);
      case CodecException e -> new InvalidDataAccessResourceUsageException(message, e);
      case CollectionMismatchException e -> new InvalidDataAccessResourceUsageException(message, e);
      default -> null;
    };
  }
}
