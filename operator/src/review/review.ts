/** Reviews writes of our Kinds, with the same schemas and translation that decide about statuses. */
import { formatPath, type Issue, isObject } from '@gatehouse/crds';
import {
  GROUP,
  immutableIssues,
  isKindName,
  KINDS,
  type KindName,
  parseResource,
  type ResourceOf,
} from '@gatehouse/crds/kinds';
import { canonicalJson, MAX_SHARD_BYTES } from '@gatehouse/crds/snapshot';
import {
  checksOf,
  type FindingReason,
  newObjectIssues,
  policyIn,
  type World,
  type WorldObject,
} from '../translate/index.ts';
import { deprecationsIn } from './deprecated.ts';
import { dryRun, type Impact, type TranslatedWorld } from './dry-run.ts';
import { type Cause, PERMITTED_ONLY, type ReviewedWrite, type ReviewVerdict, USED_BY } from './verdict.ts';

export interface ReviewView {
  /** Undefined until the caches are complete: references are then left to the statuses. */
  translatedWorld(): TranslatedWorld | undefined;
  isTerminating(namespace: string): boolean;
  /** Unix time in ms; absent: the system's. */
  now?(): number;
  /** Absent: no Kind has a controller of its own. */
  readonly controllers?: ControllerChecks;
}

/** Checks of Kinds that have their own controller. */
export interface ControllerChecks {
  /** What it would refuse, beyond the schema. */
  issues(resource: ResourceOf<KindName>, settings: Partial<Rules>): readonly Issue[];
  /** References that do not resolve. */
  findings(resource: ResourceOf<KindName>, world: World): readonly Pick<Issue, 'path' | 'message'>[];
}

/** Controllers that clean up; blocking them would block the deletion of whole namespaces. */
const GARBAGE_COLLECTORS: ReadonlySet<string> = new Set([
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
]);

/**
 * Kinds that may always be deleted, since deleting them revokes access. Other objects that references name are in use.
 */
const ALWAYS_DELETABLE: ReadonlySet<KindName> = new Set([
  'IntegrationAccess',
  'ScimMapping',
  'WorkspaceMember',
  'ApiKey',
  'Workspace',
  'Organisation',
]);

/** Kinds whose objects belong to one of another Kind: they are no users that keep it from being deleted. */
const PARTS: { readonly [K in KindName]?: KindName } = {
  Prompt: 'PromptVersion',
  PromptPartial: 'PromptPartialVersion',
};

const KIB = 1024;

/** What is known of the installation once its state is complete. */
type Rules = TranslatedWorld['world']['settings'];

const ALLOWED: ReviewVerdict = { allowed: true };

/** Refuses a write with all of its problems and their paths, or allows it, with warnings for what is not ready yet. */
export function reviewWrite(request: ReviewedWrite, view: ReviewView): ReviewVerdict {
  const { kind, operation, subResource = '' } = request;
  if (kind.group !== GROUP || !isKindName(kind.kind) || subResource !== '') return ALLOWED;
  if (operation === 'DELETE') return reviewDeletion(request, kind.kind, view);
  return operation === 'CONNECT' ? ALLOWED : reviewContent(request, kind.kind, view);
}

function reviewContent(request: ReviewedWrite, kind: KindName, view: ReviewView): ReviewVerdict {
  const { object, oldObject } = request;
  if (!isResource(object) || hasSameSpec(object, oldObject)) return ALLOWED;
  const warnings = deprecationsIn(kind, object);
  const now = view.translatedWorld();
  const options = now?.world.settings;
  const parsed = parse(kind, object, { rules: options, controllers: view.controllers });
  if (!parsed.ok) return withWarnings(refuseIssues(request, parsed.error.map(toCause)), warnings);
  const frozen = isResource(oldObject) ? changesOfImmutable(kind, oldObject, parsed.value) : [];
  if (frozen.length > 0) return withWarnings(refuseIssues(request, frozen.map(toCause)), warnings);
  if (now === undefined) return withWarnings(ALLOWED, warnings);
  const unruly = policyIssues(parsed.value, { now, oldObject, nowMs: view.now?.() ?? Date.now() });
  if (unruly.length > 0) return withWarnings(refuseIssues(request, unruly.map(toCause)), warnings);
  const candidate = toCandidate(request, kind, asNewest(object, oldObject));
  const outlook = dryRun(now, candidate);
  const clashes = [...causesOf(outlook), ...(isPermittedOnly(object) ? notPermittedIn(outlook) : [])];
  if (clashes.length > 0) return withWarnings(refuseIssues(request, clashes), warnings);
  const unready = view.controllers?.findings(parsed.value, now.world) ?? [];
  const unresolved = [...findingsOf(outlook), ...unready];
  return withWarnings(ALLOWED, [...warnings, ...unresolved.map(toWarning)]);
}

