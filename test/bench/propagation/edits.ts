/** Edits of one object: from the write until every gateway serves it. */
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from '../../contract/gateway-process.ts';
import type { KubeThing } from '../../operator/operator/support.ts';
import { apply } from '../../operator/operator/support.ts';
import { usageOf } from '../usage.ts';
import { type Observer, observeGateway, observeManifest } from './observers.ts';
import { editedConfig, editedGuardrail, editedPolicy, GUARDED_KEY, LIMITED_KEY, PROBE_KEY } from './population.ts';
import type { Bench, GatewayProcess, OperatorProcess } from './programs.ts';
import type { Stage } from './stage.ts';

/** One edit, in ms since just before its write. */
export interface Edit {
  /** The API server has answered. */
  readonly writtenMs: number;
  /** The manifest of the version with the edit is there. */
  readonly publishedMs: number;
  /** The first gateway serves it. */
  readonly firstMs: number;
  /** All gateways serve it. */
  readonly allMs: number;
}

export interface Edits {
  readonly edits: readonly Edit[];
  /** CPU time of the operator and the mean of the gateways for one edit, in ms. */
  readonly operatorCpuMs: number;
  readonly gatewayCpuMs: number;
}

export interface EditOptions {
  readonly count: number;
  readonly operator: OperatorProcess;
  readonly gateways: readonly GatewayProcess[];
  readonly edited: Edited;
}

/** What is edited again and again. */
export interface Edited {
  /** By the number of the edit, which is below 0 before the first that counts. */
  objectOf(edit: number): KubeThing;
  /** What a gateway that serves the edit answers to a request with the key. */
  answerOf(edit: number): string | number;
  readonly key: string;
}

/** A GatewayConfig. `upstream`: origin of the provider that tells the edits apart. */
export const editsOfConfig = (namespace: string, upstream: string): Edited => ({
  objectOf: (edit) => editedConfig(namespace, upstream, `edit-${edit}`),
  answerOf: (edit) => `edit-${edit}`,
  key: PROBE_KEY,
});

/** A Guardrail, which denies and lets pass in turn. */
export const editsOfGuardrail = (namespace: string): Edited => ({
  objectOf: (edit) => editedGuardrail(namespace, edit % 2 === 0),
  answerOf: (edit) => (edit % 2 === 0 ? 446 : 'any'),
  key: GUARDED_KEY,
});

/** A RateLimitPolicy, which lets pass and refuses in turn. */
export const editsOfPolicy = (namespace: string): Edited => ({
  objectOf: (edit) => editedPolicy(namespace, edit % 2 === 0 ? 1_000_000 : 1),
  answerOf: (edit) => (edit % 2 === 0 ? 'any' : 429),
  key: LIMITED_KEY,
});

/** The longest pause between two edits; they are spread evenly below it. */
const MAX_PAUSE_MS = 1_000;
const EDIT_DEADLINE_MS = 30_000;
/** Edits before the first that counts: connections are opened, code is compiled. */
const WARM_UP = 10;

/** Measures edits one after the other, with random pauses. Rejects when a gateway does not serve one in time. */
export async function measureEdits(bench: Bench, stage: Stage, options: EditOptions): Promise<Edits> {
  const { count, operator, gateways } = options;
  await using observers = new AsyncDisposableStack();
  const served = gateways.map((gateway) => observers.use(observeGateway(gateway)));
  const manifest = observers.use(observeManifest(stage));
  const edits: Edit[] = [];
  const cpu = () => cpuOf([operator, ...gateways]);
  let before: readonly number[] = [];
  for (let i = -WARM_UP; i < count; i += 1) {
    if (i === 0) before = await cpu();
    await wait(Math.random() * MAX_PAUSE_MS);
    const edit = await measureEdit(stage, options, { edit: i, served, manifest });
    if (i >= 0) edits.push(edit);
    if (i % 50 === 0) bench.say(`edit ${i}: ${edit.allMs.toFixed(0)} ms`);
  }
  const after = await cpu();
  const perEdit = after.map((ms, i) => (ms - (before[i] ?? 0)) / count);
  const [operatorCpuMs = 0, ...others] = perEdit;
  return { edits, operatorCpuMs, gatewayCpuMs: others.reduce((sum, ms) => sum + ms, 0) / others.length };
}

const cpuOf = async (running: readonly { readonly pid: number }[]): Promise<number[]> =>
  (await Promise.all(running.map(({ pid }) => usageOf(pid)))).map(({ cpuMs }) => cpuMs);

interface Eyes {
  readonly edit: number;
  readonly served: readonly Observer[];
  readonly manifest: Observer;
}

async function measureEdit(
  { cluster }: Stage,
  { gateways, edited }: EditOptions,
  { edit, served, manifest }: Eyes,
): Promise<Edit> {
  const reach = (version: number): Promise<number[]> =>
    Promise.all(served.map(({ marks }) => marks.reach(version, EDIT_DEADLINE_MS)));
  const before = Math.max(...served.map(({ marks }) => marks.version));
  const startMs = performance.now();
  await apply(cluster, edited.objectOf(edit));
  const writtenMs = performance.now() - startMs;
  // Nearly always the next version; something else may have been published in between.
  for (let version = before + 1; ; version += 1) {
    const times = (await reach(version)).map((atMs) => atMs - startMs);
    if (!(await serve(gateways, edited, edit))) continue;
    const publishedMs = (await manifest.marks.reach(version, EDIT_DEADLINE_MS)) - startMs;
    return { writtenMs, publishedMs, firstMs: Math.min(...times), allMs: Math.max(...times) };
  }
}

/** Whether requests through every gateway are answered as the edit has it. */
async function serve(gateways: readonly GatewayProcess[], { key, answerOf }: Edited, edit: number): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const want = answerOf(edit);
  const answers = await Promise.all(gateways.map(({ url }) => ask(url, headers)));
  return answers.every((answer) => answer === want);
}
