/** What a load does, and what goes between the test and the process that makes it. */
import { z } from 'zod';
import type { LoadReport } from './ledger.ts';

export const loadTask = z.object({
  /** Base URLs by name, without `/v1`; used in turn. Several addresses tell whose failures they were. */
  targets: z.record(z.string(), z.string()),
  headers: z.record(z.string(), z.string()),
  requestsPerSecond: z.number(),
  /** Held open: one that ends is replaced. */
  streams: z.number(),
  /** Model of the requests and of the streams: mock-slow-… sets the pace of a stream. */
  model: z.string(),
  streamModel: z.string(),
});
export type LoadTask = z.infer<typeof loadTask>;

/** From the test: begin, say how it stands, send nothing new and say so when all is answered. */
export const order = z.discriminatedUnion('order', [
  z.object({ order: z.literal('start'), task: loadTask }),
  z.object({ order: z.literal('report') }),
  z.object({ order: z.literal('finish') }),
]);
export type Order = z.infer<typeof order>;

export type Reply = { readonly order: Order['order']; readonly report: LoadReport };
