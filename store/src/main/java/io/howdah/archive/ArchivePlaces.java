package io.howdah.archive;

import java.util.function.Supplier;

/**
 * Places of one kind, named by addresses such as {@code s3://bucket/prefix}. An implementation is
 * found by {@link java.util.ServiceLoader} when {@link Archive#to(String, java.time.Duration)} or
 * {@link Archive#in(String)} gets an address of its scheme, and not before.
 */
public interface ArchivePlaces {

  /** Returns what its addresses begin with, before {@code ://}. */
  String scheme();

  /**
   * Returns what opens a place. Reaches nothing outside of the process.
   *
   * @param address with the scheme
   * @throws IllegalArgumentException if the address is none of this scheme; says why
   */
  Supplier<ArchiveTarget> at(String address);
}
