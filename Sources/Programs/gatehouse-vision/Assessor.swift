import CFacePlugin
import Glibc
import Pictures
import VisionProtocol

/// Answers the gate's requests by one plug-in. Nothing a plug-in returns goes on without being looked at, and nothing of a picture stays
/// but the one template of the reference.
final class Assessor {
    private let plugin: Plugin
    private let host: PluginHost
    private let options: Options
    private let picture = Picture()
    private let reference: TemplateBuffer
    private let probe: TemplateBuffer

    /// Decoded at 1/2 or 1/4 where the longer side still has so many pixels.
    private static let portraits = PictureDecoder(limits: .portrait, wantedSide: 800)
    private static let frames = PictureDecoder(limits: .frame, wantedSide: 500)

    /// nil without memory.
    init?(_ plugin: Plugin, host: PluginHost, options: Options) {
        guard let reference = TemplateBuffer(capacity: plugin.templateMost), let probe = TemplateBuffer(capacity: plugin.templateMost)
        else {
            return nil
        }
        self.plugin = plugin
        self.host = host
        self.options = options
        self.reference = reference
        self.probe = probe
    }

    func answer(_ request: WorkerRequest, _ octets: UnsafeRawBufferPointer) -> WorkerReply {
        guard case .picture(let role, let head) = request else {
            // To look for codes is another worker's.
            guard request == .forget else { _exit(WorkerExit.badRequest.rawValue) }
            wipe()
            return .forgotten
        }
        let deadline = host.beginRequest(lasting: role == .reference ? options.referenceTime : options.probeTime)
        let begun = PluginHost.now()
        var assessment = assess(role, head, octets, deadline)
        assessment.elapsed = UInt32(clamping: (PluginHost.now() &- begun) / 1000)
        picture.wipe()
        probe.wipe()
        return .assessment(role, assessment)
    }

    private func wipe() {
        picture.wipe()
        reference.wipe()
        probe.wipe()
    }

    private func assess(_ role: FaceRole, _ head: PictureHeader, _ octets: UnsafeRawBufferPointer, _ deadline: UInt64) -> FrameAssessment {
        // The one before is another person's, whatever becomes of this one.
        if role == .reference { reference.wipe() } else if reference.isEmpty { return FrameAssessment(.noReference) }
        do throws(PictureError) {
            try (role == .reference ? Self.portraits : Self.frames).decode(
                octets, as: head.format, width: Int(head.width), height: Int(head.height), stride: Int(head.stride), into: picture)
        } catch {
            return FrameAssessment(error.failure)
        }
        return picture.withPixels { pixels in
            var image = image(of: pixels, role, head)
            var assessment = makeTemplate(&image, role, deadline)
            guard assessment.status == 0, role == .probe else { return assessment }
            checkAttack(&image, &assessment, deadline)
            if assessment.status == 0 { match(&assessment) }
            return assessment
        }
    }

    private func image(of pixels: UnsafeRawBufferPointer, _ role: FaceRole, _ head: PictureHeader) -> fmp_image {
        var image = fmp_image()
        image.struct_size = UInt32(MemoryLayout<fmp_image>.size)
        image.format = UInt32(FMP_FMT_RGB24)
        image.role = role.rawValue
        image.width = UInt32(clamping: picture.width)
        image.height = UInt32(clamping: picture.height)
        image.stride = UInt32(clamping: picture.stride)
        image.bytes = fmp_bytes(data: pixels.assumingMemoryBound(to: UInt8.self).baseAddress, len: pixels.count)
        image.capture_ns = head.captured
        image.seq = head.sequence
        return image
    }

