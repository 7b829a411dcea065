package io.howdah;

import io.howdah.log.report.LogStall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a store for JMX, read when they are asked for. The attributes are the rows of
 * {@link StoreFigure#all} and the text {@code StallReason}.
 */
final class StoreBean implements DynamicMBean {

  private static final String STALL_REASON = "StallReason";

  private final StoreAdmin admin;
  private final Map<String, StoreFigure> figures = new LinkedHashMap<>();

  StoreBean(StoreAdmin admin) {
    this.admin = admin;
    for (StoreFigure figure : StoreFigure.of(admin)) {
      figures.put(attribute(figure), figure);
    }
  }

  /** Returns the attribute of a figure: its name with a capital letter. */
  private static String attribute(StoreFigure figure) {
    return Character.toUpperCase(figure.name().charAt(0)) + figure.name().substring(1);
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    if (attribute.equals(STALL_REASON)) {
      return admin.stats().stall().map(LogStall::describe).orElse("");
    }
    StoreFigure figure = figures.get(attribute);
    if (figure == null) {
      throw new AttributeNotFoundException("a store has no figure " + attribute);
    }
    long value = figure.read(admin);
    return figure.kind() == StoreFigure.Kind.FLAG ? (Object) (value != 0) : (Object) value;
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    AttributeList list = new AttributeList();
    for (String attribute : attributes) {
      try {
        list.add(new Attribute(attribute, getAttribute(attribute)));
      } catch (AttributeNotFoundException _) {
        // The interface asks for the attributes that exist.
      }
    }
    return list;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    List<MBeanAttributeInfo> rows = new ArrayList<>();
    figures.forEach(
        (attribute, figure) -> {
          boolean isFlag = figure.kind() == StoreFigure.Kind.FLAG;
          String type = isFlag ? "boolean" : "long";
          rows.add(new MBeanAttributeInfo(attribute, type, figure.help(), true, false, isFlag));
        });
    rows.add(
        new MBeanAttributeInfo(
            STALL_REASON,
            String.class.getName(),
            "why nothing becomes durable and what to do about it; empty if all is well",
            true,
            false,
            false));
    return new MBeanInfo(
        StoreBean.class.getName(),
        "the figures of an open store",
        rows.toArray(new MBeanAttributeInfo[0]),
        null,
        null,
        null);
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException("the figures of a store are for reading only");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public @Nullable Object invoke(
      String action, Object @Nullable [] arguments, String @Nullable [] signature) {
    throw new UnsupportedOperationException("the figures of a store have no operation " + action);
  }
}
