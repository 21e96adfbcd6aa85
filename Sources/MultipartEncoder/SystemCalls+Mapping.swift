// Files as memory.
import CSystemCalls

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Maps a file's first bytes, at least one, to be read from front to back.
func systemMap(_ descriptor: CInt, count: Int) throws(SystemError) -> UnsafeRawBufferPointer {
    precondition(count > 0, "nothing can't be mapped")
    let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard unsafe start != MAP_FAILED, let start = unsafe start else {
        throw SystemError(call: .mmap, code: errno)
    }
    unsafe madvise(start, count, MADV_SEQUENTIAL)  // only advice, so its result doesn't matter
    return unsafe UnsafeRawBufferPointer(start: start, count: count)
}

func systemUnmap(_ memory: UnsafeRawBufferPointer) {
    unsafe munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
}
