import Appliance
import ArgumentParser
import Envelopes
import Faces
import Glibc
import JSON
import VisionProtocol

struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure how often a face matcher is wrong about labelled pictures, and choose its threshold.",
        discussion: """
            The folder has one folder for each person, with JPEGs or PNGs of that person alone. Every picture is taken as the photo of a credential \
            and compared with every other as a camera frame, by the matcher in its sandbox: n pictures take n² comparisons. \
            Printed are errors at a row of thresholds with their exact 95 % bounds, and the lowest threshold that keeps the wanted false match rate. \
            The bounds hold for people like those in the pictures, and as if no two pairs had to do with each other.
            """)

    @Argument(help: "The folder of labelled pictures.")
    var folder: String

    @OptionGroup var matcher: FaceMatcherOptions

    @Option(help: ArgumentHelp("The false match rate of one comparison that is wanted.", valueName: "rate"))
    var fmr = 0.001

    @Option(help: ArgumentHelp("Where a detection error trade-off plot goes, as SVG.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp("Where a histogram of the scores of one person's and of two people's pairs goes, as SVG.", valueName: "file"))
    var histogram: String?

    @Option(
        help: ArgumentHelp(
            "Where every comparison goes, a JSON object a line. It describes people: keep it as their pictures are kept.", valueName: "file"
        ))
    var scores: String?

    @Option(help: ArgumentHelp("The file of thresholds the gate reads: the new one is put in, others stay.", valueName: "file"))
    var write: String?

    func validate() throws {
        guard fmr > 0, fmr < 1 else { throw ValidationError("--fmr \(fmr): has to be above 0 and below 1") }
    }

    func run() throws {
        // What cannot be written, or nothing can be said from, is told before hours of work.
        let labelled: LabelledFolder
        do throws(LabelledFolderError) { labelled = try LabelledFolder(folder) } catch { throw ValidationError("\(folder): \(error)") }
        var thresholds = try write.map { try Self.thresholds($0) } ?? FaceThresholds()
        var inForce = thresholds
        inForce.addProvisional()
        let worker = try matcher.worker()
        let run: CalibrationRun, identity: PluginIdentity
        do throws(WorkerFailure) {
            identity = try worker.prepare()
            let settings = FaceSettings.standard
            var progress = CalibrationProgress(pictures: labelled.pictures.count)
            run = try CalibrationRun(labelled, settings: settings, minimum: settings.referenceMinimum(for: identity), judge: worker) {
                progress.pass($0)
            }
        } catch {
            throw ValidationError("--face-plugin \(matcher.plugin): \(error)")
        }
        try scores.map { try gatehouse.write(Self.lines(of: run), to: $0) }
        let labelledScores: LabelledScores, choice: ThresholdChoice
        do throws(CalibrationError) {
            labelledScores = try LabelledScores(run.pairs)
            choice = try ThresholdChoice(labelledScores, falseMatchRate: fmr, inForce: inForce.threshold(of: identity)?.threshold ?? 0)
        } catch {
            say(CalibrationReport.counts(of: run, by: identity), to: 1)
            throw ValidationError("\(folder): \(CalibrationReport.sentence(error))")
        }
        say(CalibrationReport(run: run, identity: identity, scores: labelledScores, choice: choice, wanted: fmr).text, to: 1)
        // First what took hours: a picture that cannot be written must not cost it.
        if let write {
            do throws(FaceFileError) {
                try thresholds.set(try Self.entry(choice, labelledScores, identity))
            } catch {
                throw ValidationError("--write \(write): the threshold \(error)")
            }
            try gatehouse.write(thresholds.octets, to: write)
        }
        try svg.map { try gatehouse.write(Array(DETPlot(labelledScores, choice: choice).svg.utf8), to: $0) }
        try histogram.map { try gatehouse.write(Array(ScoreHistogram(labelledScores, threshold: choice.threshold).svg.utf8), to: $0) }
    }

    /// The thresholds of a file, none where there is none yet.
    private static func thresholds(_ path: String) throws -> FaceThresholds {
        guard access(path, F_OK) == 0 else { return FaceThresholds() }
        let octets = try NamedFile.read(path, most: 1 << 20)
        do throws(FaceFileError) {
            return try FaceThresholds(parsing: octets)
        } catch {
            throw ValidationError("--write \(path): it \(error)")
        }
    }

    private static func entry(
        _ choice: ThresholdChoice, _ scores: LabelledScores, _ identity: PluginIdentity
    ) throws(FaceFileError) -> FaceThreshold {
        let measurement = FaceThreshold.Measurement(
            impostorPairs: choice.falseMatches.trials, falseMatches: choice.falseMatches.errors, people: scores.people, bound: choice.bound)
        let today = Timestamp.text(TrustSource.now).map { String($0.prefix(10)) } ?? ""
        return try FaceThreshold(
            plugin: identity.id, model: identity.modelSHA256, threshold: choice.threshold, evidence: .measured(measurement), date: today)
    }

    private static func lines(of run: CalibrationRun) -> [UInt8] {
        var octets: [UInt8] = []
        for score in run.scores {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("reference", run.folder.pictures[score.reference].name)
            writer.member("probe", run.folder.pictures[score.probe].name)
            writer.name("similarity")
            writer.double(score.similarity)
            writer.endObject()
            octets += writer.bytes + [0x0A]
        }
        return octets
    }
}
