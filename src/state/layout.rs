//! How many bytes does an object take on the heap, and how many when it is serialised?
//!
//! Heap: an object is a 12 byte header and its fields, 8 byte fields first, the gap behind the header
//! filled with smaller ones, padded to 8 bytes. A reference takes 4 bytes with compressed oops and 8
//! without; class pointers stay compressed either way.
//!
//! Source: HotSpot of Java 17 (`FieldLayoutBuilder`, `arrayOopDesc`), measured on `Long`, `String`,
//! `byte[]`, `HashMap`, `ArrayList`, a POJO and a `Tuple5`; Flink 1.18.1, 1.20.5, 2.2.1,
//! `LongSerializer`, `StringValue#writeString`, `BytePrimitiveArraySerializer`, `PojoSerializer`,
//! `TupleSerializer`.
//!
//! # Deviations
//! Strings are ASCII: one byte a character on the heap and serialised. Boxed numbers and strings
//! are not shared between keys. POJO fields are never null and belong to one class.

use serde::{Deserialize, Serialize};

/// Header of an object [B].
const HEADER: u64 = 12;
/// Header of an array [B].
const ARRAY_HEADER: u64 = 16;
/// Objects begin at multiples of this [B].
const ALIGNMENT: u64 = 8;

/// How references are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heap {
    /// Whether the JVM stores references in 32 bits, `-XX:+UseCompressedOops`.
    pub compressed_oops: bool,
}

/// Fields of a class by size.
#[derive(Debug, Clone, Copy, Default)]
struct Fields {
    references: u64,
    eight: u64,
    four: u64,
    /// Bytes of booleans and bytes.
    one: u64,
}

const fn padded(bytes: u64) -> u64 {
    bytes.div_ceil(ALIGNMENT) * ALIGNMENT
}

impl Heap {
    /// Size of a reference, and of a slot of a table of references [B].
    pub const fn reference(self) -> u64 {
        if self.compressed_oops { 4 } else { 8 }
    }

    const fn object(self, fields: Fields) -> u64 {
        let (mut eight, mut small) = (fields.eight, fields.four * 4 + fields.one);
        if self.compressed_oops {
            small += fields.references * 4;
        } else {
            eight += fields.references;
        }
        if eight == 0 {
            return padded(HEADER + small);
        }
        // Four bytes of the small fields fit between the header and the first 8 byte field.
        padded(16 + eight * 8 + small.saturating_sub(4))
    }

    /// An array of references.
    pub const fn reference_array(self, length: u64) -> u64 {
        padded(ARRAY_HEADER + self.reference() * length)
    }

    /// A `byte[]`.
    pub const fn byte_array(self, length: u64) -> u64 {
        padded(ARRAY_HEADER + length)
    }

    /// `CopyOnWriteStateMap.StateMapEntry`: key, namespace, state and next; three ints.
    pub const fn state_entry(self) -> u64 {
        self.object(Fields { references: 4, eight: 0, four: 3, one: 0 })
    }

    /// `TtlValue`: the user value and a timestamp.
    pub const fn ttl_value(self) -> u64 {
        self.object(Fields { references: 1, eight: 1, four: 0, one: 0 })
    }

    /// `TimeWindow`: start and end.
    pub const fn time_window(self) -> u64 {
        self.object(Fields { references: 0, eight: 2, four: 0, one: 0 })
    }

    /// `TimerHeapInternalTimer`: key and namespace, a timestamp, its place in the queue.
    pub const fn timer(self) -> u64 {
        self.object(Fields { references: 2, eight: 1, four: 1, one: 0 })
    }

    /// `Tuple2` without what it refers to.
    pub const fn tuple2(self) -> u64 {
        self.object(Fields { references: 2, eight: 0, four: 0, one: 0 })
    }

    /// `java.util.HashMap` itself: table, two views and the entry set; four numbers.
    pub const fn hash_map(self) -> u64 {
        self.object(Fields { references: 4, eight: 0, four: 4, one: 0 })
    }

    /// `HashMap.Node`: key, value and next; the hash.
    pub const fn hash_map_node(self) -> u64 {
        self.object(Fields { references: 3, eight: 0, four: 1, one: 0 })
    }

