/** One process of the management API in a cluster: a store over the API server, the keys from the operator, and HTTPS. */

import { randomInt } from 'node:crypto';
import { Server as TlsServer } from 'node:tls';
import { ORGANISATION_ID } from '@gatehouse/crds/logs';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { clusterSourceOf, type OperatorOptions, type Variables } from '../../config/index.ts';
import {
  type CallReport,
  createManagementServer,
  createMcpTest,
  createTenancy,
  DatabaseAway,
  OPERATIONS,
  type OutsideWrites,
  type PolicyUsage,
  type Revisions,
  toAuditRecord,
  toLogLine,
} from '../../management/index.ts';
import { createKubernetesStore, type KubernetesStore } from '../../management/store/kubernetes/index.ts';
import {
  createHealth,
  createKubeClient,
  createRuntimeMetrics,
  type Health,
  type KubeClient,
  type Log,
  sleep,
  systemClock,
} from '../../runtime/index.ts';
import { startHealthServer } from '../health-server.ts';
import { collectProcessMetrics } from '../process-metrics.ts';
import { followKeyPair, type KeyPair, readKeyPair } from './certificate-files.ts';
import { createFollowedKeys, type FollowedKeys } from './key-directory.ts';
import { createKeySource, type KeySource } from './key-source.ts';
import { createManagementMetrics } from './metrics.ts';
import { openPeople, type People } from './people.ts';
import { createUsageSource } from './usage-source.ts';

export interface RunManagementOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Of the process: where its own identity for the store of documents is named. */
  readonly variables?: Variables | undefined;
}

const NAME = 'gatehouse-management';
/** The Kind whose versions are listed. */
const VERSIONED = 'GatewayConfig';
/** The API server asks the webhook of the operator, which knows references; here only schemas are known. */
const NO_WORLD = { translatedWorld: () => undefined, isTerminating: () => false };
const RETRY_MS = 1_000;
/** How often a start that waits logs what is missing, in ms. */
const REPORT_MS = 30_000;
/** How long keys are accepted that no operator has confirmed, in ms: as long as an outage that nobody notices. */
const MAX_KEYS_AGE_MS = 3_600_000;
/** Between becoming unready and closing, in ms: gateways learn of it late. */
const DRAIN_MS = 5_000;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomName = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** Serves until the signal ends, then drains. Rejects when it cannot start. */
export async function runManagement(
  options: OperatorOptions,
  { log, signal, variables = {} }: RunManagementOptions,
): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const registry = new Registry();
  collectProcessMetrics(registry);
  const runtime = createRuntimeMetrics(registry);
  const source = clusterSourceOf(options);
  const client = parts.use(
    await createKubeClient({ source, userAgent: NAME, onCall: runtime.onCall, keepsSpecWrites: true }),
  );
  const ending = new AbortController(); // calls outlast the signal while the server drains
  const people = openPeople(options, { log, variables });
  if (people !== undefined) parts.use(people);
  const workspaceOf = (namespace: string): Promise<string | undefined> =>
    workspaceWith(store, namespace, ending.signal);
  const outside = people?.followOutside(workspaceOf);
  const { revisions } = people ?? {};
  const store = createStore(options, { client, log, signal: ending.signal, revisions, outside });
  const keys = createFollowedKeys();
  const operator = {
    url: options.keysUrl ?? new URL(`https://gatehouse-operator.${options.organisationNamespace}.svc:9090`),
    folder: options.keysDir,
    ...{ clock: systemClock, log },
  };
  const keySource = createKeySource({ ...operator, begin: keys.begin });
  const usage = createUsageSource({ ...operator, signal: ending.signal });
  const count = createManagementMetrics(registry, {
    keys: () => keys.size ?? 0,
    keysAgeSeconds: () => ageMsOf(keySource) / 1_000,
    auditDropped: () => people?.dropped ?? 0,
  });
  const health = createHealth();
  addChecks(health, { store, keys, keySource, signal });
  const { port } = parts.use(
    await startHealthServer({ health, registry, host: options.host, port: options.healthPort }),
  );
  log.info({ health: port }, 'Health and metrics are served');
  parts.use(running([store, keySource], ending));
  const pair = await untilReady({ options, store, keys, log, signal });
  if (pair === undefined) return;
  const onSyncFailed = (error: unknown): void =>
    log.warn({ err: error }, 'Memberships of groups could not be written, they are tried again');
  const onCall = reportTo(log, count);
  const called = { pair, store, keys, people, usage, log, onCall, onSyncFailed, signal: ending.signal };
  const app = createServer(options, called);
  const { host, managementPort, managementCertificateDir: folder } = options;
  await app.listen({ host, port: managementPort });
  const follow = { folder, served: pair, apply: applyTo(app), clock: systemClock, log };
  parts.use(running([{ run: (running) => followKeyPair(follow, running) }], ending));
  log.info({ management: portOf(app), operations: OPERATIONS.length }, 'Management API started');
  await drained(app, signal);
}

interface StoreParts {
  readonly client: KubeClient;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly revisions: Revisions | undefined;
  readonly outside: OutsideWrites | undefined;
}

const createStore = (
  { namespaces, caps }: OperatorOptions,
  { revisions, outside, ...parts }: StoreParts,
): KubernetesStore =>
  createKubernetesStore({
    ...parts,
    onChange: {
      changed: (object) => {
        if (object.kind === VERSIONED) revisions?.note(object);
      },
      gone: (kind, uid) => {
        if (kind === VERSIONED) revisions?.forget(uid);
      },
      ...(outside === undefined ? {} : { writtenOutside: outside.note }),
    },
    namespaces: namespaces === 'all' ? 'all' : [...namespaces],
    view: NO_WORLD,
    parse: { caps },
  });

