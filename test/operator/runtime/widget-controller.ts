import { CONDITION_TYPES, type ConditionDraft, toCondition } from '@gatehouse/crds/conditions';
import {
  createApplier,
  createCache,
  createEventRecorder,
  createStatusWriter,
  defineController,
  done,
  type Finalizer,
  type Halt,
  type KindRef,
  type KubeClient,
  keyOf,
  onOwned,
  onSelf,
  type Run,
  retryFrom,
  type StatusOutcome,
  type StepResult,
  type Store,
  unmetStatus,
} from '../../../operator/src/runtime/index.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, QUICK, recordLog, running, type Widget } from './support.ts';

export interface WidgetControllerOptions {
  readonly client: KubeClient;
  readonly kind: KindRef<Widget>;
  readonly namespace: string;
  /** What a run does after its child is applied. */
  readonly step?: (run: Run<Widget>) => Promise<StepResult>;
  readonly whileSuspended?: (run: Run<Widget>) => Promise<Halt | undefined>;
  readonly finalizer?: Finalizer<Widget>;
  readonly deadlineMs?: number;
}

export interface WidgetController extends AsyncDisposable {
  readonly widgets: Store<Widget>;
  readonly children: Store<ConfigMap>;
  /** Names of the widgets, one per run. */
  readonly runs: string[];
  readonly applied: ('applied' | 'unchanged')[];
  readonly statuses: StatusOutcome[];
  readonly log: ReturnType<typeof recordLog>;
}

export const DIGEST_ANNOTATION = 'example.com/applied';

/** A whole controller of a Kind of the test: a ConfigMap per Widget, and a status. */
export async function startWidgetController(options: WidgetControllerOptions): Promise<WidgetController> {
  const { client, kind, namespace, step = () => Promise.resolve(done('Nothing else to do')) } = options;
  const log = recordLog();
  const runs: string[] = [];
  const applied: ('applied' | 'unchanged')[] = [];
  const statuses: StatusOutcome[] = [];
  const cache = createCache({ client, namespaces: [namespace], log, timing: QUICK });
  const widgets = cache.watch(kind);
  const children = cache.watch(CONFIG_MAPS, { labelSelector: 'example.com/child=yes' });
  const applier = createApplier({
    client,
    fieldManager: 'widget-operator',
    digestAnnotation: DIGEST_ANNOTATION,
    kinds: [CONFIG_MAPS],
    live: (_, key) => children.get(key),
  });
  const status = createStatusWriter({
    client,
    fieldManager: 'widget-operator-status',
    kinds: [kind],
    maxAtOnce: 8,
    conditionTypes: CONDITION_TYPES,
    requestedAtAnnotation: 'example.com/requestedAt',
    log,
    onOutcome: (outcome) => statuses.push(outcome),
  });
  const events = createEventRecorder({
    client,
    reportingController: 'example.com/widgets',
    reportingInstance: 'test',
    log,
  });

  const pursue = async (run: Run<Widget>): Promise<StepResult> => {
    applied.push(await applier.apply(childOf(run.object), { signal: run.signal }));
    return step(run);
  };
  const controller = defineController<Widget>({
    ...options,
    name: 'widget',
    store: widgets,
    watches: [onSelf(widgets), onOwned(children, kind)],
    fieldManager: 'widget-operator',
    backoff: { minMs: 20, maxMs: 200 },
    log,
    events,
    reconcile: async (run) => {
      runs.push(run.object.metadata.name);
      const result = await pursue(run).catch(retryFrom);
      await status.applyIfChanged(run.object, summarise(run.object, result), { signal: run.signal });
      return result.kind === 'done' ? undefined : result;
    },
  });
  const process = running(async (signal) => {
    const parts = [cache.run(signal), status.run(signal), events.run(signal)];
    await cache.synced({ signal, timeoutMs: 60_000 });
    await Promise.all([...parts, controller.run(signal)]);
  });
  return {
    widgets,
    children,
    runs,
    applied,
    statuses,
    log,
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

function summarise({ metadata }: Widget, result: StepResult) {
  const ready: ConditionDraft =
    result.kind === 'done'
      ? toCondition('Ready', 'True', { reason: 'Succeeded', message: result.message })
      : toCondition('Ready', unmetStatus(result), result);
  const extra = result.kind === 'stall' ? [toCondition('Stalled', 'True', result)] : [];
  const { generation } = metadata;
  const conditions = [ready, ...extra].map((condition) => ({ ...condition, observedGeneration: generation }));
  return { conditions, observedGeneration: generation };
}

export function childOf({ apiVersion, kind, metadata, spec }: Widget): ConfigMap {
  const { namespace = '', name, uid = '' } = metadata;
  const owner = { apiVersion, kind, name, uid, controller: true };
  return {
    ...configMap(namespace, `${name}-child`, { size: String(spec.size ?? 0) }),
    metadata: {
      namespace,
      name: `${name}-child`,
      labels: { 'example.com/child': 'yes' },
      ownerReferences: [owner],
    },
  };
}

export const childKey = ({ metadata: { namespace, name } }: Widget): string =>
  keyOf({ namespace, name: `${name}-child` });
