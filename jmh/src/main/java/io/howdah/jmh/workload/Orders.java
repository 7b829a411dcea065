package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentMap;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Records as a service has them, through the derived codec and through one written by hand. */
public final class Orders {

  private static final int ORDERS = 256;

  /** States of an order. */
  public enum State {
    /** Not paid. */
    OPEN,
    /** Paid. */
    PAID
  }

  /** A line of an order. */
  public record Line(String article, int pieces, long cents) {}

  /** An order. */
  public record Order(
      UUID id,
      String customer,
      Instant created,
      State state,
      long cents,
      int priority,
      List<Line> lines) {}

  /** The codec that a program writes if it derives none. */
  private static final class ByHand implements Codec<Order> {

    private static final State[] STATES = State.values();

    @Override
    public String name() {
      return "order by hand";
    }

    @Override
    public void encode(Order order, Encoder out) {
      out.putLong(order.id().getMostSignificantBits());
      out.putLong(order.id().getLeastSignificantBits());
      put(order.customer(), out);
      Instant created = order.created();
      out.putLong(created.getEpochSecond());
      out.putInt(created.getNano());
      out.putByte(order.state() == State.OPEN ? 0 : 1);
      out.putLong(order.cents());
      out.putInt(order.priority());
      out.putInt(order.lines().size());
      for (Line line : order.lines()) {
        put(line.article(), out);
        out.putInt(line.pieces());
        out.putLong(line.cents());
      }
    }

    private static void put(String text, Encoder out) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      out.putInt(bytes.length);
      out.putBytes(bytes);
    }

    @Override
    public Order decode(Decoder in) {
      UUID id = new UUID(in.getLong(), in.getLong());
      String customer = in.getUtf8(in.getInt());
      Instant created = Instant.ofEpochSecond(in.getLong(), in.getInt());
      State state = STATES[in.getByte()];
      long cents = in.getLong();
      int priority = in.getInt();
      int count = in.getInt();
      List<Line> lines = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        lines.add(new Line(in.getUtf8(in.getInt()), in.getInt(), in.getLong()));
      }
      return new Order(id, customer, created, state, cents, priority, lines);
    }
  }

  private final PersistentMap<Long, Order> derived;
  private final PersistentMap<Long, Order> byHand;
  private final Store store;
  private final List<Order> orders = new ArrayList<>();

  private Orders(Store store) {
    this.store = store;
    derived = store.map("derived", Codec.int64(), Codecs.of(MethodHandles.lookup(), Order.class));
    byHand = store.map("by hand", Codec.int64(), new ByHand());
    for (int i = 0; i < ORDERS; i++) {
      List<Line> lines = new ArrayList<>();
      for (int line = 0; line < 1 + i % 4; line++) {
        lines.add(new Line("article " + i * line, i, 100L * i));
      }
      orders.add(
          new Order(
              new UUID(i, -i),
              "customer " + i % 17,
              Instant.ofEpochSecond(1_700_000_000L + i, i),
              i % 2 == 0 ? State.OPEN : State.PAID,
              i * 1_000L,
              i % 3,
              lines));
    }
  }

  /** Opens the maps of a store, and fills them. */
  public static Orders create(Store store) {
    Orders orders = new Orders(store);
    orders.write(true);
    orders.write(false);
    return orders;
  }

  /**
   * Puts each order, in one transaction.
   *
   * @param isDerived which codec
   */
  public void write(boolean isDerived) {
    PersistentMap<Long, Order> map = isDerived ? derived : byHand;
    store.run(
        tx -> {
          for (int i = 0; i < ORDERS; i++) {
            map.put(tx, (long) i, orders.get(i));
          }
        });
  }

  /**
   * Reads each order, in one transaction, and returns what all cost.
   *
   * @param isDerived which codec
   */
  public BigDecimal read(boolean isDerived) {
    PersistentMap<Long, Order> map = isDerived ? derived : byHand;
    long sum =
        store.read(
            tx -> {
              long cents = 0;
              for (long i = 0; i < ORDERS; i++) {
                Order order = map.get(tx, i);
                cents += order == null ? 0 : order.cents() + order.lines().size();
              }
              return cents;
            });
    return new BigDecimal(BigInteger.valueOf(sum), 2);
  }
}
