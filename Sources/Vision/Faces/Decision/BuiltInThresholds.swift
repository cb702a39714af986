extension FaceThreshold {
    /// The dlib plug-in's name for itself.
    public static let dlib = "dlib-resnet-v1"
    /// What the dlib plug-in reports for the two models it is shipped for.
    public static let dlibModels = "b07578e076b45393750962187fb798ba127f6622ab75c3f69e0002d45ae4407a"
    /// The same of the plug-in with YuNet and SFace.
    public static let sface = "sface-2021dec"
    public static let sfaceModels = "2e8284dd78ab49c4346626810f00dc48c0f1318dfb8312295c0781ed1989c0fc"

    /// What the gate ships with. Provisional: for dlib a Euclidean distance of at most 0.5 is what is usual for this model, and similarity
    /// is 1 - distance / 2. For SFace a cosine of at least 0.5, where OpenCV takes 0.363: similarity is (1 + cosine) / 2.
    public static let builtIn: [FaceThreshold] = [
        try? FaceThreshold(plugin: dlib, model: dlibModels, threshold: 0.75, evidence: .provisional, date: "2026-11-22"),
        try? FaceThreshold(plugin: sface, model: sfaceModels, threshold: 0.75, evidence: .provisional, date: "2026-11-27"),
    ].compactMap { $0 }
}