/** The workspace that has a namespace. Throws DatabaseAway while the resources have not been read: it is asked again. */
async function workspaceWith(
  { resources, synced }: KubernetesStore,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = await synced({ signal, timeoutMs: REPORT_MS }).catch(() => undefined); // the signal has ended
  if (read?.ok !== true) throw new DatabaseAway('The resources have not been read yet');
  const all = await resources.list('Workspace');
  return all.find(({ spec }) => spec.namespace === namespace)?.meta.name;
}

interface ServerParts {
  readonly pair: KeyPair;
  readonly store: KubernetesStore;
  readonly keys: FollowedKeys;
  readonly people: People | undefined;
  readonly usage: PolicyUsage;
  readonly log: Log;
  readonly onCall: (report: CallReport) => void;
  readonly onSyncFailed: (error: unknown) => void;
  /** Ends calls to others. */
  readonly signal: AbortSignal;
}

function createServer(
  { organisationNamespace, fleetNamespaces }: OperatorOptions,
  { pair, store: { resources: store }, keys, people, usage, log, onCall, onSyncFailed, signal }: ServerParts,
): FastifyInstance {
  const ownNamespaces = [organisationNamespace, ...fleetNamespaces];
  const tenancy = createTenancy({ store, organisationId: ORGANISATION_ID, organisationNamespace });
  const services = {
    store,
    tenancy,
    database: people?.database,
    ...people?.requestLog,
    revisions: people?.revisions,
    signIn: people?.signIn,
    usage,
    mcpTest: createMcpTest({ reach: 'cluster', ownNamespaces, signal }),
    onSyncFailed,
    randomName,
    now: Date.now,
  };
  const report = (call: CallReport): void => {
    onCall(call);
    if (people === undefined) logRecord(call, log);
    else people.onCall(call);
  };
  return createManagementServer({ operations: OPERATIONS, services, keys, onCall: report, tls: pair });
}

const applyTo =
  ({ server }: FastifyInstance) =>
  (pair: KeyPair): void => {
    if ((server as object) instanceof TlsServer) (server as unknown as TlsServer).setSecureContext(pair);
  };

function portOf({ server }: FastifyInstance): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

const ageMsOf = ({ heardMs }: KeySource): number =>
  heardMs === undefined ? 0 : Math.max(0, systemClock.monotonicMs() - heardMs);

interface Checked {
  readonly store: KubernetesStore;
  readonly keys: FollowedKeys;
  readonly keySource: KeySource;
  readonly signal: AbortSignal;
}

function addChecks(health: Health, { store, keys, keySource, signal }: Checked): void {
  health.addReady('caches', () => {
    const missing = store.health().find(({ synced }) => !synced);
    return missing === undefined ? undefined : `${missing.resource} has not been read`;
  });
  health.addReady('keys', () => {
    if (keys.size === undefined) return 'not read from the operator yet';
    return ageMsOf(keySource) > MAX_KEYS_AGE_MS ? 'not confirmed by an operator for an hour' : undefined;
  });
  health.addReady('stop', () => (signal.aborted ? 'it is stopping' : undefined));
}

/** Runs parts until it is disposed. */
function running(
  parts: readonly { run(signal: AbortSignal): Promise<void> }[],
  ending: AbortController,
): AsyncDisposable {
  const ended = Promise.all(parts.map((part) => part.run(ending.signal)));
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('the management API has stopped'));
      await ended;
    },
  };
}

interface Starting {
  readonly options: OperatorOptions;
  readonly store: KubernetesStore;
  readonly keys: FollowedKeys;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The certificate, once resources, keys and it have been read; undefined when the signal ended before. */
async function untilReady({ options, store, keys, log, signal }: Starting): Promise<KeyPair | undefined> {
  let nextReportMs = systemClock.monotonicMs() + REPORT_MS;
  while (!signal.aborted) {
    const pair = await readKeyPair(options.managementCertificateDir).catch(() => undefined); // it is waited for
    const unread = store.health().filter(({ synced }) => !synced);
    if (pair !== undefined && unread.length === 0 && keys.size !== undefined) return pair;
    if (systemClock.monotonicMs() > nextReportMs) {
      nextReportMs += REPORT_MS;
      const missing = unread.map(({ resource, namespace, failure }) => ({ resource, namespace, ...failure }));
      log.warn({ missing, certificate: pair !== undefined, keys: keys.size !== undefined }, 'Still waiting to serve');
    }
    await sleep(RETRY_MS, { signal, clock: systemClock }).catch(() => {}); // the signal ends the loop
  }
  return undefined;
}

/** Without a database the log keeps the records. */
function logRecord(call: CallReport, log: Log): void {
  const record = toAuditRecord(call, Date.now());
  if (record !== undefined) log.info(toLogLine(record), 'Audit record');
}

/** Writes say who made them; reads are counted, not logged. */
const reportTo =
  (log: Log, count: (report: CallReport) => void) =>
  (report: CallReport): void => {
    count(report);
    const { operation, caller, status, requestId, changes, failure } = report;
    const changed = changes.map(({ kind, object, action }) => `${action} ${kind} ${object}`);
    const line = { operation: operation.id, caller: caller?.keyId, status, requestId, changed };
    if (failure !== undefined) log.error({ ...line, err: failure }, 'Management operation failed');
    else if (operation.method !== 'GET') log.info(line, 'Management operation was answered');
  };

async function drained(app: FastifyInstance, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  await new Promise((done) => setTimeout(done, DRAIN_MS));
  await app.close();
}
