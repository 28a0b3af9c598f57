/* Part of fake_cuda.c: kernels whose end a test says, as those of NCCL, which wait for other ranks.
 */
/* A kernel runs behind what is in the stream, until the next call without one. When it begins. */
EXPORT uint64_t fake_cuda_hold(struct stream *stream, const char *kernel)
{
    const uint64_t now = now_ns();
    pthread_mutex_lock(&lock);
    const struct device_work work = {
        .kernel = stream->held, .start_ns = stream->end_ns, .end_ns = now};
    if (kernel == NULL && observer != NULL)
        observer(&work);
    if (kernel == NULL || stream->end_ns < now)
        stream->end_ns = now;
    const uint64_t begin_ns = stream->end_ns;
    __atomic_store_n(&stream->held, kernel, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return begin_ns;
}
