package howdah;

import java.util.Map;
import org.pitest.mutationtest.engine.gregor.MethodInfo;
import org.pitest.mutationtest.engine.gregor.MethodMutatorFactory;
import org.pitest.mutationtest.engine.gregor.MutationContext;
import org.pitest.reloc.asm.Label;
import org.pitest.reloc.asm.MethodVisitor;
import org.pitest.reloc.asm.Opcodes;
import org.pitest.reloc.asm.Type;

/**
 * Mistakes that pitest does not make and people do. {@code howdah test mutate --operators planters}
 * asks for them by name; each makes at most one change at an instruction, as pitest tells changes
 * apart by the instruction.
 */
final class Planters {

  private Planters() {}

  /** Common to all. */
  private abstract static class Base implements MethodMutatorFactory {

    @Override
    public final String getGloballyUniqueId() {
      return getClass().getName();
    }

    @Override
    public abstract MethodVisitor create(
        MutationContext context, MethodInfo method, MethodVisitor next);
  }

  /** Knows what was asked for. */
  private abstract static class Visitor extends MethodVisitor {

    private final MutationContext context;
    private final MethodMutatorFactory factory;

    Visitor(MutationContext context, MethodMutatorFactory factory, MethodVisitor next) {
      super(Opcodes.ASM9, next);
      this.context = context;
      this.factory = factory;
    }

    /** Makes the change known; returns whether it is the one to be made now. */
    final boolean isWanted(String description) {
      return context.shouldMutate(context.registerMutation(factory, description));
    }
  }

  /** Exchanges the last two neighbouring arguments of one type in a call. */
  public static final class SwappedArguments extends Base {

    /** Above the variables of any method of ours: the arguments are put there in between. */
    private static final int FREE_VARIABLES = 300;

    /** Creates it, for pitest. */
    public SwappedArguments() {}

    @Override
    public String getName() {
      return "HOWDAH_SWAPPED_ARGUMENTS";
    }

    @Override
    public MethodVisitor create(MutationContext context, MethodInfo method, MethodVisitor next) {
      return new Visitor(context, this, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
          Type[] types = Type.getArgumentTypes(descriptor);
          int second = types.length - 1;
          while (second > 0 && !types[second].equals(types[second - 1])) {
            second--;
          }
          if (second > 0
              && isWanted(
                  "swapped arguments %d and %d of %s".formatted(second, second + 1, name))) {
            for (int i = types.length - 1; i >= 0; i--) {
              super.visitVarInsn(types[i].getOpcode(Opcodes.ISTORE), FREE_VARIABLES + 2 * i);
            }
            for (int i = 0; i < types.length; i++) {
              int from = i == second ? second - 1 : i == second - 1 ? second : i;
              super.visitVarInsn(types[i].getOpcode(Opcodes.ILOAD), FREE_VARIABLES + 2 * from);
            }
          }
          super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
      };
    }
  }

  /** Adds 1 to the last argument of a call, if it is a number without a fraction. */
  public static final class LargerArgument extends Base {

    /** Creates it, for pitest. */
    public LargerArgument() {}

    @Override
    public String getName() {
      return "HOWDAH_LARGER_ARGUMENT";
    }

    @Override
    public MethodVisitor create(MutationContext context, MethodInfo method, MethodVisitor next) {
      return new Visitor(context, this, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
          Type[] types = Type.getArgumentTypes(descriptor);
          Type last = types.length == 0 ? Type.VOID_TYPE : types[types.length - 1];
          boolean isInt = last.getSort() == Type.INT;
          boolean isLong = last.getSort() == Type.LONG;
          if ((isInt || isLong) && isWanted("added 1 to the last argument of " + name)) {
            super.visitInsn(isInt ? Opcodes.ICONST_1 : Opcodes.LCONST_1);
            super.visitInsn(isInt ? Opcodes.IADD : Opcodes.LADD);
          }
          super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
      };
    }
  }

  /** Takes one unit for another: of time in calls, and of time and memory in constants. */
  public static final class OtherUnit extends Base {

    private static final Map<String, String> CALLS =
        Map.of(
            "ofMillis", "ofSeconds",
            "ofSeconds", "ofMillis",
            "toMillis", "toNanos",
            "toNanos", "toMillis",
            "toSeconds", "toMillis",
            "getSeconds", "toMillis");
    private static final Map<String, String> UNITS =
        Map.of(
            "NANOSECONDS", "MILLISECONDS",
            "MICROSECONDS", "MILLISECONDS",
            "MILLISECONDS", "SECONDS",
            "SECONDS", "MILLISECONDS");
    private static final Map<Long, Long> CONSTANTS =
        Map.of(
            8L,
            1L,
            60L,
            1L,
            64L,
            8L,
            1_000L,
            1L,
            1_024L,
            1_000L,
            1L << 20,
            1L << 10,
            1_000_000L,
            1_000L,
            1_000_000_000L,
            1_000_000L);

    /** Creates it, for pitest. */
    public OtherUnit() {}

    @Override
    public String getName() {
      return "HOWDAH_OTHER_UNIT";
    }

    @Override
    public MethodVisitor create(MutationContext context, MethodInfo method, MethodVisitor next) {
      return new Visitor(context, this, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
          String other =
              owner.equals("java/time/Duration") || owner.equals("java/util/concurrent/TimeUnit")
                  ? CALLS.get(name)
                  : null;
          boolean changed =
              other != null
                  && !(other.equals("ofMillis") && !descriptor.startsWith("(J)"))
                  && isWanted("%s for %s".formatted(other, name));
          super.visitMethodInsn(opcode, owner, changed ? other : name, descriptor, isInterface);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
          String other = owner.equals("java/util/concurrent/TimeUnit") ? UNITS.get(name) : null;
          boolean changed = other != null && isWanted("%s for %s".formatted(other, name));
          super.visitFieldInsn(opcode, owner, changed ? other : name, descriptor);
        }

        @Override
        public void visitLdcInsn(Object value) {
          Long other =
              value instanceof Integer || value instanceof Long
                  ? CONSTANTS.get(((Number) value).longValue())
                  : null;
          if (other != null && isWanted("%s for %s".formatted(other, value))) {
            super.visitLdcInsn(value instanceof Integer ? (Object) other.intValue() : other);
          } else {
            super.visitLdcInsn(value);
          }
        }

        @Override
        public void visitIntInsn(int opcode, int value) {
          Long other = opcode == Opcodes.NEWARRAY ? null : CONSTANTS.get((long) value);
          if (other != null && isWanted("%s for %s".formatted(other, value))) {
            super.visitLdcInsn(other.intValue());
          } else {
            super.visitIntInsn(opcode, value);
          }
        }
      };
    }
  }

  /** Ends a method without a result at the beginning of a line. */
  public static final class EarlyReturn extends Base {

    /** Creates it, for pitest. */
    public EarlyReturn() {}

    @Override
    public String getName() {
      return "HOWDAH_EARLY_RETURN";
    }

    @Override
    public MethodVisitor create(MutationContext context, MethodInfo method, MethodVisitor next) {
      if (!method.isVoid() || method.isConstructor() || method.isSynthetic()) {
        return next;
      }
      return new Visitor(context, this, next) {
        @Override
        public void visitLineNumber(int line, Label start) {
          super.visitLineNumber(line, start);
          if (isWanted("returned before this line")) {
            super.visitInsn(Opcodes.RETURN);
          }
        }
      };
    }
  }
}
