extension FaceThreshold {
    /// The dlib plug-in's name for itself.
    public static let dlib = "dlib-resnet-v1"
    /// What the dlib plug-in reports for the two models it is shipped for.
    public static let dlibModels = "b07578e076b45393750962187fb798ba127f6622ab75c3f69e0002d45ae4407a"

    /// What the gate ships with. Provisional: a Euclidean distance of at most 0.5 is what is usual for this model, and similarity is 1 -
    /// distance / 2.
    public static let builtIn: [FaceThreshold] = {
        let entry = try? FaceThreshold(plugin: dlib, model: dlibModels, threshold: 0.75, evidence: .provisional, date: "2026-11-22")
        return entry.map { [$0] } ?? []
    }()
}
