/// The memory of a host: everything it knows and every octet it holds, none of it elsewhere.
///
/// The shell makes one where it will stay - allocated once, or a static where nothing is allocated - and lends it to a `Host` for as long
/// as that lives.
public struct HostStorage: ~Copyable {
    var core = HostCore(table: AttributeTable())

    public init() {}
}
