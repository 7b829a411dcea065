package io.howdah.nvmsim.program;

/**
 * What an instruction stores or compares with.
 *
 * @param register whether it is a register's contents
 * @param value the register's index, or the constant
 */
public record Operand(boolean register, int value) {
  /** Its value, given the registers of the thread. */
  public int of(int[] registers, int firstRegister) {
    return register ? registers[firstRegister + value] : value;
  }
}
