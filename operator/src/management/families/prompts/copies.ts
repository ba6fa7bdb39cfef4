/** Copies of prompts and partials: what may be copied, and where to. docs/behaviour/management.md#prompts */
import { parsePartialReference, readPromptText, templatesOf } from '@gatehouse/crds/prompts';
import { authorize } from '../../callers/index.ts';
import { RestError } from '../../http/rest-error.ts';
import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { homeNamed } from './home-named.ts';
import type { Template } from './template.ts';

/** What is copied is read, too: that needs its own scope. Throws RestError FORBIDDEN. */
export function findCopied<T>({ caller }: Pick<RestCall, 'caller'>, find: () => Promise<T>): Promise<T> {
  authorize(caller, ['prompts.read']);
  return find();
}

interface CopyBody {
  readonly workspace_id?: string | null | undefined;
  readonly organisation_id?: string | null | undefined;
  readonly collection_id?: string | null | undefined;
}

/** The home that a body names; that of the original where it names none. Throws RestError as homeNamed does. */
export async function homeOfCopy(
  source: Home,
  { caller, body }: { readonly caller: RestCall['caller']; readonly body: CopyBody },
  services: Services,
): Promise<Home> {
  const { workspace_id, organisation_id, collection_id } = body;
  const isNamed = [workspace_id, organisation_id, collection_id].some((named) => typeof named === 'string');
  return isNamed ? homeNamed(caller, body, services) : source;
}

/** Throws RestError INVALID for a copy that names what its workspace does not have: it could not be called. */
export async function refuseMissing(template: Template, home: Home, services: Services): Promise<void> {
  const missing = [
    ...(await missingProvider(template, home, services)),
    ...(await missingPartials(template, home, services)),
  ];
  if (missing.length === 0) return;
  throw new RestError('INVALID', {
    message: `The workspace does not have what the prompt names: ${missing.join(', ')}`,
    param: 'workspace_id',
  });
}

/** Prompts of the organisation name providers of the workspace that calls them. */
async function missingProvider({ providerRef }: Template, home: Home, { store }: Services): Promise<readonly string[]> {
  if (providerRef === undefined || home.workspace === undefined) return [];
  const { name } = providerRef;
  const { namespace } = home;
  const found =
    (await store.get({ kind: 'VirtualKey', namespace, name })) ??
    (await store.get({ kind: 'Provider', namespace, name }));
  return found === undefined ? [`the provider or virtual key ${name}`] : [];
}

/** Partials are those of the workspace, or of the organisation. */
async function missingPartials(
  template: Template,
  home: Home,
  { store, tenancy }: Services,
): Promise<readonly string[]> {
  const read = readPromptText(template);
  const references = read.ok ? templatesOf(read.value).flatMap(({ partials }) => partials) : [];
  const slugs = references.flatMap((reference) => {
    const parsed = parsePartialReference(reference);
    return parsed.ok ? [parsed.value.slug] : [];
  });
  const namespaces = [home.namespace, tenancy.organisation.namespace];
  const missing = [...new Set(slugs)].map(async (name) => {
    const found = namespaces.map((namespace) => store.get({ kind: 'PromptPartial', namespace, name }));
    return (await Promise.all(found)).every((one) => one === undefined) ? [`the partial ${name}`] : [];
  });
  return (await Promise.all(missing)).flat();
}
