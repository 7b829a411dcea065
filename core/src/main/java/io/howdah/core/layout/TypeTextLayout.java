package io.howdah.core.layout;

/**
 * How the store keeps the layout of a type of persistent objects: as text in UTF-8, in lines that
 * end with a line feed, all but the last, and columns between tabs. The first line is the type's,
 * each of the others is a field's. The texts are the values of a tree, see {@link TreeLayout},
 * whose address is in the region's header; its keys are the types' names in UTF-8.
 *
 * <pre>
 *        0              1              2              3              4              5
 *      +--------------+--------------+--------------+
 *    0 | id           | version      | length       |
 *    1 | name         | kind         | length       | target       | offset       | since        |
 *      +--------------+--------------+--------------+--------------+--------------+--------------+
 * </pre>
 *
 * <ul>
 *   <li>id: the type's number in this store, from 1
 *   <li>version: of the layout, from 1
 *   <li>length of the type: bytes of an object of this version, with its header
 *   <li>name: of the property; "name#version" of one that another property replaced in that version
 *   <li>kind: the name of a constant; {@link ObjectHeaderLayout} says what a field of the kind
 *       holds
 *   <li>length of the field: elements of an array; bytes of a string, an array of bytes or an
 *       embedded object in place; else 1
 *   <li>target: the name of the type referred to or embedded; the constants of an enum, with commas
 *       between them; kind and codecs of a collection; else empty
 *   <li>offset: from the object's address
 *   <li>since: the version that brought the field
 * </ul>
 */
public final class TypeTextLayout {

  /** Between columns. */
  public static final char COLUMN_SEPARATOR = '\t';

  /** Between lines. */
  public static final char LINE_SEPARATOR = '\n';

  /** Column of the type's number. */
  public static final int ID_COLUMN = 0;

  /** Column of the layout's version. */
  public static final int VERSION_COLUMN = 1;

  /** Column of the length of an object. */
  public static final int LENGTH_COLUMN = 2;

  /** Columns of a field's line. */
  public static final int FIELD_COLUMNS = 6;

  /** Column of a field's name. */
  public static final int FIELD_NAME_COLUMN = 0;

  /** Column of a field's kind. */
  public static final int FIELD_KIND_COLUMN = 1;

  /** Column of a field's length. */
  public static final int FIELD_LENGTH_COLUMN = 2;

  /** Column of a field's target. */
  public static final int FIELD_TARGET_COLUMN = 3;

  /** Column of a field's offset. */
  public static final int FIELD_OFFSET_COLUMN = 4;

  /** Column of the version that brought a field. */
  public static final int FIELD_SINCE_COLUMN = 5;

  private TypeTextLayout() {}
}
