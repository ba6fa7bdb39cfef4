/** What has to be written so that an installation has the objects of files. */
import { isDeepStrictEqual } from 'node:util';
import { formatPath, fromZodError, type Issue } from '@gatehouse/crds';
import { KINDS, parseResource } from '@gatehouse/crds/kinds';
import type { RestOperation } from '@gatehouse/crds/rest';
import type { FileProblem, LocatedObject } from '../resource-folder/index.ts';
import { type Body, type Credentials, type Family, MASK, type Path, Refused } from '../rest-families/index.ts';
import { MASKED, revealed, revealedOrMasked } from './credentials.ts';
import { type Difference, differencesOf } from './differences.ts';
import type { Served } from './served.ts';

/** An object of a file that the management API can have. */
export interface Wanted {
  readonly located: LocatedObject;
  readonly family: Family;
  readonly name: string;
  /** Undefined: that of the key. */
  readonly workspace: string | undefined;
}

export interface Planned {
  readonly wanted: Wanted;
  readonly action: 'create' | 'update' | 'none';
  /** UUID of what is served; undefined: there is none. */
  readonly id: string | undefined;
  readonly body: Body;
  /** Segments of the path that makes it. */
  readonly segments: Readonly<Record<string, string>>;
  /** With masks for credentials. */
  readonly differences: readonly Difference[];
}

export interface PlanOptions {
  readonly secrets: Parameters<typeof revealed>[0]['secrets'];
  /** Also credentials are written, which cannot be compared. */
  readonly withCredentials: boolean;
}

/** JSON as it is sent. */
const sent = (body: Body): Body => JSON.parse(JSON.stringify(body)) as Body; // an object stays one

/** The problem of an object at a path of the resource. */
export function problemAt({ file, object }: LocatedObject, path: Path, message: string): FileProblem {
  return { file, ...object.locate(path), object: `${object.kind}/${object.name}`, path: formatPath(path), message };
}

/** Returns the problems where the object cannot be written. */
export function planObject(
  wanted: Wanted,
  served: Served | undefined,
  options: PlanOptions,
): Planned | readonly FileProblem[] {
  const { family, located } = wanted;
  const parsed = parseResource(family.kind, withoutServerFields(located.object.value));
  if (!parsed.ok) return parsed.error.map(({ path, message }) => problemAt(located, path, message));
  const { spec } = parsed.value;
  try {
    return served === undefined ? planCreation(wanted, spec, options) : planChange(wanted, { spec, served }, options);
  } catch (error) {
    if (error instanceof Refused) return [problemAt(located, error.path, error.message)];
    if (error instanceof BadBody) {
      return error.issues.map(({ path, message }) => problemAt(located, family.pathOf(formatPath(path)), message));
    }
    throw error;
  }
}

/** What API servers add; the status is not what is wanted. */
function withoutServerFields({ status: _, ...object }: Readonly<Record<string, unknown>>): object {
  return object;
}

type Spec = Parameters<Family['toBody']>[0];

class BadBody extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('the body is not valid');
    this.issues = issues;
  }
}

function checkBody({ body: schema }: RestOperation, value: Body): void {
  const parsed = schema?.safeParse(value);
  if (schema === undefined || parsed === undefined || parsed.success) return;
  throw new BadBody(fromZodError(parsed.error, { schema, value }));
}

const knownTo = ({ located }: Wanted, { secrets }: PlanOptions) => ({
  secrets,
  namespace: located.object.value.metadata.namespace,
});

function planCreation(wanted: Wanted, spec: Spec, options: PlanOptions): Planned {
  const { family, name, workspace } = wanted;
  const bodyWith = (credentials: Credentials) => sent(family.toBody(spec, { name, credentials }));
  const inPath = new Set(family.inPath);
  const members = Object.entries(bodyWith(revealed(knownTo(wanted, options)))).filter(
    ([member]) => !inPath.has(member),
  );
  const body = {
    slug: name,
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
    ...Object.fromEntries(members),
  };
  checkBody(family.operations.create, body);
  const segments = family.createPath?.(spec) ?? {};
  return { wanted, action: 'create', id: undefined, body, segments, differences: differencesOf({}, bodyWith(MASKED)) };
}

interface Change {
  readonly spec: Spec;
  readonly served: Served;
}

function planChange(wanted: Wanted, { spec, served }: Change, options: PlanOptions): Planned {
  const { family, name } = wanted;
  const bodyWith = (credentials: Credentials) => sent(family.toBody(spec, { name, credentials }));
  const target = bodyWith(MASKED);
  const own = sent(family.toBody(withDefaults(served), { name, credentials: MASKED }));
  const current = family.settle === undefined ? own : sent(family.settle(own, target));
  family.checkChange?.(current, target);
  const members = [...new Set([...Object.keys(current), ...Object.keys(target)])];
  const changed = members.filter((member) => !isDeepStrictEqual(current[member], target[member]));
  const isNewCredential = changed.some((member) => target[member] === MASK);
  const credentials = options.withCredentials || isNewCredential ? revealed : revealedOrMasked;
  const values = bodyWith(credentials(knownTo(wanted, options)));
  const hidden = Object.keys(values).filter((member) => !isDeepStrictEqual(values[member], target[member]));
  const written = new Set([...changed, ...(options.withCredentials || isNewCredential ? hidden : [])]);
  const body = Object.fromEntries([...written].map((member) => [member, values[member] ?? target[member] ?? null]));
  for (const member of written) checkChangeable(family, member, body[member]);
  checkBody(family.operations.update, body);
  const action = written.size === 0 ? 'none' : 'update';
  return { wanted, action, id: served.id, body, segments: {}, differences: differencesOf(current, target) };
}

function checkChangeable({ operations, pathOf }: Family, member: string, value: unknown): void {
  const parsed = operations.update.body?.safeParse({ [member]: value });
  const isUnknown = parsed?.success === false && parsed.error.issues.some(({ code }) => code === 'unrecognized_keys');
  if (isUnknown) throw new Refused(pathOf(member), 'the management API cannot change it; delete the object first');
}

/** What an answer shows, with the defaults of the Kind. Checks are for what is written. */
function withDefaults({ family, spec }: Served): Spec {
  const parsed = KINDS[family.kind].spec.safeParse(spec);
  return (parsed.success ? parsed.data : spec) as Spec; // of the Kind of the family
}
