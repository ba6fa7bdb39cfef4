/** The environment that images give their programs. */
export const IMAGE_ENVIRONMENT = { NODE_ENV: 'production' } as const;

/**
 * glibc gives memory back only from the end of its heaps. With these a gateway has two heaps for all threads, and blocks
 * from 2 MiB on, such as the program's own source, are given back when they are free: 10 MB less when idle. What is
 * smaller, such as bodies of 1 MiB, stays in the heap to be used again, up to 64 MiB at its end.
 */
export const GATEWAY_ENVIRONMENT = {
  ...IMAGE_ENVIRONMENT,
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '2097152',
  MALLOC_TRIM_THRESHOLD_: '67108864',
} as const;
