package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.RecordRows;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What a transaction will write to {@linkplain NodeLayout nodes}: rows in the order in which they
 * were written. A later row wins over an earlier one where they overlap. Not thread-safe.
 *
 * <p>A row has the format of an entry of a redo record: a head with address and count, then the
 * values. The record is therefore a copy of the rows. There is no filter and no index of words,
 * since only reads of a node that is written ask for them: such a node gets an <em>image</em>, all
 * its words with the rows over them, which later rows change as well.
 *
 * <p>The commit locks the orec of each node here.
 */
public final class NodeWrites implements RecordRows {

  private static final int FIRST_WORDS = 256;
  private static final int KEPT_WORDS = 1 << 13;
  private static final int FIRST_ROWS = 32;
  private static final int FIRST_NODES = 16;
  private static final int KEPT_NODES = 1 << 10;
  private static final int SCANNED_NODES = 8;
  private static final int WORD_SHIFT = 3;
  private static final int NONE = -1;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /**
   * Maximum number of words of all images, 16 MiB. If they were more, all are dropped; the next
   * reads make new ones.
   */
  private static final int MAX_IMAGE_WORDS = 1 << 21;

  /** Maximum number of a node's last rows that are searched for one to be changed in place. */
  private static final int MAX_LOOKS = 8;

  // The fields of a row in `links`.
  private static final int START = 0;
  private static final int PREVIOUS = 1;
  private static final int NODE = 2;
  private static final int LINKS = 3;

  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** The rows one after the other: head, values. */
  private long[] words = new long[FIRST_WORDS];

  private int length;

  /** For each row: its start in {@link #words}, the node's row before it, the node's number. */
  private int[] links = new int[LINKS * FIRST_ROWS];

  private int rows;

  /** Rows before this one must not change, since a savepoint may return to them. */
  private int firstChangeable;

  /** The references of the nodes. */
  private long[] nodes = new long[FIRST_NODES];

  /** For each node, its last row, or -1. */
  private int[] lastRows = new int[FIRST_NODES];

  /** For each node, where its image begins, or -1. */
  private int[] imageStarts = new int[FIRST_NODES];

  /** For each node, whether this transaction has allocated it, so that memory has nothing of it. */
  private boolean[] isFresh = new boolean[FIRST_NODES];

  private int count;

  /** Stamp in the high half, number of a node in the low half. Empty until it is needed. */
  private long[] index = {};

  private int stamp = 1;

  private long[] images = {};
  private int imagesLength;

  /** Scratch memory for the rows of one node. */
  private int[] order = new int[FIRST_ROWS];

  /** Number of changes that have begun and not ended; an error interrupted them. */
  private int unfinished;

  /** Whether a node was added since the last {@link #clear}. */
  private boolean isUsed;

  /** Returns whether there is no node. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Returns the number of nodes whose orecs the commit locks. */
  public int count() {
    return count;
  }

  /** Returns the address of a node. */
  public long address(int node) {
    return NodeLayout.address(nodes[node]);
  }

  /** Returns the reference of a node. */
  long reference(int node) {
    return nodes[node];
  }

  /** Returns the number of written words, each as often as it was written. */
  public int wordCount() {
    return length - rows;
  }

  // ---- Iteration: for (int row = 0; row < end(); row = next(row)).

  /** Returns the end of the last row. */
  public int end() {
    return length;
  }

  public int next(int row) {
    return row + 1 + words(row);
  }

  /** Returns the address of the first word of a row. */
  public long rowAddress(int row) {
    return RedoRecordLayout.entryAddress(words[row]);
  }

  public long rowEndAddress(int row) {
    return rowAddress(row) + ((long) words(row) << WORD_SHIFT);
  }

  private int words(int row) {
    return RedoRecordLayout.entryRun(words[row]);
  }

  @Override
  public int rowCount() {
    return rows;
  }

  @Override
  public long[] rowEntries() {
    return words;
  }

