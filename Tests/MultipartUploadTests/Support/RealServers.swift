import Foundation

/// PHP, and nginx in front of it and of the tests' own server.
final class RealServers: Sendable {
    static let shared = Result { try RealServers() }

    /// nginx's port.
    let port: Int
    private let directory: TemporaryDirectory
    private let processes: [ServerProcess]

    init() throws {
        directory = try TemporaryDirectory()
        let ports = try Self.freePorts(2)
        port = ports[1]
        let root = directory.path + "/root"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: TestServer.script("receive.php"),
            toPath: root + "/receive.php"
        )
        try Self.configuration(
            directory.path,
            port,
            php: ports[0],
            slow: TestServer.shared.get().port
        ).write(toFile: directory.path + "/nginx.conf", atomically: true, encoding: .utf8)
        let limits = ["upload_max_filesize", "post_max_size"].flatMap { ["-d", "\($0)=2G"] }
        let php = ["php"] + limits + ["-S", "127.0.0.1:\(ports[0])", "-t", root]
        let nginx = ["nginx", "-p", directory.path, "-c", directory.path + "/nginx.conf"]
        processes = try [php, nginx].map { try ServerProcess.watching($0) }
        for port in ports { try Self.await(port) }
    }

    private static func freePorts(_ count: Int) throws -> [Int] {
        let script = """
            import socket
            held = [socket.socket() for _ in range(\(count))]
            for one in held: one.bind(('127.0.0.1', 0)); print(one.getsockname()[1])
            """
        let output = try run("python3", ["-c", script])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }

    private static func await(_ port: Int) throws {
        let script = """
            import socket, sys, time
            for _ in range(200):
                try: socket.create_connection(('127.0.0.1', \(port))).close(); sys.exit(0)
                except OSError: time.sleep(0.05)
            sys.exit(1)
            """
        try run("python3", ["-c", script])
    }

    private static func configuration(_ path: String, _ port: Int, php: Int, slow: Int) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: "\n")
        return """
            daemon off; master_process off; pid \(path)/nginx.pid; error_log \(path)/error.log;
            events {}
            http {
                access_log off; \(temporary)
                server {
                    listen 127.0.0.1:\(port); client_max_body_size 64m;
                    location /small/ { client_max_body_size 1m; proxy_pass http://127.0.0.1:\(php)/; }
                    location /php/ { proxy_pass http://127.0.0.1:\(php)/; }
                    location /slow/ {
                        proxy_request_buffering off; proxy_http_version 1.1;
                        proxy_pass http://127.0.0.1:\(slow)/;
                    }
                    location /late/ {
                        proxy_read_timeout 1s; proxy_pass http://127.0.0.1:\(slow)/;
                    }
                    location /nobody/ { proxy_pass http://127.0.0.1:1/; }
                    location /moved/ { return 307 http://127.0.0.1:\(port)/php/receive.php; }
                }
            }
            """
    }
}
