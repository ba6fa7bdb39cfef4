import { PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { organisation, reference } from '@gatehouse/crds/rest';
import { RestError, referenceAbsent } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { type FieldNames, written } from '../write.ts';
import { toRefs } from './references.ts';

const WHAT = 'organisation';
const PLACE = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
const NAMES: FieldNames = { inputGuardrailRefs: 'input_guardrails', outputGuardrailRefs: 'output_guardrails' };

type Organisation = StoredObject<'Organisation'>;
type Fields = Readonly<Record<string, unknown>>;

const EXEMPT = {
  'input-guardrails': 'inputGuardrailExemptWorkspaces',
  'output-guardrails': 'outputGuardrailExemptWorkspaces',
} as const;

function exemptOf({ path }: Pick<RestCall, 'path'>): (typeof EXEMPT)[keyof typeof EXEMPT] {
  const { direction = '' } = path;
  if (direction === 'input-guardrails' || direction === 'output-guardrails') return EXEMPT[direction];
  throw new RestError('ABSENT', { message: 'expected input-guardrails or output-guardrails', param: 'direction' });
}

/** The organisation may have no resource yet. */
async function write(
  { store }: Services,
  force: boolean,
  change: (now: Partial<Organisation['spec']>) => Fields,
): Promise<void> {
  const present = await store.get(PLACE);
  const outcome =
    present === undefined
      ? await store.create(PLACE, { spec: change({}) }, { force })
      : await store.update(PLACE, ({ spec }) => ({ spec: change(spec) }), { force });
  written(outcome, WHAT, NAMES);
}

async function shownRefs(refs: readonly { readonly name: string }[] = [], { store, tenancy }: Services) {
  const { namespace } = tenancy.organisation;
  const found = await Promise.all(refs.map(({ name }) => store.get({ kind: 'Guardrail', namespace, name })));
  return found.flatMap((one) => (one === undefined ? [] : [{ id: one.meta.uid, slug: one.meta.name }]));
}

export const ORGANISATION: readonly BoundOperation[] = [
  serveOperation(organisation.getDefaults, async (_, services) => {
    const present = await services.store.get(PLACE);
    return {
      input_guardrails: await shownRefs(present?.spec.inputGuardrailRefs, services),
      output_guardrails: await shownRefs(present?.spec.outputGuardrailRefs, services),
    };
  }),
  serveOperation(organisation.setDefaults, async ({ body, force }, services) => {
    const namespaces = [services.tenancy.organisation.namespace];
    const at = (param: string) => ({ param, namespaces });
    const refs = {
      inputGuardrailRefs: await toRefs(body.input_guardrails, at('input_guardrails'), services),
      outputGuardrailRefs: await toRefs(body.output_guardrails, at('output_guardrails'), services),
    };
    await write(services, force, (now) => ({ ...now, ...givenFields(refs) }));
    return {};
  }),
  serveOperation(organisation.getExclusions, async (call, { store }) => {
    const names = (await store.get(PLACE))?.spec[exemptOf(call)] ?? [];
    const all = new Map((await store.list('Workspace')).map(({ meta }) => [meta.name, meta.uid]));
    const workspaces = names.map((slug) => ({ workspace_id: all.get(slug) ?? slug, slug, excluded: true }));
    return { object: 'list' as const, total: workspaces.length, workspaces };
  }),
  serveOperation(organisation.setExclusions, async (call, services) => {
    const member = exemptOf(call);
    const { workspaces, override_existing: isWhole = false } = call.body;
    const all = await services.store.list('Workspace');
    const given = workspaces.map(({ workspace_id: wanted, excluded }, i) => {
      const found = all.find(({ meta }) => meta.name === wanted || meta.uid === wanted);
      if (found !== undefined) return { slug: found.meta.name, excluded };
      throw referenceAbsent(`workspaces[${i}].workspace_id`, `The workspace ${wanted} does not exist`);
    });
    await write(services, call.force, (now) => {
      const names = new Set(isWhole ? [] : now[member]);
      for (const { slug, excluded } of given) {
        if (excluded) names.add(slug);
        else names.delete(slug);
      }
      return { ...now, [member]: names.size === 0 ? undefined : [...names] };
    });
    return {};
  }),
  serveOperation(reference.listProviders, async () => {
    const data = [...PROVIDER_CATALOGUE.values()].map((entry) => {
      const secret = new Set(secretFieldsOf(entry));
      const served = entry.fields.filter(({ unserved }) => unserved === undefined).map(({ key }) => key);
      const names = [...new Set([...secret, ...served])];
      const fields = names.map((name) => ({ name, secret: secret.has(name) }));
      return { object: 'provider' as const, id: entry.id, fields };
    });
    return { object: 'list' as const, total: data.length, data };
  }),
];
