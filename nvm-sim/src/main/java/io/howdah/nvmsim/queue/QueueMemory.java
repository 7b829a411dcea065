package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.steps.Term;

/**
 * Where a queue's parts lie. Head, tail, every lock and every volatile pointer has a 64-byte line
 * of its own, as in the paper; records start on lines.
 *
 * <pre>
 * persistent   head line | tail line | ... data segment, capacity slots (4096-byte aligned)
 * volatile     queue, reserve, update and remove lock lines | headV line | list tail, oldest lines
 *              | one MCS node line per thread and lock | one list node line per slot
 * </pre>
 *
 * Head, tail and headV count bytes inserted or removed since the queue was made; a position's slot
 * is its remainder by the data segment's length.
 */
public final class QueueMemory {
  static final int LINE = 64;
  private static final int PAGE = SpaceLayout.ALIGNMENT;
  private static final int LOCKS = 4;

  /** List node: end position, next node, whether its insert is complete. */
  static final int NODE_END = 0;

  static final int NODE_NEXT = 8;
  static final int NODE_DONE = 16;

  final QueueSpec spec;
  final int threads;
  final long head;
  final long tail;
  final long data;
  final long dataLength;
  final int slotLength;
  final int recordWords;
  final long queueLock;
  final long reserveLock;
  final long updateLock;
  final long removeLock;
  final long headV;
  final long listTail;
  final long listOldest;
  private final long mcsNodes;
  private final long listNodes;

  /**
   * End of the records popped off the insert list. The simulator's own note, no part of the
   * program: it tells when an unchecked queue is about to reuse a list node that is still in the
   * list.
   */
  private volatile long popped;

  private QueueMemory(QueueSpec spec, int threads, long persistent, long data, long lines) {
    this.spec = spec;
    this.threads = threads;
    this.head = persistent;
    this.tail = persistent + LINE;
    this.data = data;
    this.slotLength = spec.slotLength();
    this.recordWords = spec.recordWords();
    this.dataLength = (long) spec.capacity() * slotLength;
    this.queueLock = lines;
    this.reserveLock = lines + LINE;
    this.updateLock = lines + 2L * LINE;
    this.removeLock = lines + 3L * LINE;
    this.headV = lines + 4L * LINE;
    this.listTail = lines + 5L * LINE;
    this.listOldest = lines + 6L * LINE;
    this.mcsNodes = lines + 7L * LINE;
    this.listNodes = mcsNodes + (long) threads * LOCKS * LINE;
  }

  /** A layout with room for this queue and nothing else. */
  public static SpaceLayout spaces(QueueSpec spec, int threads) {
    return SpaceLayout.ofLengths(
        volatileLength(spec, threads) + PAGE,
        2L * PAGE + (long) spec.capacity() * spec.slotLength());
  }

  private static long volatileLength(QueueSpec spec, int threads) {
    return LINE * (7L + (long) threads * LOCKS + spec.capacity());
  }

  /** Allocates the queue's parts; the persistent allocations are traced through the port. */
  public static QueueMemory allocate(
      QueueSpec spec, int threads, SimMemory memory, MemoryPort port) {
    long persistent = port.persistentMalloc(2L * LINE, PAGE, 0);
    long data = port.persistentMalloc((long) spec.capacity() * spec.slotLength(), PAGE, 0);
    long lines = memory.allocateVolatile(volatileLength(spec, threads), LINE);
    return new QueueMemory(spec, threads, persistent, data, lines);
  }

  /** The layout on memory of one space: a line that stays unused, the parts, one line more. */
  static QueueMemory withoutSpaces(QueueSpec spec, int threads) {
    long data = 3L * LINE;
    return new QueueMemory(
        spec, threads, LINE, data, data + (long) spec.capacity() * spec.slotLength());
  }

  /** Bytes of memory of {@link #withoutSpaces}. */
  long nativeLength() {
    return nativePopped() + LINE;
  }

  /** On memory of {@link #withoutSpaces}, the word that tells how far the list was popped. */
  long nativePopped() {
    return listNodes + (long) spec.capacity() * LINE;
  }

  public QueueSpec spec() {
    return spec;
  }

  public long headAddress() {
    return head;
  }

  public long tailAddress() {
    return tail;
  }

  public long dataAddress() {
    return data;
  }

  /** Bytes of the data segment. */
  public long dataLength() {
    return dataLength;
  }

  /** Address of the record at a position. */
  long slot(long position) {
    return data + position % dataLength;
  }

  /** Address of the record at a position. */
  Term slot(Term position) {
    return new Term.RingElement(data, position, dataLength, slotLength, slotLength);
  }

  /** The list node of the record at a position. */
  Term listNode(Term position) {
    return new Term.RingElement(listNodes, position, dataLength, slotLength, LINE);
  }

  /** A thread's MCS node for a lock. */
  Term mcsNode(Term thread, long lock) {
    return new Term.Element(mcsNodes + (lock - queueLock), thread, (long) LOCKS * LINE);
  }

  /** What an insert writes to a word of its record. */
  Term recordWord(int index) {
    int length = spec.entryLength();
    return new Term.Content(
        (thread, operation, word) -> RecordContent.word(length, (int) thread, operation, word),
        index);
  }

  void popped(long end) {
    popped = end;
  }

  /** Refuses to reserve a slot whose last insert is not yet out of the insert list. */
  void checkReserve(long start) {
    if (start + slotLength - popped > dataLength) {
      throw new IllegalStateException(
          "position "
              + start
              + " is reserved while the insert at position "
              + popped
              + " is incomplete: a capacity of "
              + spec.capacity()
              + " records is too small for "
              + threads
              + " threads");
    }
  }
}
