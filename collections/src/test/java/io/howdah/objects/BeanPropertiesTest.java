package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import java.lang.invoke.MethodHandles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Properties named as in JavaBeans and in Kotlin. */
final class BeanPropertiesTest {

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  @Persistent
  interface Person {
    String getName();

    void setName(String name);

    boolean isActive();

    void setActive(boolean active);

    @Length(3)
    long getScore(int index);

    void setScore(int index, long score);

    int settings();

    void settings(int settings);

    int getting();

    void getting(int getting);
  }

  /** Names that are a prefix of properties, and nothing more. */
  @Persistent
  interface Prefixes {
    int get();

    void get(int get);

    boolean is();

    void is(boolean is);

    int set();

    void set(int set);
  }

  @Persistent
  interface Twice {
    int getX();

    int x();
  }

  @Persistent
  interface Textual {
    String name();

    @Override
    String toString();
  }

  @Persistent
  interface Hashed {
    @Override
    int hashCode();
  }

  @Persistent
  interface SetOnly {
    void setX(int x);
  }

  @Test
  void beanPropertiesAreRead() {
    PersistentType<Person> type = store.type(Person.class, MethodHandles.lookup());
    store.run(
        tx -> {
          Person person = type.create(tx);
          person.setName("ada");
          person.setActive(true);
          person.setScore(2, 7);
          person.settings(3);
          person.getting(4);
          assertThat(person.getName()).isEqualTo("ada");
          assertThat(person.isActive()).isTrue();
          assertThat(person.getScore(2)).isEqualTo(7);
          assertThat(person.settings()).isEqualTo(3);
          assertThat(person.getting()).isEqualTo(4);
        });
    String properties = store.read(store::types).get(Person.class.getName());
    assertThat(properties).contains("name", "active", "score", "settings", "getting");
    assertThat(properties).doesNotContain("getName", "isActive", "setName", "getScore");
  }

  @Test
  void aPrefixIsAPropertyOfThatName() {
    PersistentType<Prefixes> type = store.type(Prefixes.class, MethodHandles.lookup());
    store.run(
        tx -> {
          Prefixes object = type.create(tx);
          object.get(1);
          object.is(true);
          object.set(2);
          assertThat(object.get()).isEqualTo(1);
          assertThat(object.is()).isTrue();
          assertThat(object.set()).isEqualTo(2);
        });
  }

  @Test
  void whatIsNoPropertyIsRefusedByName() {
    assertThatThrownBy(() -> store.type(Twice.class, MethodHandles.lookup()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("one of two getters");
    assertThatThrownBy(() -> store.type(Textual.class, MethodHandles.lookup()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("toString")
        .hasMessageContaining("every object has");
    assertThatThrownBy(() -> store.type(Hashed.class, MethodHandles.lookup()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("hashCode");
    assertThatThrownBy(() -> store.type(SetOnly.class, MethodHandles.lookup()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("no method returns");
  }
}
