package io.howdah.verify.compatibility;

import io.howdah.objects.Embedded;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import org.jspecify.annotations.Nullable;

/**
 * A persistent object with a field of most kinds. It stays as it is: golden stores hold its layout.
 */
@Persistent
interface Account {

  /** A type within another one. */
  @Persistent
  interface Address {
    int number();

    void number(int number);

    @Nullable String street();

    void street(@Nullable String street);
  }

  boolean open();

  void open(boolean open);

  double balance();

  void balance(double balance);

  @Nullable String owner();

  void owner(@Nullable String owner);

  @Length(9)
  String code();

  void code(String code);

  @Length(3)
  short limits(int index);

  void limits(int index, short value);

  @Nullable Account parent();

  void parent(@Nullable Account parent);

  @Embedded
  Address address();
}