const isPermittedOnly = ({ metadata }: WorldObject): boolean => {
  const { annotations } = metadata;
  return isObject(annotations) && annotations[PERMITTED_ONLY] === 'true';
};

/** What the object names and may not name. */
const notPermittedIn = ({ verdict }: Impact): readonly Cause[] =>
  (verdict?.issues ?? [])
    .filter(({ reason }) => reason === 'RefNotPermitted')
    .map(({ path, message }) => ({ reason: 'FieldValueInvalid', path, message }));

/** What the organisation demands of new keys and workspaces; an object of before keeps what a write does not change. */
function policyIssues(
  resource: ResourceOf<KindName>,
  { now, oldObject, nowMs }: { now: TranslatedWorld; oldObject: ReviewedWrite['oldObject']; nowMs: number },
): readonly Issue[] {
  const { kind, metadata } = resource;
  if (kind !== 'ApiKey' && kind !== 'Workspace') return [];
  const before = isResource(oldObject) ? parse(kind, oldObject) : undefined;
  const old = before?.ok === true ? (before.value as typeof resource) : undefined; // parsed as that Kind
  return newObjectIssues(resource, policyIn(now.translation.memo.states, metadata.namespace), { old, nowMs });
}

interface ParseOptions {
  readonly rules?: Rules | undefined;
  readonly controllers?: ControllerChecks | undefined;
}

function parse(
  kind: KindName,
  object: WorldObject,
  { rules, controllers }: ParseOptions = {},
): ReturnType<typeof parseResource<KindName>> {
  const { status: _, ...wanted } = object; // the status is output
  const parsed = parseResource(kind, wanted, rules === undefined ? undefined : { caps: rules.caps });
  if (!parsed.ok) return parsed;
  const own = controllers?.issues(parsed.value, rules ?? {}) ?? [];
  const issues = [...checksOf(kind, parsed.value, rules ?? {}), ...own];
  return issues.length === 0 ? parsed : { ok: false, error: issues };
}

function changesOfImmutable(kind: KindName, oldObject: WorldObject, after: ResourceOf<KindName>): readonly Issue[] {
  const before = parse(kind, oldObject);
  return before.ok ? immutableIssues(kind, before.value, after) : [];
}

function reviewDeletion(request: ReviewedWrite, kind: KindName, view: ReviewView): ReviewVerdict {
  const { namespace, name = '', userInfo, oldObject } = request;
  if (ALWAYS_DELETABLE.has(kind) || GARBAGE_COLLECTORS.has(userInfo.username)) return ALLOWED;
  if (namespace !== undefined && namespace !== '' && view.isTerminating(namespace)) return ALLOWED;
  const now = view.translatedWorld();
  // An object that is being deleted is not served any more.
  if (now === undefined || (isResource(oldObject) && isBeingDeleted(oldObject))) return ALLOWED;
  const part = PARTS[kind];
  const impact = dryRun(now, toCandidate(request, kind, undefined));
  const broken = impact.broken.filter((key) => part === undefined || !key.startsWith(`${part}/`));
  if (broken.length === 0) return ALLOWED;
  const users = visibleUsers(namespace, broken);
  const causes = users.map((user): Cause => ({ reason: 'ObjectInUse', message: `${USED_BY}${user}`, path: [] }));
  const message = `${kind} ${name} is used by ${listed(users)}; change or delete these first, or, if one command deletes all of them, repeat it`;
  return { allowed: false, reason: 'Conflict', message, causes, users };
}

/** Who may delete an object may know its neighbours; what other namespaces hold is not shown. */
function visibleUsers(namespace = '', broken: readonly string[]): readonly string[] {
  const beside = broken.filter((key) => key.split('/').at(-2) === namespace);
  return beside.length === broken.length ? beside : [...beside, 'resources of other namespaces'];
}

