package io.howdah.testkit.disk;

import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.schedule.Mixer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The states in which a power cut at one moment may leave a {@link SimulatedDisk}.
 *
 * <p>What can independently be old or new is an <em>atom</em>: a dirty unit of a file, the length
 * of a file, a change of directory entries. An atom has two states or more: the durable one, the
 * latest one, every intermediate one that the disk kept, and, for units by which a file was
 * extended, zeros and bytes that once belonged to another file. A legal state picks one for each
 * atom.
 *
 * <p>If there are at most {@value #EXHAUSTIVE_STATES} legal states, {@link #choices} gives each of
 * them once. Else it gives, with k atoms in the order in which they were last written: for k up to
 * {@value #SUBSET_ATOMS} all 2^k subsets of latest and durable; for more: all lost, all kept, every
 * prefix, every single one lost, every single one kept, pairs lost and pairs kept (all of them, or
 * {@value #PAIRS} drawn at random), and then random subsets without end. Where atoms have more than
 * two states, each subset comes again with other states drawn for half of the atoms; and where
 * files were extended, once more with stale bytes, of one earlier file, in place of all that is
 * lost.
 *
 * <p>Immutable snapshot of the moment: the disk may go on, or crash, afterwards. What is public is
 * thread-safe.
 */
public final class CrashStates {

  /** How many legal states are enumerated one by one. */
  public static final int EXHAUSTIVE_STATES = 4096;

  /** Up to how many atoms all subsets are enumerated. */
  public static final int SUBSET_ATOMS = 12;

  /** How many pairs are enumerated, of each kind, at most. */
  public static final int PAIRS = 2048;

  private static final int DESCRIBED_ATOMS = 8;

  private final FileSystem fileSystem;
  private final long seed;
  private final List<Atom> atoms;
  private final boolean exhaustive;
  private final boolean manyValued;
  private final boolean extended;
  private final long structured;

  // Filled when a recovery's reads are compared; by one thread.
  private boolean indexed;
  private final Map<Long, Integer> positions = new HashMap<>();
  private final List<Integer> framing = new ArrayList<>();
  private final Map<Long, Integer> sizePositions = new HashMap<>();
  private final Map<Long, Inode> inodes = new HashMap<>();
  private final Map<Integer, List<byte[]>> deadPages = new HashMap<>();
  private final Map<Long, Long> hashes = new HashMap<>();

  /**
   * What is independently old or new. {@code states} is at least 2; 0 is old, states - 1 is new.
   */
  private sealed interface Atom {
    long sequence();

    int states();

    record Name(NameOperation operation, long sequence) implements Atom {
      @Override
      public int states() {
        return 2;
      }
    }

    record Size(Inode inode, List<Long> sizes, long sequence) implements Atom {
      @Override
      public int states() {
        return sizes.size();
      }
    }

    record Unit(Inode inode, int page, int unit, long extendedFrom, int states, long sequence)
        implements Atom {
      /** Whether the last state but one stands for stale bytes. */
      boolean isExtended(int unitBytes) {
        return ((long) page << Pages.PAGE_SHIFT) + (long) unit * unitBytes >= extendedFrom;
      }
    }
  }

  /**
   * Takes the snapshot.
   *
   * @param fileSystem a fork that nobody else changes
   */
  CrashStates(FileSystem fileSystem, long seed) {
    this.fileSystem = fileSystem;
    this.seed = seed;
    atoms = atomsOf(fileSystem);
    long product = 1;
    boolean many = false;
    boolean grown = false;
    for (Atom atom : atoms) {
      grown |= atom instanceof Atom.Unit unit && unit.isExtended(fileSystem.model.unitBytes());
      product = Math.min(product * atom.states(), EXHAUSTIVE_STATES + 1);
      many |= atom.states() > 2;
    }
    exhaustive = product <= EXHAUSTIVE_STATES;
    manyValued = many;
    extended = grown;
    if (exhaustive) {
      structured = product;
    } else {
      structured = patterns(atoms.size()) * variants();
    }
  }

  private static List<Atom> atomsOf(FileSystem fileSystem) {
    List<Atom> found = new ArrayList<>();
    for (NameOperation operation : fileSystem.unforcedOperations()) {
      found.add(new Atom.Name(operation, operation.sequence));
    }
    for (Inode inode : fileSystem.possibleFiles()) {
      if (!inode.isDirty()) {
        continue;
      }
      List<Long> sizes = inode.possibleSizes();
      long shortest = Collections.min(sizes);
      long latest = 0;
      int units = Pages.PAGE_BYTES / fileSystem.model.unitBytes();
      for (int page : inode.dirtyPages()) {
        long sequence = inode.sequence(page);
        latest = Math.max(latest, sequence);
        for (int unit = 0; unit < units; unit++) {
          int states = inode.countPossibleValues(page, unit, shortest);
          if (states > 0) {
            found.add(new Atom.Unit(inode, page, unit, shortest, states, sequence));
          }
        }
      }
      if (sizes.size() > 1) {
        found.add(new Atom.Size(inode, sizes, latest));
      }
    }
    // Stable, so that ties keep the order of names and offsets.
    found.sort(Comparator.comparingLong(Atom::sequence));
    return found;
  }

  /** Returns how many atoms a power cut can keep or lose. */
  public int atoms() {
    return atoms.size();
  }

  /** Returns whether {@link #choices} can give every legal state. */
  public boolean isExhaustive() {
    return exhaustive;
  }

  /** Returns how many states are enumerated before random ones begin; all, if exhaustive. */
  public long count() {
    return structured;
  }

  /** Returns the choice at a position of the enumeration. */
  public CrashChoice choice(long index) {
    if (index < 0 || (exhaustive && index >= structured)) {
      throw new IndexOutOfBoundsException("crash state " + index + " of " + structured);
    }
    return new CrashChoice(seed, index);
  }

  /**
   * Returns at most {@code max} choices: all of them if they are so few; otherwise all lost, all
   * kept, an even spread over the enumeration, and, unless it is exhaustive, a quarter of random
   * ones.
   */
  public List<CrashChoice> choices(int max) {
    List<CrashChoice> chosen = new ArrayList<>();
    if (structured <= max && exhaustive) {
      for (long index = 0; index < structured; index++) {
        chosen.add(choice(index));
      }
      return chosen;
    }
    if (max > 0) {
      chosen.add(CrashChoice.LOSE_ALL);
    }
    if (max > 1) {
      chosen.add(CrashChoice.KEEP_ALL);
    }
    long room = Math.max(0, max - chosen.size());
    long spread = Math.min(structured, exhaustive ? room : room - room / 4);
    for (long i = 0; i < spread; i++) {
      chosen.add(choice((long) ((double) structured * i / spread)));
    }
    if (!exhaustive) {
      for (long i = 0; chosen.size() < max; i++) {
        chosen.add(choice(structured + i));
      }
    }
    return chosen;
  }

  /** Returns the file system that a choice leaves. */
  FileSystem apply(CrashChoice choice) {
    Set<NameOperation> lost = new HashSet<>();
    Map<Inode, List<Pick>> picks = new HashMap<>();
    for (int i = 0; i < atoms.size(); i++) {
      Atom atom = atoms.get(i);
      int state = state(choice, i);
      if (state == atom.states() - 1) {
        continue;
      }
      switch (atom) {
        case Atom.Name name -> lost.add(name.operation);
        case Atom.Size size ->
            picks.computeIfAbsent(size.inode, _ -> new ArrayList<>()).add(new Pick(atom, state, i));
        case Atom.Unit unit ->
            picks.computeIfAbsent(unit.inode, _ -> new ArrayList<>()).add(new Pick(atom, state, i));
      }
    }
    return fileSystem.afterPowerCut(
        lost, inode -> contents(inode, picks.getOrDefault(inode, List.of()), choice));
  }

  private record Pick(Atom atom, int state, int position) {}

  private Inode contents(Inode inode, List<Pick> picks, CrashChoice choice) {
    Inode left = inode.settled();
    long size = inode.size;
    int unitBytes = fileSystem.model.unitBytes();
    Map<Integer, List<byte[]>> stale = new HashMap<>();
    for (Pick pick : picks) {
      if (pick.atom instanceof Atom.Size s) {
        size = s.sizes.get(pick.state);
      } else if (pick.atom instanceof Atom.Unit u) {
        byte[] page = left.pages.writable(u.page);
        if (pick.state == 0) {
          inode.copyDurable(u.page, u.unit, page);
          continue;
        }
        int offset = u.unit * unitBytes;
        if (u.isExtended(unitBytes) && pick.state == u.states - 2) {
          List<byte[]> dead = stale.computeIfAbsent(u.page, fileSystem::stalePages);
          byte[] source = dead.get(stalePage(choice, pick.position, dead.size()));
          System.arraycopy(source, offset, page, offset, unitBytes);
          continue;
        }
        byte[] value = inode.possibleValues(u.page, u.unit, u.extendedFrom).get(pick.state);
        System.arraycopy(value, 0, page, offset, unitBytes);
      }
    }
    left.cutTo(size);
    return left;
  }

  /**
   * Returns from which of the freed pages stale bytes come: where stale bytes replace all that is
   * lost, from the same lap everywhere, else from any.
   */
  private int stalePage(CrashChoice choice, int position, int pages) {
    boolean oneLap = !exhaustive && variant(choice) == Variant.STALE;
    long draw =
        oneLap
            ? Mixer.mix(choice.seed(), choice.index())
            : Mixer.mix(choice.seed(), choice.index(), position);
    return (int) Long.remainderUnsigned(draw, pages);
  }

  /** What becomes of the atoms that a subset of atoms leaves out. */
  private enum Variant {
    /** They have their durable state. */
    PURE,
    /** So they have, but half of all atoms have any other state. */
    MIXED,
    /** They hold stale bytes where they can, and lengths are kept, so that these are seen. */
    STALE
  }

  private int variants() {
    return 1 + (manyValued ? 1 : 0) + (extended ? 1 : 0);
  }

  private Variant variant(CrashChoice choice) {
    return switch ((int) (choice.index() % variants())) {
      case 0 -> Variant.PURE;
      case 1 -> Variant.MIXED;
      default -> Variant.STALE;
    };
  }

  /** Returns which state the atom at a position has. */
  int state(CrashChoice choice, int position) {
    int states = atoms.get(position).states();
    // Their indexes are negative, as no other's is.
    if (choice.index() == CrashChoice.LOSE_ALL.index()) {
      return 0;
    }
    if (choice.index() == CrashChoice.KEEP_ALL.index()) {
      return states - 1;
    }
    if (exhaustive) {
      long rest = choice.index();
      for (int i = 0; i < position; i++) {
        rest /= atoms.get(i).states();
      }
      return (int) (rest % states);
    }
    Atom atom = atoms.get(position);
    Variant variant = variant(choice);
    if (variant == Variant.MIXED && states > 2) {
      long draw = Mixer.mix(choice.seed(), choice.index(), position);
      if ((draw & 1) != 0) {
        return 1 + (int) Long.remainderUnsigned(draw >>> 1, states - 2);
      }
    }
    if (isKept(choice.seed(), choice.index() / variants(), position)) {
      return states - 1;
    }
    if (variant != Variant.STALE) {
      return 0;
    }
    return switch (atom) {
      case Atom.Name _ -> 0;
      case Atom.Size _ -> states - 1;
      case Atom.Unit unit -> unit.isExtended(fileSystem.model.unitBytes()) ? states - 2 : 0;
    };
  }

  // ---- what a recovery can read of a state, without making it

  /** Returns the position of the atom that a unit is, or -1 if every choice leaves it the same. */
  int positionOf(long place) {
    index();
    return positions.getOrDefault(place, -1);
  }

  private void index() {
    if (indexed) {
      return;
    }
    indexed = true;
    for (int i = 0; i < atoms.size(); i++) {
      switch (atoms.get(i)) {
        case Atom.Unit u -> positions.put(ReadNotes.place(u.inode.number, u.page, u.unit), i);
        case Atom.Size size -> {
          sizePositions.put(size.inode.number, i);
          framing.add(i);
        }
        case Atom.Name _ -> framing.add(i);
      }
    }
    fileSystem.possibleFiles().forEach(inode -> inodes.put(inode.number, inode));
  }

  /** Returns a number that tells which names and lengths a choice leaves. */
  long frame(CrashChoice choice) {
    index();
    long frame = 0;
    for (int position : framing) {
      frame = Mixer.mix(frame, position, state(choice, position));
    }
    return frame;
  }

  /** Returns the hash that {@link ReadNotes} takes of a unit in the state that a choice leaves. */
  long unitHash(CrashChoice choice, long place) {
    int position = positionOf(place);
    Inode inode = inodes.get(ReadNotes.inode(place));
    int page = ReadNotes.page(place);
    int unitBytes = fileSystem.model.unitBytes();
    int offset = ReadNotes.unit(place) * unitBytes;
    int state = position < 0 ? 0 : state(choice, position);
    long left = sizeLeft(choice, inode) - ((long) page << Pages.PAGE_SHIFT) - offset;
    long key = Mixer.mix(place, Math.clamp(left, 0, unitBytes), state);
    byte[] stale = null;
    if (position >= 0
        && atoms.get(position) instanceof Atom.Unit unit
        && state == unit.states - 2
        && unit.isExtended(unitBytes)) {
      List<byte[]> dead = deadPages.computeIfAbsent(page, fileSystem::stalePages);
      int drawn = stalePage(choice, position, dead.size());
      stale = dead.get(drawn);
      key = Mixer.mix(key, drawn);
    }
    Long known = hashes.get(key);
    if (known != null) {
      return known;
    }
    byte[] bytes = new byte[unitBytes];
    if (stale != null) {
      System.arraycopy(stale, offset, bytes, 0, unitBytes);
    } else {
      valueOf(inode, position, state, page, offset, bytes);
    }
    if (left < unitBytes) {
      Arrays.fill(bytes, (int) Math.max(0, left), unitBytes, (byte) 0);
    }
    long hash = ReadNotes.hash(bytes, 0, unitBytes);
    hashes.put(key, hash);
    return hash;
  }

  private void valueOf(
      @Nullable Inode inode, int position, int state, int page, int offset, byte[] target) {
    if (inode == null) {
      return;
    }
    if (position < 0 || state == atoms.get(position).states() - 1) {
      byte[] latest = inode.pages.get(page);
      if (latest != null) {
        System.arraycopy(latest, offset, target, 0, target.length);
      }
    } else if (atoms.get(position) instanceof Atom.Unit unit) {
      byte[] value = inode.possibleValues(page, unit.unit, unit.extendedFrom).get(state);
      System.arraycopy(value, 0, target, 0, target.length);
    }
  }

  private long sizeLeft(CrashChoice choice, @Nullable Inode inode) {
    if (inode == null) {
      return 0;
    }
    int position = sizePositions.getOrDefault(inode.number, -1);
    return position >= 0 && atoms.get(position) instanceof Atom.Size size
        ? size.sizes.get(state(choice, position))
        : inode.size;
  }

  private static long pairs(long atoms) {
    return Math.min(PAIRS, atoms * (atoms - 1) / 2);
  }

  private static long patterns(int atoms) {
    return atoms <= SUBSET_ATOMS ? 1L << atoms : 2 + (atoms - 1) + 2L * atoms + 2 * pairs(atoms);
  }

  private boolean isKept(long choiceSeed, long pattern, int position) {
    int k = atoms.size();
    if (k <= SUBSET_ATOMS && pattern < 1L << k) {
      return (pattern >>> position & 1) != 0;
    }
    if (k > SUBSET_ATOMS) {
      long rest = pattern;
      if (rest < 2) {
        return rest == 1;
      }
      rest -= 2;
      if (rest < k - 1) {
        return position <= rest;
      }
      rest -= k - 1;
      if (rest < k) {
        return position != rest;
      }
      rest -= k;
      if (rest < k) {
        return position == rest;
      }
      rest -= k;
      if (rest < pairs(k)) {
        return !isInPair(choiceSeed, rest, position);
      }
      rest -= pairs(k);
      if (rest < pairs(k)) {
        return isInPair(choiceSeed, rest, position);
      }
    }
    // Sparse, dense and even subsets, because independent coins alone almost never lose only a few.
    long density = Long.remainderUnsigned(Mixer.mix(choiceSeed, pattern), 3);
    long draw = Mixer.mix(choiceSeed, pattern, position) & 15;
    return density == 0 ? draw < 1 : density == 1 ? draw < 8 : draw < 15;
  }

  /**
   * Returns whether an atom is one of the pair: the n-th of all, or drawn if there are too many.
   */
  private boolean isInPair(long choiceSeed, long n, int position) {
    long k = atoms.size();
    long first;
    long second;
    if (k * (k - 1) / 2 <= PAIRS) {
      first = 0;
      long rest = n;
      while (rest >= k - 1 - first) {
        rest -= k - 1 - first;
        first++;
      }
      second = first + 1 + rest;
    } else {
      long draw = Mixer.mix(choiceSeed, ~n);
      first = Long.remainderUnsigned(draw, k);
      second = (first + 1 + Long.remainderUnsigned(draw >>> 20, k - 1)) % k;
    }
    return position == first || position == second;
  }

  /** Returns in words what a choice does not leave as it was, as far as a few lines go. */
  public String describe(CrashChoice choice) {
    StringBuilder text = new StringBuilder();
    int told = 0;
    int lost = 0;
    for (int i = 0; i < atoms.size(); i++) {
      int state = state(choice, i);
      if (state == atoms.get(i).states() - 1) {
        continue;
      }
      lost++;
      if (told < DESCRIBED_ATOMS) {
        told++;
        text.append(told == 1 ? "" : "; ").append(describe(atoms.get(i), state));
      }
    }
    return lost == 0
        ? "nothing lost of " + atoms.size()
        : text + (lost > told ? "; ..." : "") + " (" + lost + " of " + atoms.size() + ")";
  }

  private String describe(Atom atom, int state) {
    return switch (atom) {
      case Atom.Name name -> name.operation.toString();
      case Atom.Size size ->
          fileSystem.nameOf(size.inode) + " has " + size.sizes.get(state) + " bytes";
      case Atom.Unit unit -> {
        int unitBytes = fileSystem.model.unitBytes();
        long offset = ((long) unit.page << Pages.PAGE_SHIFT) + (long) unit.unit * unitBytes;
        String value =
            state == 0
                ? " old"
                : unit.isExtended(unitBytes) && state == unit.states - 2
                    ? " stale"
                    : " value " + state + " of " + unit.states;
        yield fileSystem.nameOf(unit.inode) + " at " + offset + value;
      }
    };
  }

  /** Returns a line on how many atoms of which kind there are. */
  @Override
  public String toString() {
    int names = 0;
    int sizes = 0;
    for (Atom atom : atoms) {
      names += atom instanceof Atom.Name ? 1 : 0;
      sizes += atom instanceof Atom.Size ? 1 : 0;
    }
    return (atoms.size() - names - sizes)
        + " dirty units, "
        + sizes
        + " lengths, "
        + names
        + " changes of names: "
        + (exhaustive ? structured + " states" : "more than " + EXHAUSTIVE_STATES + " states");
  }
}
