/// Why an attribute cannot be added.
public enum AttributeTableError: Error, Hashable, Sendable {
    /// `AttributeTable.capacity` attributes are there.
    case attributesFull
    /// The value has no room in `AttributeTable.constantCapacity` octets.
    case constantsFull
    /// `AttributeTable.configurationCapacity` configurations are there.
    case configurationsFull
    /// Nothing comes behind handle FFFF.
    case handlesFull
    /// Handles must ascend; 0 is none.
    case handleOrder
    /// Longer than 512 octets (Core Vol 3 Part F 3.2.9).
    case valueTooLong
    /// A configuration without a characteristic before it that is notified or indicated.
    case noCharacteristic
    /// A second configuration of one characteristic (Core Vol 3 Part G 3.3.3.3).
    case configurationTwice
}
