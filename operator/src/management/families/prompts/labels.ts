import { createHash } from 'node:crypto';
import { promptLabels } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { homeOf } from '../homes.ts';
import { pageOf } from '../pages.ts';
import { matches } from '../search.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import {
  BUILT_INS,
  type BuiltInLabel,
  builtInLabel,
  findLabel,
  type LabelObject,
  labelNamed,
  labelOf,
  WHAT,
} from './find-label.ts';

const KIND = 'PromptLabel';
const NAMES: FieldNames = { label: 'name', color: 'color_code' };

type Shown = LabelObject | BuiltInLabel;
const isObject = (label: Shown): label is LabelObject => 'meta' in label;

/** `home` undefined for one that every workspace has. */
function toView(label: Shown, home: Home | undefined, { organisationId }: Tenancy) {
  const object = isObject(label) ? label : undefined;
  return {
    id: isObject(label) ? label.meta.uid : label.id,
    slug: isObject(label) ? label.meta.name : label.name,
    name: nameOf(label),
    description: object?.spec.description ?? null,
    color_code: object?.spec.color ?? null,
    organisation_id: organisationId,
    workspace_id: object === undefined ? null : (home?.workspace?.id ?? null),
    is_universal: object === undefined,
    created_at: object?.meta.createdAt ?? null,
    last_updated_at: object?.meta.updatedAt ?? null,
    status: 'active' as const,
  };
}

const nameOf = (label: Shown): string => (isObject(label) ? labelOf(label) : label.name);

/** Throws RestError FORBIDDEN for a label that every workspace has, ABSENT for one that is not there. */
async function findOwn(call: RestCall, services: Services) {
  const idOrSlug = call.path['labelId'] ?? '';
  const builtIn = builtInLabel(idOrSlug);
  if (builtIn !== undefined) {
    const message = `Every workspace has the label ${builtIn.name}: it is neither changed nor deleted`;
    throw new RestError('FORBIDDEN', { message });
  }
  const { object, home } = await findLabel(idOrSlug, call, services);
  return { object, home, place: { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const };
}

/** Throws RestError CONFLICT for a name that another label has. */
async function refuseTaken(name: string, home: Home, { services, own }: { services: Services; own?: string }) {
  const taken = builtInLabel(name) ?? (await labelNamed(name, home, services));
  if (taken === undefined || (isObject(taken) && taken.meta.name === own)) return;
  throw new RestError('CONFLICT', { message: `The label ${name} exists already`, param: 'name' });
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The label itself where objects may be named so, else one that no other label has: two calls do not make it twice. */
function slugOf(name: string): string {
  if (OBJECT_NAME.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex');
  return newSlug({ prefix: '', name, length: 30 }, (length) => digest.slice(0, length));
}

export const LABELS: readonly BoundOperation[] = [
  serveOperation(promptLabels.list, async ({ caller, query }, { store, tenancy }) => {
    const home = await homeOf(caller, query, tenancy);
    const all: readonly Shown[] = [...BUILT_INS, ...(await store.list(KIND, home.namespace))];
    const wanted = all.filter((one) => matches(query.search, [nameOf(one)]));
    return pageOf(wanted, query, (one) => toView(one, home, tenancy));
  }),
  serveOperation(promptLabels.create, async ({ caller, body, force }, services) => {
    const home = await homeOf(caller, body, services.tenancy);
    const { name, slug = slugOf(name), description, color_code: color } = body;
    await refuseTaken(name, home, { services });
    const spec = givenFields({ label: slug === name ? null : name, description, color });
    const place = { kind: KIND, namespace: home.namespace, name: slug } as const;
    const { meta } = written(await services.store.create(place, { spec }, { force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(promptLabels.get, async (call, services) => {
    const idOrSlug = call.path['labelId'] ?? '';
    const builtIn = builtInLabel(idOrSlug);
    if (builtIn !== undefined) return toView(builtIn, undefined, services.tenancy);
    const { object, home } = await findLabel(idOrSlug, call, services);
    return toView(object, home, services.tenancy);
  }),
  serveOperation(promptLabels.update, async (call, services) => {
    const { object, home, place } = await findOwn(call, services);
    const { name, description, color_code: color } = call.body;
    if (name !== undefined) await refuseTaken(name, home, { services, own: object.meta.name });
    const label = name === object.meta.name ? null : name;
    const change = ({ spec }: LabelObject) => ({ spec: { ...spec, ...givenFields({ label, description, color }) } });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(promptLabels.delete, async (call, services) => {
    const { place } = await findOwn(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];
