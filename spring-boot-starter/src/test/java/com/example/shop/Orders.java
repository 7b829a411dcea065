package com.example.shop;

import io.howdah.springdata.HowdahRepository;
import java.util.List;
import java.util.UUID;

/** The orders. */
public interface Orders extends HowdahRepository<Order, UUID> {

  /** Returns the orders of a customer. */
  List<Order> findByCustomer(String customer);
}
