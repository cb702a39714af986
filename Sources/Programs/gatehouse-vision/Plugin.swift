import CFacePlugin
import Glibc
import VisionProtocol

/// A plug-in with its models loaded. There is one in a process, and it is never unloaded.
struct Plugin {
    let identity: PluginIdentity
    /// The longest template, in octets.
    let templateMost: Int
    let context: OpaquePointer
    let table: fmp_vtable

    /// Why there is none: the plug-in's own code, or an `OpenFailure`.
    struct Refusal: Error {
        let status: Int32

        init(_ failure: OpenFailure) {
            status = failure.rawValue
        }

        init(status: Int32) {
            self.status = status
        }
    }

    private typealias Entry = @convention(c) (UInt32, UInt32) -> UnsafePointer<fmp_vtable>?
    private static let major: UInt32 = 1
    private static let mostTemplate: UInt32 = 65_536

    init(_ options: Options, host: UnsafePointer<fmp_host>, configuration: [UInt8]) throws(Refusal) {
        // A name alone would be looked for among the system's libraries.
        guard options.plugin.hasPrefix("/"), let library = dlopen(options.plugin, RTLD_NOW | RTLD_LOCAL) else {
            throw Refusal(.notLoadable)
        }
        guard let symbol = dlsym(library, FMP_ENTRY_NAME) else { throw Refusal(.noEntry) }
        guard let entry = unsafeBitCast(symbol, to: Entry.self)(Self.major, FMP_ABI_MINOR) else { throw Refusal(.wrongVersion) }
        table = try Self.table(entry)
        // What it says before and after it read its models may differ in the hash of the models alone.
        _ = try Self.info(table)
        context = try Self.open(table, options, host, configuration)
        let info = try Self.info(table)
        templateMost = Int(info.template_max)
        identity = try Self.identity(info)
        if identity.checksAttacks, table.pad == nil { throw Refusal(.badTable) }
    }

    /// A longer table is a newer plug-in's; what is behind the end of ours is not called.
    private static func table(_ entry: UnsafePointer<fmp_vtable>) throws(Refusal) -> fmp_vtable {
        let size = UnsafeRawPointer(entry).loadUnaligned(as: UInt32.self)
        guard size >= MemoryLayout<fmp_vtable>.size, size <= 4096 else { throw Refusal(.badTable) }
        let table = entry.pointee
        guard table.info != nil, table.open != nil, table.create_template != nil, table.match != nil else { throw Refusal(.badTable) }
        return table
    }

    private static func info(_ table: fmp_vtable) throws(Refusal) -> fmp_info {
        var info = fmp_info()
        info.struct_size = UInt32(MemoryLayout<fmp_info>.size)
        guard table.info?(&info) == 0 else { throw Refusal(.badIdentity) }
        guard info.abi_major == major else { throw Refusal(.wrongVersion) }
        guard info.template_max > 0, info.template_max <= mostTemplate else { throw Refusal(.badIdentity) }
        return info
    }

    private static func identity(_ info: fmp_info) throws(Refusal) -> PluginIdentity {
        guard let id = text(info.id), let version = text(info.version), let hash = text(info.model_sha256) else {
            throw Refusal(.badIdentity)
        }
        let identity = PluginIdentity(
            id: id, version: version, modelSHA256: hash, capabilities: info.caps, referenceMinimum: info.reference_min)
        do throws(MessageError) { try identity.check() } catch { throw Refusal(.badIdentity) }
        return identity
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        text.flatMap { PluginText.read($0, most: 64) }
    }

    private static func open(
        _ table: fmp_vtable, _ options: Options, _ host: UnsafePointer<fmp_host>, _ configuration: [UInt8]
    ) throws(Refusal) -> OpaquePointer {
        var context: OpaquePointer?
        let status = configuration.withUnsafeBufferPointer { octets in
            table.open?(host, options.models, fmp_bytes(data: octets.baseAddress, len: octets.count), &context) ?? -1
        }
        guard status >= 0, status <= 0xFFFF else { throw Refusal(.badOpen) }
        guard status == 0 else { throw Refusal(status: status) }
        guard let context else { throw Refusal(.badOpen) }
        return context
    }
}
