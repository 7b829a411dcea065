package io.howdah.kotlin

import io.howdah.codec.Codec
import io.howdah.codec.CodecException
import io.howdah.codec.FormerName
import io.howdah.codec.derived.ClassDescriber
import io.howdah.codec.derived.ClassDescription
import io.howdah.codec.derived.Codecs
import io.howdah.codec.derived.TypeUse
import java.util.Optional
import kotlin.reflect.KClass
import kotlin.reflect.KFunction
import kotlin.reflect.KParameter
import kotlin.reflect.KType
import kotlin.reflect.full.declaredMemberProperties
import kotlin.reflect.full.primaryConstructor
import kotlin.reflect.jvm.javaField
import kotlin.time.Duration
import kotlin.time.Instant
import kotlin.time.toJavaDuration
import kotlin.time.toJavaInstant
import kotlin.time.toKotlinDuration
import kotlin.time.toKotlinInstant
import kotlin.uuid.ExperimentalUuidApi
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid

/**
 * Says what data classes and value classes consist of, and has the codecs of types of Kotlin's library. Howdah finds it
 * as a service: programs need not name it.
 */
public class KotlinClasses : ClassDescriber {

    override fun describe(type: Class<*>): Optional<ClassDescription> {
        val known = KNOWN[type]
        return when {
            known != null -> Optional.of(ClassDescription.Known(known))
            !type.isAnnotationPresent(Metadata::class.java) -> Optional.empty()
            isSynthetic(type) -> Optional.empty()
            else -> Optional.ofNullable(describe(type.kotlin))
        }
    }

    /** Of files, lambdas and the like Kotlin's reflection says nothing. */
    private fun isSynthetic(type: Class<*>): Boolean = type.getAnnotation(Metadata::class.java).kind != CLASS_KIND

    private fun describe(type: KClass<*>): ClassDescription? {
        val constructor = type.primaryConstructor
        return when {
            constructor == null -> null
            type.isValue -> {
                requireNoTypeParameters(type)
                wrapper(type, constructor.parameters.single())
            }
            type.isData -> {
                requireNoTypeParameters(type)
                composite(type, constructor)
            }
            else -> null
        }
    }

    private fun requireNoTypeParameters(type: KClass<*>) {
        if (type.typeParameters.isNotEmpty()) {
            throw CodecException(
                "${type.java.name} has type parameters, so its properties may be anything; give it a codec by " +
                    "CodecRegistry.with"
            )
        }
    }

    private fun wrapper(type: KClass<*>, value: KParameter): ClassDescription {
        val box = type.java.declaredMethods.single { it.name == "box-impl" }
        val stored = box.parameterTypes.single()
        return ClassDescription.Wrapper(typeUse(value.type, stored, "${type.java.name}.${value.name}"), stored)
    }

    private fun composite(type: KClass<*>, constructor: KFunction<*>): ClassDescription {
        val fields = type.declaredMemberProperties.associate { it.name to it.javaField }
        val properties = constructor.parameters.map { parameter ->
            val name = checkNotNull(parameter.name)
            val where = "${type.java.name}.$name"
            val field = fields[name] ?: throw CodecException("$where has no field")
            val former = field.getAnnotation(FormerName::class.java)
            ClassDescription.Property(
                field.name,
                former?.value?.toList() ?: emptyList(),
                typeUse(parameter.type, field.type, where),
                field.type,
                parameter.isOptional
            )
        }
        return ClassDescription.Composite(properties, if (properties.any { it.hasDefault() }) MARKER else null)
    }

    /** Returns the type of a property, whose field has a class: that of the property, or what a value class stands for. */
    private fun typeUse(type: KType, field: Class<*>, where: String): TypeUse {
        val own = type.classifier as? KClass<*>
        return if (own != null && own.isValue) use(type, own.java, where) else use(type, field, where)
    }

    private fun argument(type: KType?, where: String): TypeUse {
        val own = type?.classifier as? KClass<*>
            ?: throw CodecException("$where has a type argument that is not a class")
        return use(type, own.javaObjectType, where)
    }

    private fun use(type: KType, raw: Class<*>, where: String): TypeUse =
        TypeUse(
            raw,
            if (raw.isArray && raw.componentType.isPrimitive) emptyList()
            else type.arguments.map { argument(it.type, where) },
            type.isMarkedNullable
        )

    private companion object {
        private const val CLASS_KIND = 1

        private val MARKER: Class<*> = Class.forName("kotlin.jvm.internal.DefaultConstructorMarker")

        @OptIn(ExperimentalUuidApi::class)
        private val KNOWN: Map<Class<*>, Codec<*>> = mapOf(
            UByte::class.java to
                Codecs.map("unsigned int8", Codec.int8(), { (it - 128).toUByte() }, { (it.toInt() - 128).toByte() }),
            UShort::class.java to
                Codecs.map("unsigned int16", Codec.int16(), { (it - 32768).toUShort() }, { (it.toInt() - 32768).toShort() }),
            UInt::class.java to
                Codecs.map(
                    "unsigned int32",
                    Codec.int32(),
                    { (it xor Int.MIN_VALUE).toUInt() },
                    { it.toInt() xor Int.MIN_VALUE }
                ),
            ULong::class.java to
                Codecs.map(
                    "unsigned int64",
                    Codec.int64(),
                    { (it xor Long.MIN_VALUE).toULong() },
                    { it.toLong() xor Long.MIN_VALUE }
                ),
            Uuid::class.java to Codecs.map("uuid of Kotlin", Codecs.uuid(), { it.toKotlinUuid() }, { it.toJavaUuid() }),
            Instant::class.java to
                Codecs.map("instant of Kotlin", Codecs.instant(), { it.toKotlinInstant() }, { it.toJavaInstant() }),
            Duration::class.java to
                Codecs.map("duration of Kotlin", Codecs.duration(), { it.toKotlinDuration() }, { finite(it) })
        )

        private fun finite(duration: Duration): java.time.Duration =
            if (duration.isFinite()) duration.toJavaDuration() else throw CodecException("$duration has no bytes")
    }
}