/** Metadata may always change, also of an invalid object: labels, and the finalizers of one that is being deleted. */
function hasSameSpec(object: WorldObject, oldObject: ReviewedWrite['oldObject']): boolean {
  if (isBeingDeleted(object)) return true;
  return isResource(oldObject) && canonicalJson(oldObject['spec'] ?? {}) === canonicalJson(object['spec'] ?? {});
}

const isBeingDeleted = ({ metadata }: WorldObject): boolean => (metadata.deletionTimestamp ?? undefined) !== undefined;

/** The API server has checked objects of our group against their schema before. */
const isResource = (object: ReviewedWrite['object']): object is NonNullable<ReviewedWrite['object']> & WorldObject =>
  isObject(object) && isObject(object['metadata']) && typeof object['metadata']['name'] === 'string';

/** Times are whole seconds: a new object comes after all existing ones, whatever its own time says. */
function asNewest(object: WorldObject, oldObject: ReviewedWrite['oldObject']): WorldObject {
  if (isResource(oldObject)) return object;
  return { ...object, metadata: { ...object.metadata, creationTimestamp: '9999-12-31T23:59:59Z' } };
}

const toCandidate = ({ namespace, name }: ReviewedWrite, kind: KindName, object: WorldObject | undefined) => ({
  kind,
  namespace: KINDS[kind].scope === 'Cluster' ? undefined : (namespace ?? ''),
  name: object?.metadata.name ?? name ?? '',
  object,
});

/**
 * Problems that end without another write of the object, and so must not keep a tool from writing it: the status has them.
 */
const WARNING_ONLY: ReadonlySet<FindingReason> = new Set<FindingReason>(['QuotaExceeded', 'InternalError']);

/**
 * Referenced objects may be created later, in whatever order a tool applies them; conflicts with existing objects are refused.
 */
function causesOf({ verdict, entryBytes }: Impact): readonly Cause[] {
  const issues = (verdict?.issues ?? []).filter(
    ({ condition, reason }) => condition === 'Accepted' && !WARNING_ONLY.has(reason),
  );
  const causes = issues.map(
    (issue): Cause => ({
      reason: issue.reason === 'Conflicted' ? 'FieldValueDuplicate' : reasonOf(issue.reason === 'UnsupportedValue'),
      message: issue.message,
      path: issue.path,
    }),
  );
  if (entryBytes <= MAX_SHARD_BYTES) return causes;
  const message = `would be published as ${Math.ceil(entryBytes / KIB)} KiB, where ${MAX_SHARD_BYTES / KIB} KiB is the most`;
  return [...causes, { reason: 'FieldValueInvalid', message, path: ['spec'] }];
}

const toCause = ({ code, path, message }: Issue): Cause => ({
  reason: reasonOf(code === 'unsupported'),
  message,
  path,
});

const reasonOf = (isUnsupported: boolean) =>
  isUnsupported ? ('FieldValueNotSupported' as const) : ('FieldValueInvalid' as const);

function refuseIssues({ kind, object }: ReviewedWrite, causes: readonly Cause[]): ReviewVerdict {
  const name = isResource(object) ? object.metadata.name : '';
  const lines = causes.map(lineOf);
  return { allowed: false, reason: 'Invalid', message: `${kind.kind} ${name} is invalid: ${listed(lines)}`, causes };
}

/** Without a field it is about the object as a whole. */
const lineOf = ({ path, message }: Pick<Cause, 'path' | 'message'>): string =>
  path.length === 0 ? message : `${formatPath(path)}: ${message}`;

/**
 * Pending problems end by themselves: a key that is being minted, a Secret that was named for the first time and not read yet.
 */
const findingsOf = ({ verdict }: Impact): readonly Pick<Cause, 'path' | 'message'>[] =>
  (verdict?.issues ?? []).filter(({ condition, reason }) =>
    condition === 'ResolvedRefs' ? reason !== 'Pending' : WARNING_ONLY.has(reason),
  );

const toWarning = (found: Pick<Cause, 'path' | 'message'>): string => `not ready yet: ${lineOf(found)}`;

const withWarnings = (answer: ReviewVerdict, warnings: readonly string[]): ReviewVerdict =>
  warnings.length === 0 ? answer : { ...answer, warnings };

const MAX_LISTED = 20;

function listed(items: readonly string[]): string {
  const rest = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
