import CPNG

/// Threads that compress strips of images.
///
/// They are started by the first image that is large enough, and are gone when this goes away.
@safe struct PNGPipeline: ~Copyable {
    /// Can't outlive the pipeline.
    let handle: PNGPipelineHandle

    /// A pipeline for so many threads, the calling one among them; `nil` for one a processor.
    init(threads: Int?) throws(PNGInterruption) {
        precondition(threads ?? 1 >= 1, "at least the calling thread has to work")
        let count = UInt32(clamping: threads ?? systemProcessorCount())
        guard let created = unsafe cpng_pipeline_create(count) else {
            throw .image(.outOfMemory)
        }
        unsafe handle = PNGPipelineHandle(pointer: created)
    }

    deinit { unsafe cpng_pipeline_destroy(handle.pointer) }

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
            unsafe cpng_pipeline_write(handle.pointer, jobs, jobs.count, callbacks)
        }
        unsafe try images[failedImage].0.check(status, output, handle.failure.bad)
    }

    /// Which of the images that were to be written last has failed.
    var failedImage: Int { unsafe handle.failure.image }
}

/// A pipeline that somebody else owns, for images whose rows come bit by bit.
@unsafe struct PNGPipelineHandle {
    let pointer: OpaquePointer

    var failure: cpng_failure { unsafe cpng_pipeline_failure(pointer) }

    /// Starts an image, which must be there until ``finishRows(of:into:)`` or ``cancelRows()``.
    func beginRows(of image: PNGHandles, _ level: cpng_level) {
        let job = unsafe cpng_job(picture: image.picture, writer: image.writer, level: level)
        unsafe cpng_pipeline_begin_rows(pointer, job)
    }

    /// Takes the next rows, which are copied.
    func addRows(
        _ rows: UnsafePointer<UInt8>,
        stride: Int,
        count: Int,
        of image: PNGHandles,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { callbacks, _ in
            unsafe cpng_pipeline_add_rows(pointer, callbacks, rows, stride, UInt32(count))
        }
        unsafe try image.check(status, output, failure.bad)
    }

    /// Writes what is still on its way.
    func finishRows(
        of image: PNGHandles,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { callbacks, _ in
            unsafe cpng_pipeline_finish_rows(pointer, callbacks)
        }
        unsafe try image.check(status, output, failure.bad)
    }

    /// Waits until nothing is on its way any more, and drops it.
    func cancelRows() { unsafe cpng_pipeline_cancel_rows(pointer) }
}
