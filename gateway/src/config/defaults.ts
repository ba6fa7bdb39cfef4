/** Default numbers of the data plane, each with its unit and reason. */

import { DEFAULT_JSON_LIMITS } from '../lib/json/index.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const DEFAULTS = {
  port: 8787,
  adminPort: 8789,
  /** MB. Images and documents are sent inside JSON; providers accept about as much. */
  maxJsonMegabytes: 32,
  /** Depth, nodes and string length of JSON, before it is parsed. */
  json: DEFAULT_JSON_LIMITS,
  /** Forms and binary bodies up to here can be sent again. */
  replayBytes: 8 * MIB,
  /** Recordings and images, with room beyond what providers take. */
  maxFormBytes: 512 * MIB,
  /** Recordings that providers take (25 MB), and what is before the model beside them. */
  formModelBytes: 32 * MIB,
  /** Share of the memory that may hold bytes of requests and answers, by whichever of the two is smaller. */
  bufferedShare: { container: 0.25, heap: 0.5 },
  /** Room for a few ordinary requests, whatever the memory. */
  minBufferedBytes: 16 * MIB,
  /** Longest wait for the next bytes of a request body. */
  bodyIdleTimeoutMs: 30 * SECOND,
  /** Far below the slowest mobile connection; ends bodies sent byte by byte. */
  minBodyBytesPerSecond: 500,
  /** Requests and streams of one key in one process: as many as connections to one provider. */
  concurrentRequestsPerKey: 2_000,
  /** A Redis nearby answers in less than one; each request with a limit may wait for it twice. */
  limitsTimeoutMs: 10,
  /** Calls to providers that one request may cause: ten targets with all their retries. */
  attemptsPerRequest: 50,
  /** A unary answer is held until it is complete. */
  maxResponseBytes: 64 * MIB,
  /** Reasoning models think for minutes before the first header. */
  headersTimeoutMs: 15 * MINUTE,
  /** Longest silence in the middle of an answer. */
  idleTimeoutMs: 120 * SECOND,
  connectTimeoutMs: 10 * SECOND,
  /** One HTTP/1.1 connection carries one stream: room for a thousand streams to one provider, bounded. */
  connectionsPerOrigin: 2_048,
  /** A hop further away than Redis, with TLS to set up at first; after three calls without an answer no request waits. */
  fleetCountersTimeoutMs: 500,
  /** Idle connections to providers. */
  upstreamKeepAliveMs: 60 * SECOND,
  /** Longer than the idle time of common load balancers (600 s), so that the balancer closes first. */
  serverKeepAliveMs: 620 * SECOND,
  /** A large upload on a slow connection. */
  serverRequestTimeoutMs: 15 * MINUTE,
  serverHeadersTimeoutMs: MINUTE,
  /** Configs and metadata travel in headers. */
  maxHeaderBytes: 256 * KIB,
  /** A connection older than this, give or take a fifth, is closed after its request, so that new pods get load. */
  maxConnectionAgeMs: 10 * MINUTE,
  /** Files of a TLS certificate are read again so often; kubelets replace them within a minute or two. */
  certificateCheckMs: 5 * SECOND,
  /** Load balancers learn late that a pod is no longer ready. */
  drainAcceptMs: 8 * SECOND,
  /** Streams of reasoning models last minutes. */
  drainDeadlineMs: 5 * MINUTE,
  realtime: {
    /** The largest event that OpenAI takes, audio in base64, is 15 MiB. */
    messageBytes: 16 * MIB,
    /** Sessions in which nobody says anything. */
    idleMs: 10 * MINUTE,
    /** Providers end sessions after an hour at most. */
    sessionMs: 2 * 60 * MINUTE,
    /** Shorter than the idle time of common load balancers (60 s). */
    pingMs: 30 * SECOND,
  },
  cacheMemoryBytes: 128 * MIB,
  semanticCacheBytes: 64 * MIB,
  /** One cached answer, streams included. */
  cacheEntryBytes: 4 * MIB,
  /** Age of a Snapshot on disk that a restarted container may still serve. */
  snapshotMaxAgeHours: 24,
  /** As OpenTelemetry sets them. */
  spanQueue: { maxSpans: 2_048, batchSpans: 512, delayMs: 5 * SECOND },
  /** Of an attribute with messages. */
  spanContentChars: 32_768,
  /** One export of spans, its retries included. */
  otlpTimeoutMs: 10 * SECOND,
  /** Address of a collector on the same machine. */
  otlpEndpoint: 'http://localhost:4318',
  /** Where a collector listens for gRPC. */
  otlpGrpcEndpoint: 'http://localhost:4317',
  /** Bytes at the end of an answer that are searched for token usage after it was sent. */
  usageTailBytes: 16 * KIB,
} as const;

export interface ProcessMemory {
  /** What the container or the machine grants, in bytes. */
  readonly container: number;
  /** Largest heap in bytes: parsed bodies live there. */
  readonly heap: number;
}

/** Bytes of requests and answers that may be in memory at once; leaves room for everything else in the process. */
export function bufferedBytesFor({ container, heap }: ProcessMemory): number {
  const { bufferedShare, minBufferedBytes } = DEFAULTS;
  const share = Math.min(container * bufferedShare.container, heap * bufferedShare.heap);
  return Math.max(minBufferedBytes, Math.floor(share));
}
