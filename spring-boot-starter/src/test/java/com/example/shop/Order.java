package com.example.shop;

import io.howdah.springdata.Indexed;
import java.util.UUID;
import org.springframework.data.annotation.Id;

/** An order of a customer. */
public record Order(@Id UUID id, @Indexed String customer, int pieces) {}