    /// Slots of the table of a `HashMap` that grew to so many entries, load factor 0.75.
    pub fn hash_map_slots(entries: u64) -> u64 {
        let mut slots: u64 = 16;
        while slots < 1 << 30 && entries > slots / 4 * 3 {
            slots *= 2;
        }
        slots
    }

    /// `java.util.ArrayList` itself: the elements; size and modification count.
    pub const fn array_list(self) -> u64 {
        self.object(Fields { references: 1, eight: 0, four: 2, one: 0 })
    }

    /// Length of the array of an `ArrayList` that grew one by one: 10, then half as much again.
    pub fn array_list_capacity(elements: u64) -> u64 {
        let mut capacity: u64 = 10;
        while capacity < elements {
            capacity += capacity / 2;
        }
        capacity
    }
}

/// A type without fields of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Scalar {
    /// `Long`, `long`.
    Long,
    /// `Integer`, `int`.
    Integer,
    /// `Double`, `double`.
    Double,
    /// `String` of ASCII characters.
    String {
        /// Characters.
        chars: u32,
    },
    /// `byte[]`.
    Bytes {
        /// Bytes in the array.
        length: u32,
    },
}

impl Scalar {
    /// The object on the heap, boxed.
    pub const fn heap(self, heap: Heap) -> u64 {
        match self {
            Self::Long | Self::Double => {
                heap.object(Fields { references: 0, eight: 1, four: 0, one: 0 })
            }
            Self::Integer => heap.object(Fields { references: 0, eight: 0, four: 1, one: 0 }),
            // A string holds its hash, its coder, whether the hash is zero, and a byte[].
            Self::String { chars } => {
                heap.object(Fields { references: 1, eight: 0, four: 1, one: 2 })
                    + heap.byte_array(chars as u64)
            }
            Self::Bytes { length } => heap.byte_array(length as u64),
        }
    }

    /// Serialised, without a null flag.
    pub const fn serialised(self) -> u64 {
        match self {
            Self::Long | Self::Double => 8,
            Self::Integer => 4,
            Self::String { chars } => {
                // Length + 1, seven bits a byte.
                let mut rest = (chars as u64 + 1) >> 7;
                let mut prefix = 1;
                while rest > 0 {
                    prefix += 1;
                    rest >>= 7;
                }
                prefix + chars as u64
            }
            Self::Bytes { length } => 4 + length as u64,
        }
    }

    /// What a copy of it adds to the heap; immutable objects are shared.
    const fn copied(self, heap: Heap) -> u64 {
        match self {
            Self::Bytes { .. } => self.heap(heap),
            _ => 0,
        }
    }
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ValueType {
    /// `Long`.
    Long,
    /// `Integer`.
    Integer,
    /// `Double`.
    Double,
    /// `String` of ASCII characters.
    String {
        /// Characters.
        chars: u32,
    },
    /// `byte[]`.
    Bytes {
        /// Bytes in the array.
        length: u32,
    },
    /// A POJO; numbers are primitive.
    Pojo {
        /// Its fields.
        fields: Vec<Scalar>,
    },
    /// A `Tuple`; numbers are boxed.
    Tuple {
        /// Its fields.
        fields: Vec<Scalar>,
    },
}

impl From<Scalar> for ValueType {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Long => Self::Long,
            Scalar::Integer => Self::Integer,
            Scalar::Double => Self::Double,
            Scalar::String { chars } => Self::String { chars },
            Scalar::Bytes { length } => Self::Bytes { length },
        }
    }
}

impl ValueType {
    /// The type as a scalar, or its fields and whether they are boxed.
    fn parts(&self) -> Result<Scalar, (&[Scalar], bool)> {
        match self {
            Self::Long => Ok(Scalar::Long),
            Self::Integer => Ok(Scalar::Integer),
            Self::Double => Ok(Scalar::Double),
            Self::String { chars } => Ok(Scalar::String { chars: *chars }),
            Self::Bytes { length } => Ok(Scalar::Bytes { length: *length }),
            Self::Pojo { fields } => Err((fields, false)),
            Self::Tuple { fields } => Err((fields, true)),
        }
    }

