import Foundation
import MultipartEncoder
import Testing

@Suite struct SpoolFileTests {
    private let directory = try? TemporaryDirectory()

    @Test(arguments: [true, false])
    func `has its name only once it is complete`(nameless: Bool) throws {
        let directory = try #require(directory)
        let path = "\(directory.path)/body"
        let spool = try SpoolFile(in: directory.path, nameless: nameless)
        #expect(writeBytes([1, 2, 3], to: spool.descriptor) == 3)
        #expect(try !directory.names.contains("body"))
        #expect(try directory.names.isEmpty == nameless)
        try spool.commit(to: path, replacing: false, synchronizing: true)
        #expect(try directory.names == ["body"])
        #expect(try bytes(ofFile: path) == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `is its owner's alone`(nameless: Bool) throws {
        // cryptomator/ios#11 and others: readable when needed, by nobody else.
        let directory = try #require(directory)
        let path = "\(directory.path)/body"
        try SpoolFile(in: directory.path, nameless: nameless)
            .commit(to: path, replacing: false, synchronizing: false)
        #expect(mode(of: path) == S_IFREG | 0o600)
    }

    @Test(arguments: [true, false])
    func `leaves nothing when it goes away`(nameless: Bool) throws {
        // Alamofire#1093, AndersCan/justus#90: temporary files were never removed.
        let directory = try #require(directory)
        do { _ = try SpoolFile(in: directory.path, nameless: nameless).descriptor }
        #expect(try directory.names.isEmpty)
    }

    @Test(arguments: [true, false])
    func `does not replace a file unless it is told to`(nameless: Bool) throws {
        let directory = try #require(directory)
        let path = try directory.file("body", [9])
        let error = #expect(throws: SystemError.self) {
            try SpoolFile(in: directory.path, nameless: nameless)
                .commit(to: path, replacing: false, synchronizing: false)
        }
        #expect(error == SystemError(call: .linkat, code: EEXIST))
        #expect(try bytes(ofFile: path) == [9])
        let spool = try SpoolFile(in: directory.path, nameless: nameless)
        #expect(writeBytes([1], to: spool.descriptor) == 1)
        try spool.commit(to: path, replacing: true, synchronizing: true)
        #expect(try bytes(ofFile: path) == [1])
        #expect(try directory.names == ["body"])
    }

    @Test(arguments: [true, false], ["target", "missing"])
    func `follows no symbolic link in the last component`(nameless: Bool, to target: String) throws
    {
        let directory = try #require(directory)
        _ = try directory.file("target", [7])
        let link = "\(directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: SystemError(call: .linkat, code: EEXIST)) {
            try SpoolFile(in: directory.path, nameless: nameless)
                .commit(to: link, replacing: false, synchronizing: false)
        }
        try SpoolFile(in: directory.path, nameless: nameless)
            .commit(to: link, replacing: true, synchronizing: false)
        #expect(mode(of: link).map { $0 & S_IFMT } == S_IFREG)
        #expect(try bytes(ofFile: "\(directory.path)/target") == [7])
        #expect(try directory.names == ["link", "target"])
    }

    @Test(arguments: [true, false])
    func `says what is wrong with the place`(nameless: Bool) throws {
        let directory = try #require(directory)
        let file = try directory.file("file")
        for (path, code) in [("/no/such/directory", ENOENT), (file, ENOTDIR), ("a\u{0}b", EINVAL)] {
            #expect(throws: SystemError(call: .open, code: code)) {
                _ = try SpoolFile(in: path, nameless: nameless).descriptor
            }
        }
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/taken",
            withIntermediateDirectories: false
        )
        #expect(throws: SystemError(call: .rename, code: EISDIR)) {
            try SpoolFile(in: directory.path, nameless: nameless)
                .commit(to: "\(directory.path)/taken", replacing: true, synchronizing: false)
        }
        #expect(throws: SystemError(call: .open, code: EINVAL)) {
            try SpoolFile(in: directory.path, nameless: nameless)
                .commit(to: "\(file)\u{0}.body", replacing: false, synchronizing: false)
        }
        #expect(try directory.names == ["file", "taken"])
    }

    @Test func `takes a new name without links, and nobody's file with it`() throws {
        let directory = try #require(directory)
        let source = try directory.file("source", [1])
        let path = "\(directory.path)/body"
        try SpoolFile.rename(source, toNew: path)
        #expect(try bytes(ofFile: path) == [1])
        #expect(try directory.names == ["body"])
        let second = try directory.file("second", [2])
        #expect(throws: SystemError(call: .open, code: EEXIST)) {
            try SpoolFile.rename(second, toNew: path)
        }
        #expect(throws: SystemError(call: .rename, code: ENOENT)) {
            try SpoolFile.rename("\(directory.path)/gone", toNew: "\(directory.path)/new")
        }
        #expect(try bytes(ofFile: path) == [1])
        #expect(try directory.names == ["body", "second"])
    }

    @Test func `a sweep removes what the dead have left and nothing else`() throws {
        // Alamofire#1742, spacecloud#1245, churchlab/millstone#700
        let directory = try #require(directory)
        _ = try directory.file(".multipart-dead1.spool", [1])
        _ = try directory.file(".multipart-dead2.spool")
        _ = try directory.file("multipart-x.body")
        _ = try directory.file(".multipart-x.other")
        let living = try SpoolFile(in: directory.path, nameless: false)
        #expect(try directory.names.count == 5)
        #expect(try MultipartWriter.sweepAbandonedSpools(in: directory.path) == 2)
        #expect(try directory.names.count == 3)
        try living.commit(to: "\(directory.path)/body", replacing: false, synchronizing: false)
        #expect(try directory.names == [".multipart-x.other", "body", "multipart-x.body"])
        #expect(try MultipartWriter.sweepAbandonedSpools(in: directory.path) == 0)
        #expect(throws: MultipartError.self) {
            try MultipartWriter.sweepAbandonedSpools(in: "/no/such/directory")
        }
    }

    @Test func `a killed process leaves a spool that a sweep can tell`() async throws {
        let marker = "\(NSTemporaryDirectory())/multipart-killed-\(getpid())"
        try FileManager.default.createDirectory(atPath: marker, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: marker) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let marker = "\(NSTemporaryDirectory())/multipart-killed-\(getppid())"
            let spool = try SpoolFile(in: marker, nameless: false)
            #expect(writeBytes([1], to: spool.descriptor) == 1)
            kill(getpid(), SIGKILL)
            // The signal may arrive a little later, and the spool must live until then.
            sleep(60)
            try spool.commit(to: "\(marker)/body", replacing: false, synchronizing: false)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: marker)
        #expect(left.count == 1)
        #expect(try MultipartWriter.sweepAbandonedSpools(in: marker) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: marker).isEmpty)
    }

    @Test func `sweeps never take a spool that is being made`() async throws {
        let directory = try #require(directory)
        let path = directory.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<2 {
                group.addTask {
                    for number in 0..<200 {
                        let isReplacing = number % 2 == 0
                        try SpoolFile(in: path, nameless: isReplacing && worker == 0).commit(
                            to: "\(path)/body-\(worker)-\(number)",
                            replacing: isReplacing,
                            synchronizing: false
                        )
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 { _ = try SpoolFile.sweep(path) }
            }
            try await group.waitForAll()
        }
        #expect(try directory.names.count == 400)
    }
}
