package com.example.shop;

import java.util.List;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shop that takes orders. */
@SpringBootApplication
@RestController
public class ShopApplication {

  private final Orders orders;

  /** For Spring. */
  public ShopApplication(Orders orders) {
    this.orders = orders;
  }

  /** Starts the shop. */
  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }

  /** Takes two orders, or none; the answer says that they are durable. */
  @Transactional
  @PostMapping("/orders/{customer}")
  public List<UUID> order(@PathVariable String customer) {
    Order one = orders.save(new Order(UUID.randomUUID(), customer, 1));
    Order two = orders.save(new Order(UUID.randomUUID(), customer, 2));
    return List.of(one.id(), two.id());
  }

  /** Returns the orders of a customer. */
  @GetMapping("/orders/{customer}")
  public List<Order> orders(@PathVariable String customer) {
    return orders.findByCustomer(customer);
  }
}
