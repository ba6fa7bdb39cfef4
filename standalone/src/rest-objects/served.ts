/** The objects that an installation has, through its management API. */
import { isObject } from '@gatehouse/crds';
import { API_VERSION } from '@gatehouse/crds/kinds';
import type { RestOperation } from '@gatehouse/crds/rest';
import { type RestBody, type RestClient, RestFailure } from '../rest-client/index.ts';
import type { Family, Missing, View } from '../rest-families/index.ts';

export interface Served {
  readonly family: Family;
  readonly name: string;
  /** UUID. */
  readonly id: string;
  /** As the answer has it. */
  readonly view: View;
  /** Of the resource, without defaults. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Values that are in no answer. */
  readonly missing: readonly Missing[];
}

export interface ServedObjects {
  /** Undefined: there is none. Throws RestFailure. */
  get(family: Family, name: string, workspace: string | undefined): Promise<Served | undefined>;
  /** In the order of their creation. Throws RestFailure. */
  list(family: Family, workspace: string | undefined): Promise<readonly Served[]>;
  /** Throws RestFailure. */
  create(family: Family, body: RestBody, segments?: Readonly<Record<string, string>>): Promise<RestBody>;
  update(served: Pick<Served, 'family' | 'id'>, body: RestBody): Promise<void>;
  delete(served: Pick<Served, 'family' | 'id'>): Promise<void>;
}

const PAGE_SIZE = 1_000;
/** Objects that are read at the same time. */
const CONCURRENCY = 8;

const pathOf = ({ path }: RestOperation, segments: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segments[name] ?? ''));

/** The path of one object: it has one named segment. */
const pathOfOne = ({ path }: RestOperation, name: string): string =>
  path.replace(/\{\w+\}/, () => encodeURIComponent(name));

export function createServedObjects(client: RestClient): ServedObjects {
  const read = async (family: Family, name: string, workspace?: string) => {
    const { get } = family.operations;
    const view = await client.call('GET', pathOfOne(get, name), { query: { workspace_id: workspace } });
    return toServed(family, view);
  };
  return {
    get: async (family, name, workspace) => {
      try {
        return await read(family, name, workspace);
      } catch (error) {
        if (error instanceof RestFailure && error.status === 404 && error.isOfManagement) return undefined;
        throw error;
      }
    },
    list: async (family, workspace) => {
      const { list } = family.operations;
      const items: View[] = [];
      for (let page = 0; ; page += 1) {
        const query = { workspace_id: workspace, current_page: String(page), page_size: String(PAGE_SIZE) };
        const { data, total } = await client.call('GET', list.path, { query });
        const rows = Array.isArray(data) ? data.filter(isObject) : [];
        items.push(...rows);
        if (rows.length === 0 || items.length >= Number(total)) break;
      }
      if (family.isListShort !== true) return items.map((view) => toServed(family, view));
      return readAll(items, ({ id }) => read(family, String(id)));
    },
    create: (family, body, segments = {}) => client.call('POST', pathOf(family.operations.create, segments), { body }),
    update: async ({ family, id }, body) => {
      await client.call('PUT', pathOfOne(family.operations.update, id), { body });
    },
    delete: async ({ family, id }) => {
      await client.call('DELETE', pathOfOne(family.operations.delete, id));
    },
  };
}

/** Reads each item, some at a time; one that was deleted meanwhile is left out. */
async function readAll(items: readonly View[], read: (item: View) => Promise<Served>): Promise<readonly Served[]> {
  const found: (Served | undefined)[] = new Array(items.length);
  const queue = [...items.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, item] = next;
      found[at] = await read(item).catch((error: unknown) => {
        if (error instanceof RestFailure && error.status === 404) return undefined;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return found.filter((one) => one !== undefined);
}

function toServed(family: Family, view: View): Served {
  const missing: Missing[] = [];
  const spec = family.toSpec(view, missing);
  return { family, name: String(view['slug']), id: String(view['id']), view, spec, missing };
}

/** The object as a resource: what `kubectl apply` takes, without status and fields of servers. */
export const toResource = ({ family, name, spec }: Served, namespace: string | undefined) => ({
  apiVersion: API_VERSION,
  kind: family.kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec,
});
