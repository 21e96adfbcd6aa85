/// MIME types by filename extension.
package enum MediaType {
    package static let binary = "application/octet-stream"
    package static let text = "text/plain"

    /// The type of a part: what the caller says, else what the filename says.
    ///
    /// An empty type is the browsers' "unknown".
    package static func resolve(_ type: String?, filename: String) -> String {
        switch type {
        case nil: forFilename(filename)
        case "": binary
        case let type?: type
        }
    }

    /// The type that a filename's extension stands for, `application/octet-stream` if none.
    package static func forFilename(_ filename: String) -> String {
        FilePath.pathExtension(of: filename).flatMap { byExtension[$0] } ?? binary
    }

    /// What people upload, by type.
    ///
    /// Text types have no `charset`: the file alone knows.
    private static let extensions: KeyValuePairs<String, String> = [
        "application/epub+zip": "epub",
        "application/geo+json": "geojson",
        "application/gzip": "gz tgz",
        "application/java-archive": "jar",
        "application/json": "json",
        "application/ld+json": "jsonld",
        "application/manifest+json": "webmanifest",
        "application/msword": "doc dot",
        "application/pdf": "pdf",
        "application/pgp-signature": "sig asc",
        "application/pkcs8": "p8",
        "application/postscript": "ps eps ai",
        "application/rtf": "rtf",
        "application/sql": "sql",
        "application/vnd.android.package-archive": "apk",
        "application/vnd.apple.keynote": "key",
        "application/vnd.apple.numbers": "numbers",
        "application/vnd.apple.pages": "pages",
        "application/vnd.google-earth.kml+xml": "kml",
        "application/vnd.google-earth.kmz": "kmz",
        "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.oasis.opendocument.presentation": "odp",
        "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.rar": "rar",
        "application/vnd.sqlite3": "sqlite sqlite3 db",
        "application/wasm": "wasm",
        "application/x-7z-compressed": "7z",
        "application/x-apple-diskimage": "dmg",
        "application/x-bzip2": "bz2",
        "application/x-ndjson": "ndjson jsonl",
        "application/x-sh": "sh",
        "application/x-tar": "tar",
        "application/x-xz": "xz",
        "application/xhtml+xml": "xhtml",
        "application/xml": "xml xsd xsl",
        "application/yaml": "yaml yml",
        "application/zip": "zip",
        "application/zstd": "zst",
        "audio/aac": "aac",
        "audio/aiff": "aif aiff",
        "audio/amr": "amr",
        "audio/flac": "flac",
        "audio/midi": "mid midi",
        "audio/mp4": "m4a m4b",
        "audio/mpeg": "mp3",
        "audio/ogg": "ogg oga opus",
        "audio/wav": "wav",
        "audio/x-caf": "caf",
        "audio/x-ms-wma": "wma",
        "font/otf": "otf",
        "font/ttf": "ttf",
        "font/woff": "woff",
        "font/woff2": "woff2",
        "image/apng": "apng",
        "image/avif": "avif",
        "image/bmp": "bmp",
        "image/gif": "gif",
        "image/heic": "heic",
        "image/heif": "heif",
        "image/jp2": "jp2",
        "image/jpeg": "jpg jpeg jpe",
        "image/jxl": "jxl",
        "image/png": "png",
        "image/svg+xml": "svg",
        "image/tiff": "tif tiff",
        "image/vnd.adobe.photoshop": "psd",
        "image/vnd.microsoft.icon": "ico",
        "image/webp": "webp",
        "image/x-adobe-dng": "dng",
        "image/x-canon-cr2": "cr2",
        "image/x-exr": "exr",
        "image/x-nikon-nef": "nef",
        "image/x-portable-anymap": "pnm pam",
        "image/x-portable-bitmap": "pbm",
        "image/x-portable-graymap": "pgm",
        "image/x-portable-pixmap": "ppm",
        "image/x-sony-arw": "arw",
        "message/rfc822": "eml",
        "model/gltf+json": "gltf",
        "model/gltf-binary": "glb",
        "model/obj": "obj",
        "model/stl": "stl",
        "model/vnd.usdz+zip": "usdz",
        "text/calendar": "ics",
        "text/css": "css",
        "text/csv": "csv",
        "text/html": "html htm",
        "text/javascript": "js mjs",
        "text/markdown": "md markdown",
        "text/plain": "txt text log ini conf",
        "text/tab-separated-values": "tsv",
        "text/vcard": "vcf",
        "text/vtt": "vtt",
        "video/3gpp": "3gp",
        "video/mp2t": "ts mts m2ts",
        "video/mp4": "mp4 m4v",
        "video/mpeg": "mpg mpeg",
        "video/ogg": "ogv",
        "video/quicktime": "mov qt",
        "video/webm": "webm",
        "video/x-matroska": "mkv",
        "video/x-ms-wmv": "wmv",
        "video/x-msvideo": "avi",
    ]

    private static let byExtension: [String: String] = {
        var table: [String: String] = [:]
        for (type, letters) in extensions {
            for letters in letters.split(separator: " ") { table[String(letters)] = type }
        }
        return table
    }()
}
