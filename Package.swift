// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
]
let cSettings: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

let package = Package(
    name: "MultipartEncoder",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "MultipartEncoder", targets: ["MultipartEncoder"]),
        .library(name: "MultipartUpload", targets: ["MultipartUpload"]),
        .executable(name: "encode-bench", targets: ["encode-bench"]),
        .executable(name: "multipart", targets: ["multipart"]),
        .executable(name: "multipart-upload", targets: ["multipart-upload"]),
    ],
    targets: [
        .systemLibrary(
            name: "Clibpng",
            pkgConfig: "libpng",
            providers: [.apt(["libpng-dev", "zlib1g-dev"]), .brew(["libpng"])]
        ),
        .systemLibrary(
            name: "Clibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(
            name: "CCurl",
            dependencies: [.target(name: "Clibcurl", condition: .when(platforms: [.linux]))],
            cSettings: cSettings
        ),
        .target(
            name: "CPNG",
            dependencies: ["Clibpng"],
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("z")]
        ),
        .target(name: "CSystemCalls", cSettings: cSettings),
        .target(
            name: "MultipartEncoder",
            dependencies: ["CPNG", "CSystemCalls"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MultipartUpload",
            dependencies: [
                "MultipartEncoder", "CSystemCalls",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "CBench",
            dependencies: ["CPNG", "Clibpng"],
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("z")]
        ),
        .executableTarget(
            name: "encode-bench",
            dependencies: ["MultipartEncoder", "CBench", "CPNGReader"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "upload-bench",
            dependencies: ["MultipartEncoder", "MultipartUpload"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MultipartTool",
            dependencies: ["MultipartEncoder"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "multipart",
            dependencies: ["MultipartEncoder", "MultipartTool"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "multipart-upload",
            dependencies: ["MultipartEncoder", "MultipartTool", "MultipartUpload"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MultipartReference",
            path: "Tests/MultipartReference",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "FuzzTargets",
            dependencies: ["MultipartEncoder", "MultipartReference", "CPNGReader"],
            path: "Fuzz/FuzzTargets",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: ["FuzzTargets"],
            path: "Fuzz/fuzz",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "CPNGReader",
            dependencies: ["Clibpng"],
            path: "Tests/CPNGReader",
            cSettings: cSettings
        ),
        .executableTarget(
            name: "multipart-demo",
            dependencies: ["MultipartEncoder"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "CPNGChecks",
            dependencies: ["CPNG"],
            path: "Tests/CPNGChecks",
            exclude: ["standalone"],
            cSettings: cSettings + [.headerSearchPath("../../Sources/CPNG")]
        ),
        .testTarget(
            name: "MultipartEncoderTests",
            dependencies: [
                "CPNGChecks",
                "MultipartEncoder", "MultipartReference", "FuzzTargets", "CPNG", "CPNGReader",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MultipartUploadTests",
            dependencies: ["MultipartUpload"],
            exclude: ["Servers"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ReadmeTests",
            dependencies: ["MultipartEncoder", "MultipartUpload"],
            swiftSettings: swiftSettings
        ),
    ]
)
