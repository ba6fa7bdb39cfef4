import type { Explanation, PositiveType } from '@gatehouse/crds/conditions';
import { parseResource } from '@gatehouse/crds/kinds';
import type { Certificates } from '../../certificates/index.ts';
import type { OperatorAccount } from '../../rbac.ts';
import {
  type Change,
  type Controller,
  type ControllerMetrics,
  createNamedWatches,
  defineController,
  type EventRecorder,
  type Halt,
  isAllowedTo,
  type KindRef,
  type KubeClient,
  keyOf,
  type Log,
  type NamedWatches,
  namespaceOf,
  type ObjectKey,
  onChange,
  onReported,
  onSelf,
  type Run,
  retryFrom,
  type StatusWriter,
  type StepResult,
  type Store,
} from '../../runtime/index.ts';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../../translate/index.ts';
import { digested } from './copies.ts';
import { PROFILE_LABEL } from './names.ts';
import { countPods } from './pod-counts.ts';
import {
  COPY_CONFIG_MAPS,
  COPY_SECRETS,
  FIELD_MANAGER,
  type ProfileView,
  type SidecarCopy,
  type SidecarPod,
  type SidecarProfileObject,
} from './ports.ts';
import { checkSpec, needsOf, publishedMessage, resolve } from './steps.ts';
import { type ProfileProgress, summarise, summariseSuspended } from './summarise.ts';
import { type CopyWatches, claimantOf, syncCopy } from './sync-copy.ts';

export interface SidecarProfileControllerOptions {
  readonly client: Pick<KubeClient, 'create' | 'get' | 'watch' | 'apply' | 'mergePatch' | 'delete'>;
  readonly kind: KindRef<SidecarProfileObject>;
  readonly profiles: Store<SidecarProfileObject>;
  /** Pods with the label `gatehouse.dev/sidecar`, kept by `slimPod`, with the index `profile` of `podsByProfile`. */
  readonly pods: Store<SidecarPod, 'profile'>;
  readonly view: ProfileView;
  /** Called after members of `view` may have changed. */
  readonly subscribe: (listener: () => void) => Disposable;
  readonly certificates: Pick<Certificates, 'current' | 'subscribe'>;
  /** The account that the right to write the copies is granted to. */
  readonly operatorAccount: OperatorAccount;
  readonly status: Pick<StatusWriter, 'applyIfChanged'>;
  readonly log: Log;
  readonly events?: Pick<EventRecorder, 'record' | 'settle'>;
  readonly metrics?: ControllerMetrics;
}

/** The stream delivers an edit at once; the copy is for pods that start later. */
const COPY_AFTER_MS = 500;

/** The index of the store of pods by their profile. */
export const podsByProfile = ({ metadata: { namespace, labels = {} } }: SidecarPod): readonly string[] => {
  const name = labels[PROFILE_LABEL];
  return name === undefined ? [] : [keyOf({ namespace, name })];
};

/**
 * Keeps the mounted copy in every namespace with a SidecarProfile, and the statuses of profiles. All profiles of the namespace
 * own the copies, so that Kubernetes removes them with the last one; the operator removes them before that when the namespace
 * has no owner any more. Run it while leading.
 */
export function sidecarProfileController(options: SidecarProfileControllerOptions): Pick<Controller, 'name' | 'run'> {
  const { client, kind, profiles, pods, log } = options;
  const watch = (of: KindRef<SidecarCopy>): NamedWatches<SidecarCopy> =>
    createNamedWatches({
      client,
      kind: of,
      log,
      transform: digested,
      isAllowed: (name, signal) => isAllowedTo(client, { verb: 'watch', kind: of, ...name }, signal),
    });
  const copies = { configMaps: watch(COPY_CONFIG_MAPS), secrets: watch(COPY_SECRETS) };
  const profileKeys = (namespace: string | undefined): readonly ObjectKey[] =>
    profilesOf(profiles, namespace).map(({ metadata }) => keyOf(metadata));
  const context: Context = { options, copies };
  const controller = defineController<SidecarProfileObject>({
    ...options,
    name: 'sidecar-profile',
    kind,
    store: profiles,
    fieldManager: FIELD_MANAGER,
    watches: [
      onSelf(profiles),
      // The owner references of the copies name all profiles of the namespace.
      onChange(
        profiles,
        ({ metadata }) => profileKeys(metadata.namespace),
        ({ object, previous }) => object === undefined || previous === undefined,
      ),
      onChange(pods, podsByProfile),
      onChange(copies.configMaps.store, ({ metadata }) => profileKeys(metadata.namespace)),
      onChange(copies.secrets.store, ({ metadata }) => profileKeys(metadata.namespace)),
      onReported(copies.secrets, (key) => profileKeys(namespaceOf(key))),
    ],
    reconcile: (run) => reconcile(context, run),
    whileSuspended: (run) => reconcileSuspended(context, run),
  });
  const lookAtAll = (): void => {
    for (const key of profiles.objects.keys()) controller.enqueue(key, { afterMs: COPY_AFTER_MS });
  };
  /** Stops watching the copies of a namespace without profiles. */
  const stopWatching = ({ object, previous }: Change<SidecarProfileObject>): void => {
    const { namespace = '' } = (object ?? previous)?.metadata ?? {};
    if (profileKeys(namespace).length > 0) return;
    for (const watches of [copies.configMaps, copies.secrets]) watches.want(claimantOf(namespace), new Set());
  };
  return {
    name: controller.name,
    run: async (signal) => {
      using _profiles = profiles.subscribe(stopWatching);
      using _changes = options.subscribe(lookAtAll);
      using _certificates = options.certificates.subscribe(lookAtAll);
      await Promise.all([copies.configMaps.run(signal), copies.secrets.run(signal), controller.run(signal)]);
    },
  };
}