    private func makeTemplate(_ image: inout fmp_image, _ role: FaceRole, _ deadline: UInt64) -> FrameAssessment {
        var info = Self.emptyInfo
        let (plugin, rawRole) = (plugin, role.rawValue)
        let body: (UnsafeMutablePointer<fmp_buffer>) -> fmp_status = { buffer in
            plugin.table.create_template?(plugin.context, &image, 1, rawRole, deadline, buffer, &info) ?? -1
        }
        let template = role == .reference ? reference : probe
        let (picture, gates) = (self.picture, options.gates)
        // What is found is measured here, whatever the plug-in thinks of it, and judged by the gate once more. Where there is a check for
        // attacks, it sees every face.
        if role == .probe, let gates, !plugin.identity.checksAttacks {
            host.isWanted = { FrameAssessment(status: 0, $0, measuredIn: picture).isWorthComparing(by: gates) }
        }
        defer { host.isWanted = nil }
        let status = template.fill(body)
        // It wrote where it must not: nothing in this process can be relied on any more.
        guard let status else { _exit(WorkerExit.overran.rawValue) }
        guard status >= 0, status <= 0xFFFF else { return sized(FrameAssessment(.badStatus)) }
        if status == 0, template.isEmpty { return sized(FrameAssessment(.noTemplate)) }
        let assessment = sized(FrameAssessment(status: status, info, measuredIn: picture))
        if let checked = assessment.believable { return checked }
        template.wipe()
        return sized(status == 0 ? FrameAssessment(.badInfo) : FrameAssessment(status: status))
    }

    private func sized(_ assessment: FrameAssessment) -> FrameAssessment {
        var assessment = assessment
        assessment.width = UInt32(clamping: picture.width)
        assessment.height = UInt32(clamping: picture.height)
        return assessment
    }

    /// It can only deny: a score that is none denies as well.
    private func checkAttack(_ image: inout fmp_image, _ assessment: inout FrameAssessment, _ deadline: UInt64) {
        guard plugin.identity.checksAttacks else { return }
        var info = Self.emptyInfo
        var score = Double.nan
        let status = plugin.table.pad?(plugin.context, &image, 1, deadline, &info, &score) ?? -1
        guard status == 0, score >= -1, score <= 1 else {
            assessment.status = FrameAssessment.Failure.attackCheckFailed.rawValue
            return
        }
        assessment.attackScore = Float(score)
    }

    private func match(_ assessment: inout FrameAssessment) {
        var similarity = Double.nan
        let status = plugin.table.match?(plugin.context, probe.octets, reference.octets, &similarity) ?? -1
        if status < 0 || status > 0xFFFF {
            assessment.status = FrameAssessment.Failure.badStatus.rawValue
        } else if status > 0 {
            assessment.status = status
        } else if similarity >= 0, similarity <= 1 {
            assessment.similarity = similarity
        } else {
            assessment.status = FrameAssessment.Failure.badScore.rawValue
        }
    }

    private static var emptyInfo: fmp_frame_info {
        var info = fmp_frame_info()
        info.struct_size = UInt32(MemoryLayout<fmp_frame_info>.size)
        // Whatever a plug-in leaves as it is, it did not measure.
        for field in [\fmp_face.confidence, \.yaw, \.pitch, \.roll] { info.face[keyPath: field] = .nan }
        info.face.eye_l = (.nan, .nan)
        info.face.eye_r = (.nan, .nan)
        info.quality = .nan
        info.pad_score = .nan
        info.second_area = .nan
        return info
    }
}

extension FrameAssessment {
    fileprivate init(_ failure: Failure) {
        self.init(status: failure.rawValue)
    }

    /// What a plug-in found, and what is measured here of it.
    fileprivate init(status: Int32, _ info: fmp_frame_info, measuredIn picture: Picture) {
        self.init(status: status)
        faces = info.faces
        face = FaceBox(x: info.face.x, y: info.face.y, width: info.face.w, height: info.face.h)
        // Who does not say how large the second face is may mean one as large as the first.
        secondArea = info.second_area.isNaN ? (info.faces > 1 ? 1 : 0) : info.second_area
        let (left, right) = (info.face.eye_l, info.face.eye_r)
        eyeDistance = Self.known(hypotf(right.0 - left.0, right.1 - left.1))
        yaw = Self.known(info.face.yaw)
        pitch = Self.known(info.face.pitch)
        roll = Self.known(info.face.roll)
        quality = Self.known(info.quality)
        qualityFlags = info.quality_flags
        let whole = FaceBox(x: 0, y: 0, width: Float(picture.width), height: Float(picture.height))
        if let measure = picture.measure(faces > 0 ? face : whole) {
            brightness = measure.brightness
            sharpness = measure.sharpness
        }
    }

    private static func known(_ value: Float) -> Float? { value.isNaN ? nil : value }

    /// Itself, if the gate would take it for the assessment of a reference.
    fileprivate var believable: FrameAssessment? {
        do throws(MessageError) {
            try check(.reference)
            return self
        } catch {
            return nil
        }
    }
}
