package io.howdah.collections.structure;

/**
 * The leaves of the keys for which a {@link TreeGroup} has descended, with the words of their
 * orecs. An operation on one of these keys need not descend if the orec still has that word: then
 * no commit has changed the leaf, so it is the one that covers the key. The tag and the fences of
 * the leaf are not verified again: they are words of the leaf, which has been found at one snapshot
 * and is unchanged. The address of the tree and the key are compared, because the leaves outlive a
 * group whose operations did not all run. The operations come in the order of the keys. Not
 * thread-safe.
 */
final class KnownLeaves {

  private final TreeKey[] keys = new TreeKey[KeysAhead.MAX_KEYS];
  private final long[] leaves = new long[KeysAhead.MAX_KEYS];
  private final long[] seen = new long[KeysAhead.MAX_KEYS];

  /** The word of each key's entry in its leaf, or as in {@link TreeSearch#beginLook}. */
  private final int[] entries = new int[KeysAhead.MAX_KEYS];

  /** The address of the tree. */
  private long tree;

  private int count;

  /** The number of the key whose operation is next. */
  private int next;

  /** Whether a leaf was added since the last {@link #trim}. */
  private boolean isUsed;

  KnownLeaves() {
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new TreeKey();
    }
  }

  /** Forgets all leaves, before those of a tree are added. */
  void begin(long address) {
    tree = address;
    count = 0;
    next = 0;
  }

  /** Adds the leaf of a key. */
  void add(TreeKey key, long leaf, long orec) {
    keys[count].copy(key);
    add(leaf, orec, TreeSearch.UNKNOWN);
  }

  /**
   * Adds the leaf of a key of 8 bytes.
   *
   * @param entry the word of its entry, or as in {@link TreeSearch#beginLook}
   */
  void add(long head, long leaf, long orec, int entry) {
    keys[count].setFixed(head);
    add(leaf, orec, entry);
  }

  private void add(long leaf, long orec, int entry) {
    isUsed = true;
    leaves[count] = leaf;
    seen[count] = orec;
    entries[count] = entry;
    count++;
  }

  /**
   * Returns the number of the leaf for the key of the next operation, -1 if it is not known.
   *
   * @param address that of the tree
   * @param isFixed whether its keys have 8 bytes
   */
  int take(long address, TreeKey key, boolean isFixed) {
    if (next >= count || tree != address) {
      return -1;
    }
    int number = next;
    if (!keys[number].isSame(key, isFixed)) {
      return -1;
    }
    next++;
    return number;
  }

  long leaf(int number) {
    return leaves[number];
  }

  /** Returns the word that the orec of a leaf had. */
  long seen(int number) {
    return seen[number];
  }

  /** Returns the word of the key's entry in its leaf, or as in {@link TreeSearch#beginLook}. */
  int entry(int number) {
    return entries[number];
  }

  /** Releases the memory that unusually long keys needed. */
  void trim(int keptBytes) {
    if (!isUsed) { // most transactions have no group
      return;
    }
    isUsed = false;
    count = 0;
    for (TreeKey key : keys) {
      key.trim(keptBytes);
    }
  }
}
