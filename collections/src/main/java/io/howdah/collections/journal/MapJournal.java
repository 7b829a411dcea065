package io.howdah.collections.journal;

/**
 * The journal of a map, as its handle has it.
 *
 * @param deliveries the subscriptions of the store
 */
public record MapJournal(StoredJournal stored, Deliveries deliveries) {

  /** Returns what reads the journal. */
  public <K, V> JournalChanges<K, V> changes(MapAccess map, ChangeCodec<K, V> codec) {
    return new JournalChanges<>(stored, deliveries, map, codec);
  }
}
