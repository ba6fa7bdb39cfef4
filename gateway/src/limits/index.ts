export { type Concurrency, createConcurrency } from './concurrency.ts';
export { type RateLimit, type RateLimiter, type RateUnit, type RateVerdict, WINDOW_MS } from './limiter.ts';
export { createMemoryRateLimiter } from './memory.ts';
