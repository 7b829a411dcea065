package io.howdah.examples.socialgraph;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.examples.Check;
import io.howdah.objects.Length;
import io.howdah.objects.NotPersistent;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * People who know each other, as objects that refer to objects: a list of friendships hangs from
 * each person. Who is looking at a person right now does not persist.
 */
public final class SocialGraph {

  private static final int PEOPLE = 500;

  /** A person. */
  @Persistent
  public interface Person {
    /** Returns the name. */
    @Length(32)
    @Nullable String name();

    /** Sets the name. */
    void name(@Nullable String name);

    /** Returns the first of the friendships. */
    @Nullable Friendship friends();

    /** Sets the first of the friendships. */
    void friends(@Nullable Friendship first);

    /** Returns how many look at the person now. */
    @NotPersistent
    int viewers();

    /** Sets how many look at the person now. */
    void viewers(int count);
  }

  /** One person in another one's list. */
  @Persistent
  public interface Friendship {
    /** Returns who. */
    @Nullable Person with();

    /** Sets who. */
    void with(@Nullable Person person);

    /** Returns the next in the list. */
    @Nullable Friendship next();

    /** Sets the next in the list. */
    void next(@Nullable Friendship next);
  }

  private SocialGraph() {}

  /** Runs it in a folder. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0], "graph");
    try (Store store = Store.open(folder)) {
      build(store);
    }
    try (Store store = Store.open(folder)) { // as after any restart
      PersistentMap<Long, Person> people = people(store);
      int reached =
          store.read(
              tx -> {
                Person first = Objects.requireNonNull(people.get(tx, 0L));
                Check.that(first.viewers() == 0, "viewers have persisted");
                return reachable(first, 4);
              });
      Check.that(reached > 4, "only " + reached + " people are near");
      System.out.println(reached + " people within four steps of the first one");
    }
  }

  private static PersistentMap<Long, Person> people(Store store) {
    PersistentType<Person> type = store.type(Person.class, MethodHandles.lookup());
    return store.map("people", Codec.int64(), type.codec());
  }

  private static void build(Store store) {
    PersistentMap<Long, Person> people = people(store);
    PersistentType<Person> persons = store.type(Person.class, MethodHandles.lookup());
    PersistentType<Friendship> friendships = store.type(Friendship.class, MethodHandles.lookup());
    store.run(
        tx -> {
          for (long i = people.size(tx); i < PEOPLE; i++) {
            Person person = persons.create(tx);
            person.name("person " + i);
            person.viewers(1);
            people.put(tx, i, person);
            for (long other = i / 2; other < i; other += 1 + i / 3) {
              Friendship friendship = friendships.create(tx);
              friendship.with(person);
              Person friend = Objects.requireNonNull(people.get(tx, other));
              friendship.next(friend.friends());
              friend.friends(friendship);
            }
          }
        });
  }

  private static int reachable(Person start, int steps) {
    Set<Person> seen = new HashSet<>(Set.of(start));
    Queue<Person> border = new ArrayDeque<>(seen);
    for (int step = 0; step < steps; step++) {
      Queue<Person> next = new ArrayDeque<>();
      for (Person person : border) {
        for (Friendship f = person.friends(); f != null; f = f.next()) {
          Person with = f.with();
          if (with != null && seen.add(with)) {
            next.add(with);
          }
        }
      }
      border = next;
    }
    return seen.size();
  }
}
