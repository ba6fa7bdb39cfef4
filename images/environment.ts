/** The environment that images give their programs. */
export const IMAGE_ENVIRONMENT = { NODE_ENV: 'production' } as const;

/**
 * glibc returns memory to the system only from the end of its heaps. With these settings a gateway has two heaps for all threads,
 * and free blocks from 2 MiB on are returned: 10 MB less when idle. Smaller blocks, such as bodies of 1 MiB, are kept for reuse, up
 * to 64 MiB at the end of the heap. The option of Node lets the gateway return what loading its modules took: 14 MB.
 */
export const GATEWAY_ENVIRONMENT = {
  ...IMAGE_ENVIRONMENT,
  NODE_OPTIONS: '--expose-gc',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '2097152',
  MALLOC_TRIM_THRESHOLD_: '67108864',
} as const;

/** A container is reached through the ports that are published; status and metrics stay inside. */
export const STANDALONE_ENVIRONMENT = {
  ...IMAGE_ENVIRONMENT,
  HOST: '0.0.0.0',
  GATEHOUSE_ADMIN_HOST: '127.0.0.1',
} as const;
