package io.howdah.examples.orderbook;

import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/** An order at a limit: it marshals itself, as orders do that also travel in Chronicle's queues. */
final class Order implements BytesMarshallable {

  long id;
  String trader = "";
  boolean isBuy;

  /** In hundredths. */
  long price;

  long quantity;

  static Order of(long id, String trader, boolean isBuy, long price, long quantity) {
    Order order = new Order();
    order.id = id;
    order.trader = trader;
    order.isBuy = isBuy;
    order.price = price;
    order.quantity = quantity;
    return order;
  }

  @Override
  public void writeMarshallable(BytesOut<?> bytes) {
    bytes.writeLong(id).writeUtf8(trader).writeBoolean(isBuy).writeStopBit(price);
    bytes.writeStopBit(quantity);
  }

  @Override
  public void readMarshallable(BytesIn<?> bytes) {
    id = bytes.readLong();
    String name = bytes.readUtf8();
    trader = name == null ? "" : name;
    isBuy = bytes.readBoolean();
    price = bytes.readStopBit();
    quantity = bytes.readStopBit();
  }
}
