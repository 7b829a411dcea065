package io.howdah.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose objects live in a store: each property is a method that returns it and
 * one of the same name that sets it.
 *
 * <pre>{@code
 * @Persistent
 * public interface Account {
 *   long balance();
 *   void balance(long balance);
 *
 *   @Length(40) String owner();         // in place, up to 40 bytes of UTF-8
 *   void owner(String owner);
 *
 *   Account next();                     // a reference, null at first
 *   void next(Account next);
 *
 *   @Length(12) long months(int index); // an array in place
 *   void months(int index, long value);
 * }
 * }</pre>
 *
 * <p>Types of properties: all primitives, {@code String} and {@code byte[]}, enums, interfaces
 * marked like this one: as references, {@link Owned} ones, or {@link Embedded} in place; and {@link
 * io.howdah.collections.PersistentSortedMap} and {@link io.howdah.collections.PersistentList}, by a
 * getter alone: such a collection belongs to its object, and is freed with it. Methods with a body
 * are left alone. The store keeps the layout; {@link PersistentType} tells how it may change.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Persistent {}
