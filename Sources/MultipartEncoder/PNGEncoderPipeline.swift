import CPNG

/// Threads that compress strips of images.
///
/// They are started by the first image that is large enough, and are gone when this goes away.
@safe struct PNGPipeline: ~Copyable {
    private let handle: OpaquePointer

    /// A pipeline for so many threads, the calling one among them; `nil` for one a processor.
    init(threads: Int?) throws(PNGInterruption) {
        precondition(threads ?? 1 >= 1, "at least the calling thread has to work")
        let count = UInt32(clamping: threads ?? systemProcessorCount())
        guard let created = unsafe cpng_pipeline_create(count) else {
            throw .image(.outOfMemory)
        }
        unsafe handle = created
    }

    deinit { unsafe cpng_pipeline_destroy(handle) }

    /// Compresses images and writes them in order.
    func write(
        _ images: [(PNGHandles, cpng_level)],
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        if unsafe images.isEmpty { return }
        let jobs = unsafe images.map { handles, level in
            unsafe cpng_job(picture: handles.picture, writer: handles.writer, level: level)
        }
        let status = unsafe output.withCallbacks { callbacks, _ in
            unsafe cpng_pipeline_write(handle, jobs, jobs.count, callbacks)
        }
        let failure = unsafe cpng_pipeline_failure(handle)
        unsafe try images[failure.image].0.check(status, output, failure.bad)
    }

    /// Which of the images that were to be written last has failed.
    var failedImage: Int { unsafe cpng_pipeline_failure(handle).image }

    /// Starts an image whose rows come one by one, which must outlive ``finishRows(_:into:)``.
    @unsafe func beginRows(_ image: PNGHandles, _ level: cpng_level) {
        let job = unsafe cpng_job(picture: image.picture, writer: image.writer, level: level)
        unsafe cpng_pipeline_begin_rows(handle, job)
    }

    /// Takes the next rows, which are copied.
    @unsafe func addRows(
        _ rows: UnsafePointer<UInt8>,
        stride: Int,
        count: Int,
        of image: PNGHandles,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { callbacks, _ in
            unsafe cpng_pipeline_add_rows(handle, callbacks, rows, stride, UInt32(count))
        }
        unsafe try image.check(status, output, cpng_pipeline_failure(handle).bad)
    }

    /// Writes what is still on its way.
    @unsafe func finishRows(
        of image: PNGHandles,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { callbacks, _ in
            unsafe cpng_pipeline_finish_rows(handle, callbacks)
        }
        unsafe try image.check(status, output, cpng_pipeline_failure(handle).bad)
    }

    /// Waits until nothing is on its way any more, and drops it.
    func cancelRows() { unsafe cpng_pipeline_cancel_rows(handle) }
}
