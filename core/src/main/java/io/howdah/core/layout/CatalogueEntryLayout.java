package io.howdah.core.layout;

/**
 * What the catalogue of named collections holds for each name. The catalogue is a tree, see {@link
 * TreeLayout}, whose address is in the region's header; its keys are the names in UTF-8 and these
 * are its values. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | address      |  of the collection's header
 *    8 | type ...     |  its kind and the names of its codecs, in UTF-8, to the end of the value
 * </pre>
 */
public final class CatalogueEntryLayout {

  /** Offset of the collection's address. */
  public static final int ADDRESS_OFFSET = 0;

  /** Offset of the collection's type. */
  public static final int TYPE_OFFSET = ADDRESS_OFFSET + Long.BYTES;

  private CatalogueEntryLayout() {}
}
