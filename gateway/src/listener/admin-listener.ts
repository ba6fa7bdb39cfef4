/** The admin listener: metrics, probes and the state of the Snapshot. Never public. */
import { hash, timingSafeEqual } from 'node:crypto';
import { gatewaysOf, VIA_HEADER } from '@gatehouse/crds/hosts';
import { compareRevisions, type Revision } from '@gatehouse/crds/snapshot';
import { USAGE_PATH, usageTotals } from '@gatehouse/crds/usage';
import { type FastifyInstance, fastify } from 'fastify';
import { CATALOGUE_SOURCE } from '../cost/index.ts';
import type { Secret } from '../lib/secret.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import { OPEN_METRICS_TYPE, wantsOpenMetrics } from '../telemetry/index.ts';
import type { UsageReports } from '../usage-report/index.ts';
import { toListener } from './connections/close.ts';
import type { ListenAddress, Listener } from './listener.ts';
import { WITHOUT_SCHEMAS } from './without-schemas.ts';

export interface AdminPorts {
  readonly snapshots: Pick<SnapshotHolder, 'status' | 'onChange'>;
  readonly metrics:
    | {
        text(): Promise<string>;
        readonly contentType: string;
        /** In OpenMetrics format; absent: only the classic one is served. */
        openMetrics?(): Promise<string>;
      }
    | undefined;
  /** What budgets have used; undefined: it is not reported here. */
  readonly usage: UsageReports | undefined;
  readonly version: string;
  /** False from the first moment of a drain. */
  isAccepting(): boolean;
  /** Details of the source of the Snapshot, e.g. files with errors. */
  sourceStatus(): object | undefined;
  /** Where limits are counted; undefined, as a whole or its answer: by this machine alone, by intent. */
  readonly limits?: { current(): object | undefined; onChange(listener: () => void): () => void } | undefined;
  /** Bearer token of `/internal/*`; undefined: no token is needed. */
  readonly token: Secret | undefined;
}

/** Longest wait of a long poll in ms; the operator gives up 10 s later. */
const LONG_POLL_MS = 30_000;
/** Of as many totals as one call may have, with the longest ids. */
const MAX_TOTALS_BYTES = 4 * 1024 * 1024;

export function createAdminListener(address: ListenAddress, ports: AdminPorts): Listener {
  return toListener(createApp(ports), address);
}

function createApp(ports: AdminPorts): FastifyInstance {
  const { snapshots, metrics, version } = ports;
  const app = fastify({ ...WITHOUT_SCHEMAS, forceCloseConnections: true });
  app.addHook('onRequest', async (request, reply) => {
    if (gatewaysOf(request.headers[VIA_HEADER]).length === 0) return;
    return reply.code(403).send({ error: { message: 'Gateways have no business here', code: 'forbidden' } });
  });
  let changes = 0;
  const onChange: AdminPorts['snapshots']['onChange'] = (listener) => {
    const stops = [snapshots.onChange(listener), ports.limits?.onChange(() => listener(snapshots.status))];
    return () => {
      for (const stop of stops) stop?.();
    };
  };
  onChange(() => {
    changes += 1;
  });
  const isReady = () => ports.isAccepting() && snapshots.status.version !== undefined;
  app.get('/livez', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) =>
    reply.code(isReady() ? 200 : 503).send({ status: isReady() ? 'ok' : 'not ready', version }),
  );
  if (metrics !== undefined) {
    app.get('/metrics', async ({ headers }, reply) => {
      reply.header('vary', 'accept');
      const isOpen = metrics.openMetrics !== undefined && wantsOpenMetrics(headers.accept);
      const text = isOpen ? await metrics.openMetrics?.() : await metrics.text();
      return reply.type(isOpen ? OPEN_METRICS_TYPE : metrics.contentType).send(text);
    });
  }
  app.register(async (internal) => {
    internal.addHook('onRequest', async (request, reply) => {
      if (ports.token === undefined || isBearer(request.headers.authorization, ports.token)) return;
      return reply.code(401).send({ error: { message: 'The token is missing or wrong', code: 'unauthorized' } });
    });
    internal.get('/internal/status', async () => ({
      version,
      snapshot: snapshots.status,
      limits: ports.limits?.current(),
      source: ports.sourceStatus(),
      prices: CATALOGUE_SOURCE,
    }));
    internal.get<{ Querystring: SnapshotQuery }>('/internal/snapshot', async ({ query }) => {
      // An operator without epochs waits for the version in whatever epoch there is.
      const epoch = query.epoch === undefined ? snapshots.status.epoch : toCount(query.epoch);
      const wanted = { epoch, version: toCount(query.wait) };
      // What changed between two polls is no change that the second one would see.
      const isNew = query.changes !== undefined && toCount(query.changes) !== changes;
      if (!isNew)
        await waitForVersion({ status: snapshots.status, onChange }, wanted, AbortSignal.timeout(LONG_POLL_MS));
      return { ...snapshots.status, changes, limits: ports.limits?.current() };
    });
    if (ports.usage !== undefined) serveUsage(internal, ports.usage);
  });
  return app;
}

interface SnapshotQuery {
  readonly wait?: string;
  readonly epoch?: string;
  /** `changes` of the last answer. */
  readonly changes?: string;
}

function serveUsage(internal: FastifyInstance, usage: UsageReports): void {
  internal.get<{ Querystring: { process?: string; after?: string } }>(USAGE_PATH, async ({ query }) => {
    if (query.process === undefined) return usage.current();
    const cursor = { process: query.process, after: toCount(query.after) };
    return usage.changes(cursor, AbortSignal.timeout(LONG_POLL_MS));
  });
  internal.post(USAGE_PATH, { bodyLimit: MAX_TOTALS_BYTES }, async (request, reply) => {
    const given = usageTotals.safeParse(request.body);
    if (!given.success) {
      return reply.code(400).send({ error: { message: 'The body is no list of totals', code: 'invalid_request' } });
    }
    usage.seed(given.data.totals);
    return reply.code(204).send();
  });
}

/** Compares hashes, so that the time it takes does not depend on the token. */
function isBearer(header: string | undefined, token: Secret): boolean {
  const [given, wanted] = [header ?? '', `Bearer ${token.reveal()}`].map((text) => hash('sha256', text, 'buffer'));
  return given !== undefined && wanted !== undefined && timingSafeEqual(given, wanted);
}

function toCount(text: string | undefined): number {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) ? count : 0;
}

/** Resolves when the loaded or refused revision is `wanted` or later, at the next load or refusal, or when the signal ends. */
export function waitForVersion(
  snapshots: AdminPorts['snapshots'],
  wanted: Revision,
  signal: AbortSignal,
): Promise<void> {
  const { version = 0, epoch, rejected } = snapshots.status;
  const isThere =
    compareRevisions({ epoch, version }, wanted) >= 0 ||
    (rejected !== undefined && compareRevisions(rejected, wanted) >= 0);
  if (isThere || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const stop = snapshots.onChange(finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
