/** From the bare proxy to the whole gateway: each rung does what the rungs before it do, and one thing more. */

export const RUNGS = [
  { name: 'bare', adds: 'node:http and undici.dispatch; both bodies parsed' },
  { name: 'client', adds: 'the upstream client: host guard, backpressure, abort by a signal' },
  { name: 'framework', adds: 'routes of fastify' },
  { name: 'listener', adds: 'request facts, cancellation, memory accounts, checks of the body, one write per turn' },
  { name: 'authentication', adds: 'loop check, hash of the key, key and workspace, scope' },
  { name: 'limits', adds: 'a slot of the key, expiry, one request limit in memory' },
  { name: 'resolve', adds: 'config, provider, metadata, headers that overrule the config' },
  { name: 'plan', adds: 'strategy tree, circuit breakers, budget of calls' },
  { name: 'prepare', adds: 'account, host, model, headers to forward' },
  { name: 'request', adds: 'URL, headers, body and credential of the provider' },
  { name: 'attempt', adds: 'guard, cache off, limits, retries, mapping of the answer, facts for the record' },
  { name: 'metrics', adds: 'record, usage, counters and histograms' },
  { name: 'log', adds: 'one line per request: the whole gateway' },
  { name: 'rows', adds: 'a request log in PostgreSQL, without bodies' },
  { name: 'documents', adds: 'bodies in the request log' },
] as const;

export type Rung = (typeof RUNGS)[number]['name'];

/** Whether a rung does what another one adds. */
export const includes = (rung: Rung, part: Rung): boolean => indexOf(rung) >= indexOf(part);

const indexOf = (rung: Rung): number => RUNGS.findIndex(({ name }) => name === rung);
