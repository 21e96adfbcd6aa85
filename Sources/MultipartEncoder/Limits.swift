/// What a server takes by its default settings, to be checked before a body is sent.
///
/// A body beyond these is no fault of the body's: the server's settings can be raised. Give
/// ``WritingOptions/limits`` to have it refused here, where the message can say why, or ask
/// ``FormData/violations(of:)`` to warn. The figures and where to raise them are in
/// `Documentation/Servers.md`.
public struct Limits: Hashable, Sendable {
    /// Whose limits these are, for messages.
    public var server: String
    /// The most parts of any kind.
    public var parts: Int?
    /// The most parts with a filename.
    public var files: Int?
    /// The most parts without a filename.
    public var fields: Int?
    /// The longest header of a part in bytes, from its first line to its empty line.
    public var headerLength: Int?
    /// The longest name in bytes.
    public var nameLength: Int?
    /// The longest content of a field in bytes.
    public var fieldLength: Int64?
    /// The longest content of a file in bytes.
    public var fileLength: Int64?
    /// All fields' contents together, in bytes.
    public var fieldsLength: Int64?
    /// The longest body in bytes.
    public var bodyLength: Int64?

    /// Limits of a server of your own; what is `nil` is not checked.
    public init(
        server: String,
        parts: Int? = nil,
        files: Int? = nil,
        fields: Int? = nil,
        headerLength: Int? = nil,
        nameLength: Int? = nil,
        fieldLength: Int64? = nil,
        fileLength: Int64? = nil,
        fieldsLength: Int64? = nil,
        bodyLength: Int64? = nil
    ) {
        self.server = server
        self.parts = parts
        self.files = files
        self.fields = fields
        self.headerLength = headerLength
        self.nameLength = nameLength
        self.fieldLength = fieldLength
        self.fileLength = fileLength
        self.fieldsLength = fieldsLength
        self.bodyLength = bodyLength
    }

    /// Apache Tomcat 9.0.107, 10.1.43, 11.0.9 and later.
    public static let tomcat = Limits(server: "Tomcat", parts: 50, headerLength: 512)
    /// Tornado 6.5.3 and later.
    public static let tornado = Limits(
        server: "Tornado",
        parts: 100,
        headerLength: 10 * 1024,
        bodyLength: 100 << 20
    )
    /// Netty's `HttpPostRequestDecoder`.
    public static let netty = Limits(server: "Netty", parts: 128, headerLength: 1024)
    /// Go's `mime/multipart`.
    public static let go = Limits(server: "Go", parts: 1000)
    /// Eclipse Jetty 10 and later.
    public static let jetty = Limits(server: "Jetty", parts: 1000)
    /// PHP with its built-in settings.
    public static let php = Limits(
        server: "PHP",
        files: 20,
        fields: 1000,
        fileLength: 2 << 20,
        bodyLength: 8 << 20
    )
    /// Rack 2.2.6 and later, below Rails and Sinatra.
    public static let rack = Limits(
        server: "Rack",
        parts: 4096,
        files: 128,
        headerLength: 64 * 1024,
        fieldsLength: 16 << 20
    )
    /// Django 4.2 and later.
    public static let django = Limits(
        server: "Django",
        files: 100,
        fields: 1000,
        headerLength: 1024,
        fieldsLength: 2_621_440
    )
    /// Starlette and FastAPI.
    public static let starlette = Limits(
        server: "Starlette",
        files: 1000,
        fields: 1000,
        fieldLength: 1 << 20
    )
    /// Werkzeug 3 and Flask 3.
    public static let werkzeug = Limits(server: "Werkzeug", parts: 1000, fieldsLength: 500_000)
    /// Busboy, below Multer and Fastify.
    public static let busboy = Limits(server: "Busboy", fieldLength: 1 << 20)
    /// ASP.NET Core behind Kestrel.
    public static let aspNetCore = Limits(
        server: "ASP.NET Core",
        parts: 1024,
        headerLength: 16 * 1024,
        nameLength: 2048,
        fieldLength: 4 << 20,
        bodyLength: 30_000_000
    )
    /// nginx in front of anything.
    public static let nginx = Limits(server: "nginx", bodyLength: 1 << 20)

    /// All of the above.
    public static let known: [Limits] = [
        .tomcat, .tornado, .netty, .go, .jetty, .php, .rack, .django, .starlette, .werkzeug,
        .busboy,
        .aspNetCore, .nginx,
    ]
}

/// A limit that a body goes beyond.
public struct LimitViolation: Hashable, Sendable {
    /// Whose limit it is.
    public let server: String
    /// The first part that is beyond it, the first being 0; `nil` for the body as a whole.
    public let part: Int?
    /// What there is too much of.
    public let quantity: Quantity
    /// How much of it the server takes.
    public let limit: Int64
    /// How much of it there is, as far as it was counted.
    public let found: Int64

    /// What is counted or measured.
    public enum Quantity: String, Hashable, Sendable, CaseIterable {
        /// Parts of any kind.
        case parts
        /// Parts with a filename.
        case files
        /// Parts without one.
        case fields
        /// Bytes of a part's header.
        case headerLength = "bytes of header in one part"
        /// Bytes of a name.
        case nameLength = "bytes of name in one part"
        /// Bytes of a field's content.
        case fieldLength = "bytes in one field"
        /// Bytes of a file's content.
        case fileLength = "bytes in one file"
        /// Bytes of all fields' contents.
        case fieldsLength = "bytes in all fields"
        /// Bytes of the body.
        case bodyLength = "bytes of body"
    }
}

extension LimitViolation: CustomStringConvertible {
    /// The server, its limit, and what goes beyond it.
    public var description: String {
        "\(server) takes at most \(limit) \(quantity.rawValue) by default, this has \(found)"
    }
}