interface Context {
  readonly options: SidecarProfileControllerOptions;
  readonly copies: CopyWatches;
}

async function reconcile(context: Context, run: Run<SidecarProfileObject>): Promise<Halt | undefined> {
  const { options } = context;
  const { object, signal } = run;
  // The copy belongs to the namespace: it has the Snapshot for its sidecars, whatever this one of the profiles says.
  const copied = await sync(context, run, snapshotOf(context, object));
  const progress = toProgress(object, options.view, { copied, podCounts: podCountsOf(options, object) });
  await options.status.applyIfChanged(object, summarise(object, progress), { signal });
  // A stalled profile does not keep a failed call from being retried.
  return isTriedAgain(copied) ? copied : progress.halt;
}

/** While suspended only the status is written, except that a copy that the namespace may no longer have is removed. */
async function reconcileSuspended(context: Context, run: Run<SidecarProfileObject>): Promise<Halt | undefined> {
  const { options } = context;
  const { object, signal } = run;
  const snapshot = snapshotOf(context, object);
  const removed = snapshot === EMPTY_SNAPSHOT ? await sync(context, run, snapshot) : undefined;
  await options.status.applyIfChanged(object, summariseSuspended(object, podCountsOf(options, object)), { signal });
  return removed !== undefined && isTriedAgain(removed) ? removed : undefined;
}

const snapshotOf = ({ options }: Context, { metadata }: SidecarProfileObject): SidecarSnapshot | undefined =>
  options.view.snapshotFor(metadata.namespace ?? '');

function sync(
  { options, copies }: Context,
  { object, signal }: Run<SidecarProfileObject>,
  snapshot: SidecarSnapshot | undefined,
): Promise<StepResult> {
  const { client, certificates, profiles, operatorAccount } = options;
  const { namespace = '' } = object.metadata;
  const owners = profilesOf(profiles, namespace);
  const { caPem } = certificates.current;
  return syncCopy({ client, copies, namespace, signal, snapshot, owners, caPem, operatorAccount }).catch(retryFrom);
}

const isTriedAgain = (result: StepResult): result is Halt => result.kind === 'retry' || result.kind === 'fault';

interface RunFindings {
  readonly copied: StepResult;
  readonly podCounts: ProfileProgress['podCounts'];
}

function toProgress(
  object: SidecarProfileObject,
  view: ProfileView,
  { copied, podCounts }: RunFindings,
): ProfileProgress {
  const passed = new Map<PositiveType, Explanation>();
  const pass = (type: PositiveType, message: string) => passed.set(type, { reason: type, message });
  const stopped = (result: StepResult, proves: PositiveType): ProfileProgress =>
    result.kind === 'done' ? { passed, podCounts } : { passed, podCounts, halt: { ...result, proves } };
  const { status: _, ...wanted } = object; // the status is output
  const parsed = parseResource('SidecarProfile', wanted);
  const judged = checkSpec(parsed.ok ? [] : parsed.error);
  if (judged.kind !== 'done' || !parsed.ok) return stopped(judged, 'Accepted');
  pass('Accepted', judged.message);
  const resolved = resolve(parsed.value, view);
  if ('kind' in resolved) return stopped(resolved, 'ResolvedRefs');
  pass('ResolvedRefs', 'All references are resolved');
  if (copied.kind !== 'done') return stopped(copied, 'Programmed');
  const { snapshot } = resolved;
  pass('Programmed', publishedMessage(resolved, needsOf(snapshot)));
  return { passed, podCounts, version: snapshot.version };
}

const profilesOf = ({ objects }: Store<SidecarProfileObject>, namespace: string | undefined) =>
  objects
    .values()
    .filter(({ metadata }) => metadata.namespace === namespace && typeof metadata.deletionTimestamp !== 'string')
    .toArray();

const podCountsOf = ({ pods }: SidecarProfileControllerOptions, { metadata }: SidecarProfileObject) =>
  countPods([...pods.indexed('profile', keyOf(metadata))].flatMap((key) => pods.get(key) ?? []));