    /// The fields of a POJO or tuple, empty for a scalar.
    pub fn fields(&self) -> &[Scalar] {
        self.parts().err().map_or(&[], |(fields, _)| fields)
    }

    /// The object on the heap with everything that only it refers to.
    pub fn heap(&self, heap: Heap) -> u64 {
        match self.parts() {
            Ok(scalar) => scalar.heap(heap),
            Err((fields, boxed)) => {
                let held = fields.iter().filter(|field| boxed || !is_number(**field));
                shell(fields, boxed, heap) + held.map(|field| field.heap(heap)).sum::<u64>()
            }
        }
    }

    /// What a deep copy by Flink's serialiser adds: the mutable parts.
    pub fn copied(&self, heap: Heap) -> u64 {
        match self.parts() {
            Ok(scalar) => scalar.copied(heap),
            Err((fields, boxed)) => {
                shell(fields, boxed, heap)
                    + fields.iter().map(|field| field.copied(heap)).sum::<u64>()
            }
        }
    }

    /// Serialised.
    pub fn serialised(&self) -> u64 {
        match self.parts() {
            Ok(scalar) => scalar.serialised(),
            Err((fields, boxed)) => {
                let values = fields.iter().map(|field| field.serialised()).sum::<u64>();
                // `PojoSerializer` writes a flags byte, and for each field whether it is null.
                values + if boxed { 0 } else { 1 + fields.len() as u64 }
            }
        }
    }
}

const fn is_number(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Long | Scalar::Integer | Scalar::Double)
}

/// The object that holds the fields.
fn shell(fields: &[Scalar], boxed: bool, heap: Heap) -> u64 {
    let mut class = Fields::default();
    for field in fields {
        match field {
            Scalar::Long | Scalar::Double if !boxed => class.eight += 1,
            Scalar::Integer if !boxed => class.four += 1,
            _ => class.references += 1,
        }
    }
    heap.object(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: Heap = Heap { compressed_oops: true };
    const OFF: Heap = Heap { compressed_oops: false };
    const FIVE: [Scalar; 5] =
        [Scalar::Long, Scalar::Integer, Scalar::Double, Scalar::Long, Scalar::String { chars: 10 }];

    #[test]
    fn flink_objects_have_their_measured_sizes() {
        assert_eq!([ON.state_entry(), OFF.state_entry()], [40, 56]);
        assert_eq!([ON.ttl_value(), OFF.ttl_value()], [24, 32]);
        assert_eq!([ON.hash_map(), ON.hash_map_node()], [48, 32]);
        assert_eq!([OFF.hash_map(), OFF.hash_map_node()], [64, 40]);
    }

    #[test]
    fn types_have_their_measured_sizes() {
        let string = |chars| Scalar::String { chars };
        assert_eq!([Scalar::Long.heap(ON), Scalar::Long.heap(OFF)], [24, 24]);
        assert_eq!([8, 20, 36].map(|chars| string(chars).heap(ON)), [48, 64, 80]);
        assert_eq!(string(8).heap(OFF), 56);
        assert_eq!([100, 1000].map(|length| Scalar::Bytes { length }.heap(ON)), [120, 1016]);
        let pojo = ValueType::Pojo { fields: FIVE.to_vec() };
        let tuple = ValueType::Tuple { fields: FIVE.to_vec() };
        assert_eq!([pojo.heap(ON), pojo.heap(OFF)], [104, 112]);
        assert_eq!([tuple.heap(ON), tuple.heap(OFF)], [176, 208]);
        assert_eq!([pojo.serialised(), tuple.serialised()], [45, 39]);
        assert_eq!(pojo.copied(ON), 48);
    }

    #[test]
    fn collections_grow_as_the_jdk_grows_them() {
        assert_eq!([1, 12, 13, 48, 49].map(Heap::hash_map_slots), [16, 16, 32, 64, 128]);
        assert_eq!([1, 10, 11, 100].map(Heap::array_list_capacity), [10, 10, 15, 109]);
    }

    #[test]
    fn long_strings_have_a_longer_length() {
        assert_eq!(Scalar::String { chars: 126 }.serialised(), 127);
        assert_eq!(Scalar::String { chars: 127 }.serialised(), 129);
    }
}
