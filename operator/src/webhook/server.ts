/** The HTTPS server for admission reviews. */
import type { Server } from 'node:https';
import { type FastifyInstance, fastify } from 'fastify';
import { type Certificates, tlsOf } from '../certificates/index.ts';
import type { Log } from '../runtime/index.ts';
import { type AdmissionRequest, type AdmissionResponse, parseReview, toReview } from './admission.ts';

/** One answered review. */
export interface ReviewReport {
  readonly path: string;
  readonly outcome: 'allowed' | 'patched' | 'refused' | 'failed';
  readonly seconds: number;
}

export type Review = (request: AdmissionRequest) => AdmissionResponse;

export interface AdmissionServerOptions {
  readonly certificates: Pick<Certificates, 'current' | 'subscribe'>;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** PEM of the authorities for client certificates; absent: none is required. */
  readonly clientCaPem?: string | undefined;
  /** By path. */
  readonly reviews: Readonly<Record<string, Review>>;
  readonly log: Log;
  readonly onReview: (report: ReviewReport) => void;
}

export interface AdmissionServer extends AsyncDisposable {
  readonly port: number;
}

/** Two versions of an object, each below the 1.5 MiB of etcd, with everything escaped. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** For a review to arrive whole. */
const REQUEST_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** API servers open one per call in flight, and kubelets none. */
const MAX_CONNECTIONS = 256;
/**
 * Reviews whose bodies are held at the same time; with the largest bodies they stay within the memory of the operator.
 */
const MAX_AT_ONCE = 24;
/** Bounds the lifetime of connections with many requests. */
const MAX_REQUESTS_PER_CONNECTION = 1_000;

/** Listens, and replaces certificates without closing connections. */
export async function startAdmissionServer(options: AdmissionServerOptions): Promise<AdmissionServer> {
  const { certificates, host, port, reviews, clientCaPem } = options;
  const trust = clientCaPem === undefined ? {} : { ca: clientCaPem, requestCert: true, rejectUnauthorized: true };
  const app = fastify({
    https: { ...tlsOf(certificates.current), ...trust, handshakeTimeout: REQUEST_MS, maxHeaderSize: MAX_HEADER_BYTES },
    maxRequestsPerSocket: MAX_REQUESTS_PER_CONNECTION,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  boundReviews(app);
  for (const [path, review] of Object.entries(reviews)) addReview(app, path, { review, options });
  const subscription = certificates.subscribe((certificate) =>
    app.server.setSecureContext({ ...tlsOf(certificate), ...trust }),
  );
  await app.listen({ host, port });
  const address = app.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      subscription[Symbol.dispose]();
      await app.close();
    },
  };
}

/** Refuses reviews beyond the limit before their bodies are read. */
function boundReviews(app: FastifyInstance<Server>): void {
  let atOnce = 0;
  app.addHook('onRequest', (_request, reply, next) => {
    if (atOnce >= MAX_AT_ONCE) {
      reply.code(503).header('retry-after', '1').header('connection', 'close').send();
      return;
    }
    atOnce += 1;
    reply.raw.once('close', () => {
      atOnce -= 1;
    });
    next();
  });
}

interface Route {
  readonly review: Review;
  readonly options: AdmissionServerOptions;
}

function addReview(app: FastifyInstance<Server>, path: string, { review, options }: Route): void {
  app.post(path, (request, reply) => {
    const started = performance.now();
    const report = (outcome: ReviewReport['outcome']): void =>
      options.onReview({ path, outcome, seconds: (performance.now() - started) / 1000 });
    const asked = parseReview(request.body);
    if (!asked.ok) {
      report('failed');
      return reply.code(400).send({ message: asked.error });
    }
    try {
      const answer = review(asked.value);
      report(outcomeOf(answer));
      return reply.send(toReview(asked.value, answer));
    } catch (error) {
      // The failure policy decides about the write.
      const { kind, namespace, name } = asked.value;
      options.log.error({ err: error, path, kind: kind.kind, namespace, name }, 'Could not review a write');
      report('failed');
      return reply.code(500).send({ message: 'the review failed' });
    }
  });
}

function outcomeOf(answer: AdmissionResponse): ReviewReport['outcome'] {
  if (!answer.allowed) return 'refused';
  return (answer.patch ?? []).length > 0 ? 'patched' : 'allowed';
}
