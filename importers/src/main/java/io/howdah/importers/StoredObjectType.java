package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import java.nio.ByteBuffer;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ObjectDataType;

/**
 * Reads what {@link ObjectDataType} has written, but no object of a class that the file names: what
 * a file says must not decide which code runs.
 */
final class StoredObjectType extends BasicDataType<Object> {

  /** As in {@link ObjectDataType}, where the tags are not public: what is kept has these types. */
  private static final int BIG_INTEGER = 6;

  private static final int BIG_DECIMAL = 9;
  private static final int DATE = 13;
  private static final int ARRAY = 14;
  private static final int SERIALIZED = 19;
  private static final int BIG_INTEGERS = 37;
  private static final int BIG_INTEGERS_END = 39;
  private static final int BIG_DECIMALS = 46;
  private static final int BIG_DECIMALS_END = 49;

  /** Behind the tag of an array: its elements are bytes. */
  private static final int CLASS_OF_BYTES = 1;

  private final ObjectDataType all = new ObjectDataType();
  private final String map;
  private final boolean isRaw;

  StoredObjectType(String map, boolean isRaw) {
    this.map = map;
    this.isRaw = isRaw;
  }

  @Override
  public Object read(ByteBuffer page) {
    int at = page.position();
    int tag = page.get(at);
    if (tag == SERIALIZED && isRaw) {
      page.get();
      byte[] bytes = new byte[length(page)];
      page.get(bytes);
      return bytes;
    }
    if (tag == SERIALIZED || (tag == ARRAY && page.get(at + 1) != CLASS_OF_BYTES)) {
      throw new DataException(
          "map \""
              + map
              + "\" has objects of Java, which only a program with their classes can read; --raw keeps serialised ones as bytes");
    }
    if (tag <= 0
        || tag == BIG_INTEGER
        || tag == BIG_DECIMAL
        || tag == DATE
        || (tag >= BIG_INTEGERS && tag <= BIG_INTEGERS_END)
        || (tag >= BIG_DECIMALS && tag <= BIG_DECIMALS_END)) {
      throw new DataException(
          "map \""
              + map
              + "\" has null, dates, or numbers of any length, for which an import has no type; or it was opened with a data type of its own, which --keys and --values name");
    }
    return all.read(page);
  }

  private static int length(ByteBuffer page) {
    int length = DataUtils.readVarInt(page);
    if (length < 0 || length > page.remaining()) {
      throw new IllegalArgumentException(
          "an object has " + length + " bytes, and its page " + page.remaining());
    }
    return length;
  }

  @Override
  public int compare(Object a, Object b) {
    return all.compare(a, b);
  }

  @Override
  public int getMemory(Object object) {
    return all.getMemory(object);
  }

  @Override
  public void write(WriteBuffer buffer, Object object) {
    throw new UnsupportedOperationException("the file is open for reading");
  }

  @Override
  public Object[] createStorage(int size) {
    return new Object[size];
  }
}
