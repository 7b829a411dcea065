package io.howdah.core.layout;

/**
 * How the store keeps what a record, an enum or a sealed interface consists of: as text in UTF-8,
 * in lines that end with a line feed, all but the last, and columns between tabs. The texts are the
 * values of a tree, see {@link TreeLayout}, whose address is in the region's header; its keys are
 * the types' names in UTF-8.
 *
 * <pre>
 *        0              1              2
 *      +--------------+--------------+--------------+
 *    0 | kind         |
 *    1 | version      |
 *    2 | name         | length       | codec        |
 *      +--------------+--------------+--------------+
 * </pre>
 *
 * <ul>
 *   <li>kind: "record", "enum" or "sealed"
 *   <li>version: begins a shape of a record, and is its version. Shapes are numbered from 1 in the
 *       order of these lines, and are never removed
 *   <li>name, length, codec: a component of that shape. The length is that of all values in bytes;
 *       -1 if values differ in length, so that each has its length before it
 * </ul>
 *
 * <p>An enum or a sealed interface has a line for each constant or class, with its name. They are
 * numbered from 0 in the order of these lines, and are never removed.
 *
 * <p>A record of a store is a number of a shape, 7 bits in each byte, the lowest first, then the
 * components of that shape, one after the other. Before one that differs in length stands its
 * length, as the number does. A constant is its number in 2 bytes, big-endian. A value of a sealed
 * interface is the number of its class, as that of a shape, then the value of the class. A list, a
 * set, a map and an array are the count of elements, as the number of a shape, then the elements.
 */
public final class ShapeTextLayout {

  /** The kind of a record. */
  public static final String RECORD = "record";

  /** The kind of an enum. */
  public static final String ENUM = "enum";

  /** The kind of a sealed interface. */
  public static final String SEALED = "sealed";

  /** Between columns. */
  public static final char COLUMN_SEPARATOR = '\t';

  /** Between lines. */
  public static final char LINE_SEPARATOR = '\n';

  /** Column of the kind, and of a version. */
  public static final int KIND_COLUMN = 0;

  /** Column of a component's name. */
  public static final int COMPONENT_NAME_COLUMN = 0;

  /** Column of a component's length. */
  public static final int COMPONENT_LENGTH_COLUMN = 1;

  /** Column of the name of a component's codec. */
  public static final int COMPONENT_CODEC_COLUMN = 2;

  private ShapeTextLayout() {}
}