  @Override
  public int rowEntriesEnd() {
    return length;
  }

  /** Writes all words to the region in the order of the rows, each atomically. */
  public void storeTo(Region region) {
    for (int row = 0; row < length; row = next(row)) {
      region.setLongsOpaque(rowAddress(row), words, row + 1, words(row));
    }
  }

  // ---- Nodes.

  /** Returns the number of a node, or -1. */
  int find(long node) {
    if (count > SCANNED_NODES) {
      return findIndexed(node);
    }
    for (int i = 0; i < count; i++) {
      if (nodes[i] == node) {
        return i;
      }
    }
    return NONE;
  }

  private int findIndexed(long node) {
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = home(node, mask);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      if (nodes[(int) s] == node) {
        return (int) s;
      }
      slot = (slot + 1) & mask;
    }
    return NONE;
  }

  private static int home(long node, int mask) {
    return (int) ((node * MULTIPLIER) >>> Integer.SIZE) & mask;
  }

  /** Returns whether memory is not what a reader of the node must see. */
  boolean isChanged(int node) {
    return lastRows[node] != NONE || isFresh[node];
  }

  /** Returns whether the transaction has allocated the node, so that memory has nothing of it. */
  boolean isFresh(int node) {
    return isFresh[node];
  }

  /** Adds a node that the transaction has allocated, unless it has written to the node before. */
  void addFresh(long node) {
    if (find(node) == NONE) {
      add(node, true);
    }
  }

  /** Returns the number of a node, which is added if it is not there. */
  private int findOrAdd(long node) {
    int found = find(node);
    return found == NONE ? add(node, false) : found;
  }

  private int add(long node, boolean fresh) {
    isUsed = true;
    if (count == nodes.length) {
      growNodes();
    }
    if (count >= SCANNED_NODES && 2 * (count + 1) > index.length) {
      replaceIndex(new long[4 * Integer.highestOneBit(count + 1)]);
    }
    int number = count;
    nodes[number] = node;
    lastRows[number] = NONE;
    imageStarts[number] = NONE;
    isFresh[number] = fresh;
    unfinished++; // the calls below may overflow the stack
    count = number + 1;
    if (number > SCANNED_NODES) {
      addToIndex(number);
    } else if (number == SCANNED_NODES) {
      indexAll();
    }
    unfinished--;
    return number;
  }

  private void growNodes() {
    int more = 2 * nodes.length;
    long[] moreNodes = Arrays.copyOf(nodes, more);
    int[] moreRows = Arrays.copyOf(lastRows, more);
    int[] moreImages = Arrays.copyOf(imageStarts, more);
    boolean[] moreFresh = Arrays.copyOf(isFresh, more);
    nodes = moreNodes; // after the last call: all fields change, or none
    lastRows = moreRows;
    imageStarts = moreImages;
    isFresh = moreFresh;
  }

  private void replaceIndex(long[] empty) {
    unfinished++;
    index = empty;
    stamp = 1;
    if (count > SCANNED_NODES) {
      indexAll();
    }
    unfinished--;
  }

  private void indexAll() {
    for (int i = 0; i < count; i++) {
      addToIndex(i);
    }
  }

  private void addToIndex(int number) {
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = home(nodes[number], mask);
    while ((int) (index[slot] >>> 32) == stamp) {
      slot = (slot + 1) & mask;
    }
    index[slot] = (long) stamp << 32 | number;
  }

  /**
   * Returns whether a node of the page at an address is here. Asks for each node that the page may
   * have: a transaction that frees all nodes of a large tree asks as often as it frees one.
   */
  boolean isAnyIn(long page) {
    for (int code = 0; code < NodeLayout.SIZES; code++) {
      int bytes = NodeLayout.bytesOf(code);
      for (long node = page; node < page + PageLayout.PAGE_BYTES; node += bytes) {
        if (find(NodeLayout.reference(node, bytes)) != NONE) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- Rows.

  /**
   * Writes words of a node.
   *
   * @return the number of words by which {@link #wordCount} has grown
   * @throws OutOfMemoryError if there is not enough memory; nothing is written
   */
  int put(long node, int first, long[] source, int from, int run) {
    int before = wordCount();
    int number = findOrAdd(node);
    int at = begin(number, first, run);
    System.arraycopy(source, from, words, at, run);
    end(number, first, at, run);
    return wordCount() - before;
  }

  /** Writes words of a node from bytes; otherwise like the method above. */
  int put(long node, int first, byte[] source, int offset, int run) {
    int before = wordCount();
    int number = findOrAdd(node);
    int at = begin(number, first, run);
    long[] words = this.words;
    for (int i = 0; i < run; i++) {
      words[at + i] = (long) BYTES.get(source, offset + i * Long.BYTES);
    }
    end(number, first, at, run);
    return wordCount() - before;
  }

  /** Writes a word of a node; otherwise like the methods above. */
  int put(long node, int first, long word) {
    int before = wordCount();
    int number = findOrAdd(node);
    int at = begin(number, first, 1);
    words[at] = word;
    end(number, first, at, 1);
    return wordCount() - before;
  }

  /** Begins a change, and returns the index in {@link #words} where its words belong. */
  private int begin(int number, int first, int run) {
    reserve(run);
    unfinished++; // until end(): the calls in between may overflow the stack
    long address = address(number) + ((long) first << WORD_SHIFT);
    int same = placeInOldRow(number, address, run);
    if (same >= 0) {
      return same;
    }
    int at = length;
    if (rows > firstChangeable && endsAt(rows - 1, number, address)) {
      words[links[LINKS * (rows - 1) + START]] += run; // the last row becomes longer
      length = at + run;
      return at;
    }
    words[at] = RedoRecordLayout.entryHead(address, run);
    links[LINKS * rows + START] = at;
    links[LINKS * rows + PREVIOUS] = lastRows[number];
    links[LINKS * rows + NODE] = number;
    lastRows[number] = rows;
    rows++;
    length = at + 1 + run;
    return at + 1;
  }

  /** Returns whether a row is of a node and ends where an address begins. */
  private boolean endsAt(int row, int number, long address) {
    return links[LINKS * row + NODE] == number
        && rowEndAddress(links[LINKS * row + START]) == address;
  }

  /**
   * Returns where words stand that are all in one of the node's last rows, if no later row has one
   * of them and no savepoint needs them; otherwise -1.
   */
  private int placeInOldRow(int number, long address, int run) {
    long end = address + ((long) run << WORD_SHIFT);
    int row = lastRows[number];
    for (int looks = 0; row >= firstChangeable && looks < MAX_LOOKS; looks++) {
      int start = links[LINKS * row + START];
      long from = rowAddress(start);
      long to = rowEndAddress(start);
      if (from <= address && end <= to) {
        return start + 1 + (int) ((address - from) >>> WORD_SHIFT);
      }
      if (from < end && address < to) {
        return NONE;
      }
      row = links[LINKS * row + PREVIOUS];
    }
    return NONE;
  }

  /** Ends a change: the node's image, if there is one, follows. */
  private void end(int number, int first, int at, int run) {
    int image = imageStarts[number];
    if (image != NONE) {
      System.arraycopy(words, at, images, image + first, run);
    }
    unfinished--;
  }

  private void reserve(int run) {
    int wanted = length + 1 + run;
    if (wanted > words.length) {
      words = Arrays.copyOf(words, 2 * Integer.highestOneBit(wanted - 1));
    }
    if (LINKS * (rows + 1) > links.length) {
      links = Arrays.copyOf(links, 2 * links.length);
    }
  }

  // ---- Images.

  /** Returns where the image of a node begins in {@link #images}, or -1. */
  int image(int number) {
    return imageStarts[number];
  }

  /** Returns the words of all images. */
  long[] images() {
    return images;
  }

  /**
   * Returns where an image of a node may be made in {@link #images}. The caller fills in the node's
   * words from memory, then calls {@link #completeImage}.
   */
  int beginImage(int number) {
    int nodeWords = NodeLayout.words(nodes[number]);
    if (imagesLength + nodeWords > MAX_IMAGE_WORDS) {
      dropImages();
    }
    int wanted = imagesLength + nodeWords;
    if (wanted > images.length) {
      images =
          Arrays.copyOf(images, Math.max(NodeLayout.MAX_WORDS, 2 * Integer.highestOneBit(wanted)));
    }
    return imagesLength;
  }

  /** Puts the rows of a node over the words from memory that {@link #beginImage} asked for. */
  void completeImage(int number) {
    int image = imagesLength;
    int count = 0;
    for (int row = lastRows[number]; row != NONE; row = links[LINKS * row + PREVIOUS]) {
      if (count == order.length) {
        order = Arrays.copyOf(order, 2 * count);
      }
      order[count++] = links[LINKS * row + START];
    }
    long address = NodeLayout.address(nodes[number]);
    while (count > 0) {
      int start = order[--count];
      int first = (int) ((rowAddress(start) - address) >>> WORD_SHIFT);
      System.arraycopy(words, start + 1, images, image + first, words(start));
    }
    imageStarts[number] = image; // only now: the image is complete
    imagesLength = image + NodeLayout.words(nodes[number]);
  }

  private void dropImages() {
    Arrays.fill(imageStarts, 0, count, NONE);
    imagesLength = 0;
  }

  // ---- Savepoints.

  /**
   * Returns a position for {@link #rollBack}. Later changes leave the rows before it as they are.
   */
  long position() {
    firstChangeable = rows;
    return (long) rows << 32 | count;
  }

  /** Undoes all changes since a position. */
  void rollBack(long position) {
    unfinished = 1; // the code below rebuilds all that an interrupted change may have left
    dropImages();
    int rowsThen = (int) (position >>> 32);
    if (rows > rowsThen) {
      length = links[LINKS * rowsThen + START];
    }
    rows = rowsThen;
    firstChangeable = rowsThen;
    count = (int) position;
    Arrays.fill(lastRows, 0, count, NONE);
    for (int row = 0; row < rows; row++) {
      lastRows[links[LINKS * row + NODE]] = row;
    }
    newStamp();
    if (count > SCANNED_NODES) {
      indexAll();
    }
    unfinished = 0;
  }

  /** Returns whether an error has interrupted a change; then no commit is valid. */
  boolean isBroken() {
    return unfinished != 0;
  }

  void clear() {
    if (!isUsed) {
      return; // nearly all transactions of programs without nodes
    }
    isUsed = false;
    if (count > SCANNED_NODES) {
      newStamp();
    }
    length = 0;
    rows = 0;
    count = 0;
    firstChangeable = 0;
    imagesLength = 0;
    unfinished = 0;
  }

  private void newStamp() {
    if (++stamp == 0) {
      Arrays.fill(index, 0);
      stamp = 1;
    }
  }

  /** Frees memory that an unusually large transaction needed. */
  void trim() {
    clear();
    if (words.length > KEPT_WORDS) {
      words = new long[FIRST_WORDS];
    }
    if (links.length > LINKS * KEPT_WORDS) {
      links = new int[LINKS * FIRST_ROWS];
    }
    if (order.length > KEPT_WORDS) {
      order = new int[FIRST_ROWS];
    }
    if (images.length > KEPT_WORDS) {
      images = new long[0];
    }
    if (nodes.length > KEPT_NODES) {
      nodes = new long[FIRST_NODES];
      lastRows = new int[FIRST_NODES];
      imageStarts = new int[FIRST_NODES];
      isFresh = new boolean[FIRST_NODES];
      index = new long[0];
    }
  }
}
