import Appliance
import Faces
import Linux

/// The face matcher: whether it can be loaded in its sandbox, and what its threshold rests on.
public enum FaceSection {
    /// Starts the matcher once.
    public static func examine(_ worker: VisionClient, _ thresholds: FaceThresholds) -> DoctorReport.Section {
        var section = DoctorReport.Section("faces")
        defer { worker.stop() }
        let began = Clock.monotonic()
        do throws(WorkerFailure) {
            let identity = try worker.prepare(until: began + 30_000_000_000)
            section.summary = "\(identity.id) \(identity.version)"
            section.add("loaded", "in \((Clock.monotonic() - began) / 1_000_000) ms")
            section.add("models", identity.modelSHA256)
            section.add(
                "attack check", identity.checksAttacks ? "the matcher's own" : "none: a good picture of a person is taken for the person")
            describe(thresholds.threshold(of: identity), in: &section)
        } catch {
            fail(error.description, in: &section)
        }
        return section
    }

    /// There is nothing to start: the plug-in, its models or the worker cannot be had.
    public static func unusable(_ sentence: String) -> DoctorReport.Section {
        var section = DoctorReport.Section("faces")
        fail(sentence, in: &section)
        return section
    }

    private static func fail(_ sentence: String, in section: inout DoctorReport.Section) {
        section.trouble(
            "matcher", "matcher-failed", sentence,
            .init("Look whether the plug-in and its models are there, and whole", "gatehouse calibrate --help"))
    }

    private static func describe(_ entry: FaceThreshold?, in section: inout DoctorReport.Section) {
        let calibrate = DoctorReport.Remedy(
            "Measure it with pictures taken at this gate", "gatehouse calibrate people/ --face-matcher NAME --write thresholds.json")
        switch entry?.evidence {
        case nil:
            section.trouble("threshold", "not-calibrated", "none for this matcher with these models: everybody is rejected", calibrate)
        case .provisional:
            section.note("threshold", "\(entry?.threshold ?? 1), provisional: nobody measured how often it is wrong", calibrate)
        case .measured(let measured):
            section.add(
                "threshold",
                "\(entry?.threshold ?? 1), measured \(entry?.date ?? ""): \(measured.falseMatches) false matches of \(measured.impostorPairs) pairs, \(measured.people) people"
            )
        }
    }
}
