import Appliance
import ArgumentParser

/// What is asked of documents in phones (ISO/IEC 18013-5), and in whose name.
struct DocumentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON object that says which documents in phones are asked for, and what of them (docs/site.md).  (default: what the site file says; without, a driving licence, an identity document or a photo ID, of which the portrait where faces are compared)",
            valueName: "file"))
    var documents: String?

    @Option(
        help: ArgumentHelp(
            "The key by which phones are asked in the gate's name (PEM, as `gatehouse trust reader-key` writes it); its certificates come in the trust bundle. Without one they are asked without a name.  (default: \(ReaderSource.usualPath), if that exists)",
            valueName: "file"))
    var readerKey: String?

    var configuration: DocumentConfiguration { DocumentConfiguration(file: documents, reader: ReaderSource(readerKey)) }
}
