/// How a body is written.
public struct WritingOptions: Sendable {
    /// What separates the parts; a new random one unless you choose your own.
    public var boundary: Boundary
    /// Which kind of multipart it is.
    public var subtype: MultipartSubtype
    /// Whether `finish` waits until the file and its name are on the disk (`fsync`).
    public var synchronizes: Bool
    /// Whether a NUL in a name or filename is written as browsers do, instead of being refused.
    ///
    /// A third of the servers fail on it.
    public var allowsNULInNames: Bool
    /// How many threads compress an image, the calling one among them; `nil` for one a processor.
    ///
    /// The body's bytes do not depend on it.
    public var threads: Int?
    /// Changes to filenames that some servers need; none unless you ask for them.
    public var filenames: FilenameForm
    /// What the servers in question can take; a body that goes beyond it is an error before any of
    /// it is sent.
    public var limits: Limits?
    /// Called on the writing thread, about once for every 256 KiB.
    public var progress: (@Sendable (BodyProgress) -> ProgressAnswer)?

    /// The usual choices, or some of your own.
    public init(
        boundary: Boundary = .random(),
        subtype: MultipartSubtype = .formData,
        synchronizes: Bool = false,
        allowsNULInNames: Bool = false,
        threads: Int? = nil,
        filenames: FilenameForm = [],
        limits: Limits? = nil,
        progress: (@Sendable (BodyProgress) -> ProgressAnswer)? = nil
    ) {
        self.boundary = boundary
        self.subtype = subtype
        self.synchronizes = synchronizes
        self.allowsNULInNames = allowsNULInNames
        self.threads = threads
        self.filenames = filenames
        self.limits = limits
        self.progress = progress
    }
}
